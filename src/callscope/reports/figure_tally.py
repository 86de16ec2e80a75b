"""How many calls lie behind a figure of the report, by project and month or day, from the sums alone.

The sums keep some facts together (hours with goals, agents with goals, topics)
and others not; countable() tells which lists can be counted. Read inside a snapshot().
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callscope.reports import drilldown, remembered, store
from callscope.reports.call_filters import CallFilters
from callscope.reports.counting import NEGATIVE
from callscope.reports.drilldown import Behind
from callscope.reports.remembered import Key, Memory
from callscope.reports.sums import NO_HOUR, TABLES, IntMatrix, Sums
from callscope.reports.window import Window, month_of

_of_rollups: Memory[int] = Memory(32_768)


def countable(filters: CallFilters) -> bool:
    """Whether the sums keep together what these filters ask for: one place and one finding at most."""
    behind = filters.behind
    if filters.search or behind.criterion or filters.direction is not None or filters.without_agent:
        return False
    if filters.sentiment not in (None, NEGATIVE):
        return False
    findings = _findings(filters)
    places = [filters.agent is not None, bool(behind.topic), bool(behind.shift) or behind.timed]
    return len(findings) <= (0 if behind.topic else 1) and sum(places) <= 1


def _findings(filters: CallFilters) -> list[str]:
    """Return the names of the sums' columns that the filters ask for."""
    goal = filters.behind.goal
    asked = [
        ("reached", goal is True),
        ("missed", goal is False),
        ("scored", filters.behind.scored),
        ("negative", filters.sentiment is not None),
        ("critical", filters.critical),
    ]
    return [name for name, is_asked in asked if is_asked]


@dataclass(frozen=True, slots=True)
class FigureTally:
    """The calls behind one figure, counted; the filters must be countable()."""

    project_ids: Sequence[int]
    count_in: Callable[[Sums, int], int]  # (sums, project) → calls
    asked: tuple[object, ...]  # what count_in depends on

    def by_project(self, window: Window) -> dict[int, int]:
        """Return project → calls of the window."""
        counts: dict[int, int] = {}
        for (project, *_), calls in self._rollups(store.keys(self.project_ids, window)):
            counts[project] = counts.get(project, 0) + calls
        for project, _, calls in self._unfolded(window):
            counts[project] = counts.get(project, 0) + calls
        return counts

    def by_span(self, window: Window, *, by_day: bool) -> dict[int, dict[int, int]]:
        """Return first day → project → calls, for each month of the window or each day."""
        keys = store.day_keys(self.project_ids, window) if by_day else store.keys(self.project_ids, window)
        spans: dict[int, dict[int, int]] = {}
        counted = [(project, day, calls) for (project, _, day, _), calls in self._rollups(keys)]
        for project, day, calls in [*counted, *self._unfolded(window)]:
            span = spans.setdefault(day if by_day else month_of(day), {})
            span[project] = span.get(project, 0) + calls
        return {first: calls for first, calls in spans.items() if any(calls.values())}

    def _rollups(self, keys: Sequence[Key]) -> Iterable[tuple[Key, int]]:
        counted = {key: _of_rollups.get((key, self.asked)) for key in keys}
        for key, sums in remembered.each([key for key in keys if counted[key] is None], "figures"):
            calls = counted[key] = self.count_in(sums, key[0])
            _of_rollups.put((key, self.asked), calls)
        return [(key, calls or 0) for key, calls in counted.items()]

    def _unfolded(self, window: Window) -> list[tuple[int, int, int]]:
        return [
            (project, day, self.count_in(sums, project))
            for project, day, sums in store.unfolded_days(self.project_ids, window)
        ]


def figure_tally(project_ids: Sequence[int], filters: CallFilters) -> FigureTally:
    """Prepare the counting of a list that is countable()."""
    behind = filters.behind
    asked = (behind, filters.agent, filters.sentiment, filters.critical)
    finding = next(iter(_findings(filters)), "calls")
    if behind.topic:
        topics = drilldown.topic_ids(project_ids, behind.topic)
        return FigureTally(project_ids, _of("topics", topics, finding), (*asked, *topics))
    if filters.agent is not None:
        return FigureTally(project_ids, _of("agents", [filters.agent], finding), asked)
    hours = _hours(project_ids, behind)
    count_in = _of_hours(hours, finding)
    return FigureTally(project_ids, count_in, (*asked, *((p, *h) for p, h in sorted(hours.items()))))


def _hours(project_ids: Sequence[int], behind: Behind) -> dict[int, list[int]]:
    """Return project → the hours whose calls count."""
    if behind.shift:
        return drilldown.hours_of(project_ids, behind.shift)
    timed = list(range(24))
    return dict.fromkeys(project_ids, timed if behind.timed else [NO_HOUR, *timed])


def _of(table: str, wanted: Sequence[int], finding: str) -> Callable[[Sums, int], int]:
    def count_in(sums: Sums, _project: int) -> int:
        rows = sums.table(table)
        return _sum(table, rows[np.isin(rows[:, 0], wanted)], finding)

    return count_in


def _of_hours(hours: Mapping[int, Sequence[int]], finding: str) -> Callable[[Sums, int], int]:
    def count_in(sums: Sums, project: int) -> int:
        rows = sums.table("hours")
        chosen = (rows[:, 0] == project) & np.isin(rows[:, 1], hours.get(project, ()))
        return _sum("hours", rows[chosen], finding)

    return count_in


def _sum(table: str, rows: IntMatrix, finding: str) -> int:
    if finding == "missed":
        return _sum(table, rows, "known") - _sum(table, rows, "reached")
    return int(rows[:, TABLES[table].column(finding)].sum())
