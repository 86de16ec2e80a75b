"""How many calls a list without a search has, by project and day, where the sums cannot tell."""

from collections.abc import Sequence

from callscope.reports import statements
from callscope.reports.call_filters import CallFilters
from callscope.reports.seek_groups import behind_condition, matching, on_days, unordered
from callscope.reports.window import Window, month_of

SHORT_DAYS = 31  # of a window whose calls are found faster by the index of the days than on a way past all


class ScannedTally:
    """The calls of one list, counted once; the same questions as to a FigureTally."""

    def __init__(self, project_ids: Sequence[int], window: Window, filters: CallFilters) -> None:
        self.project_ids = project_ids
        self.days: list[tuple[int, ...]] = []  # (day, project, calls)
        if not project_ids:
            return
        first, last = window.days
        is_few = last - first < SHORT_DAYS
        where = (
            on_days(window, is_few=is_few)
            + matching(filters, is_few=False)
            + behind_condition(filters.behind, project_ids)
        )
        all_over = unordered(not is_few)  # one pass over the table reads it in its order, an index does not
        projects = ", ".join(["%s"] * len(project_ids))
        statement = (
            "SELECT +day, +project_id, count(*) FROM reports_callfact"  # noqa: S608 - our own words
            f" WHERE {all_over}project_id IN ({projects}){where.sql} GROUP BY 1, 2"
        )
        self.days = statements.rows(statement, (*project_ids, *where.parameters))

    def by_project(self, _window: Window) -> dict[int, int]:
        """Return project → calls of the window."""
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
