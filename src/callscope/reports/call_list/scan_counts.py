"""How many calls a list without a search has, by project and day, where the sums do not tell."""

from collections.abc import Sequence

from callscope.db import raw_sql
from callscope.reports.call_list.conditions import Condition, no_index, to_where
from callscope.reports.call_list.page_ranges import days_condition
from callscope.reports.window import Window, month_of

SHORT_DAYS = 31  # of a window whose calls the index of days finds faster than a pass over all calls


class ScanCounts:
    """The calls of one list, counted by one statement; answers the same questions as DrilldownCounts."""

    def __init__(self, project_ids: Sequence[int], window: Window, conditions: Sequence[Condition]) -> None:
        self.days: list[tuple[int, ...]] = []  # (day, project, calls)
        if not project_ids:
            return
        first, last = window.days
        is_short = last - first < SHORT_DAYS
        where = days_condition(window, by_index=is_short) + to_where(conditions, by_agent=False)
        # A long window is read in one pass over the table in its own order, which an index does not allow.
        project = f"{no_index(not is_short)}project_id"
        projects = ", ".join(["%s"] * len(project_ids))
        statement = (
            "SELECT +day, +project_id, count(*) FROM reports_callfact"  # noqa: S608 - our own words
            f" WHERE {project} IN ({projects}){where.sql} GROUP BY 1, 2"
        )
        self.days = raw_sql.fetch_rows(statement, (*project_ids, *where.parameters))

    def by_project(self, _window: Window) -> dict[int, int]:
        """Return project → calls of the window that was counted."""
        counts: dict[int, int] = {}
        for _, project, calls in self.days:
            counts[project] = counts.get(project, 0) + calls
        return counts

    def by_span(self, window: Window, *, by_day: bool) -> dict[int, dict[int, int]]:
        """Return first day → project → calls, for each month of the window or each day."""
        first, last = window.days
        spans: dict[int, dict[int, int]] = {}
        for day, project, calls in self.days:
            if first <= day <= last:
                span = spans.setdefault(day if by_day else month_of(day), {})
                span[project] = span.get(project, 0) + calls
        return spans
