"""How many calls match, by project and by agent or mistakes, without looking at calls.

Counted from the rollups and the journal; search and the figures of the pages are
beyond it. Rollups carry a digest of their content, so what was counted of one is
remembered under it. Read inside a snapshot().
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from callscope.reports import remembered, store
from callscope.reports.call_filters import CallFilters
from callscope.reports.remembered import Key, Memory
from callscope.reports.sums import NO_AGENT, TABLES, IntMatrix, Sums, grouped
from callscope.reports.window import Window, month_of

LIST = TABLES["list"]
COLUMN = {name: LIST.column(name) for name in LIST.keys + LIST.counts}
ALL = ""  # stands for no key: everything is counted under 0
PERCENT = "percent"  # of the score; counted for all calls alike

Counts = Mapping[int, Mapping[int, int]]  # value of the key → project → calls
Chosen = tuple[int | None, bool, int | None, int | None, bool]

_of_rollups: Memory[Counts] = Memory(16_384)  # each a handful of numbers
_of_states: Memory[Counts] = Memory(512)


@dataclass(slots=True)
class Tally:
    """The matching calls of some projects and days, counted."""

    project_ids: Sequence[int]
    window: Window
    chosen: Chosen
    state: store.State
    _keys: list[Key] | None = field(default=None, init=False)
    _unfolded: list[tuple[int, int, Sums]] | None = field(default=None, init=False)

    @property
    def count(self) -> int:
        return sum(self.by_project().values())

    def by_project(self) -> Mapping[int, int]:
        """Return project → calls."""
        return self.by(ALL).get(0, {})

    def by(self, name: str) -> Counts:
        """Return value of "agent", "mistakes" or "is_scored" → project → calls.

        Also of PERCENT, whole percents of the score, for which the filters are not heeded.
        """
        together = (self.state.stored, tuple(self.project_ids), self.window.days, self.chosen, name)
        stored = _of_states.get(together)
        if stored is None:
            stored = _added(_counted(self.keys(), self.chosen, name))
            _of_states.put(together, stored)
        if not self.state.has_changes:
            return stored
        changes = (_count(sums, self.chosen, name) for _, _, sums in self.unfolded())
        return _added([stored, *changes])

    def by_span(self, *, by_day: bool) -> dict[int, Mapping[int, int]]:
        """Return first day → project → calls, for each month of the window or each day."""
        rollups = store.day_keys(self.project_ids, self.window) if by_day else self.keys()
        spans: dict[int, list[Counts]] = {}
        for key, counts in zip(rollups, _counted(rollups, self.chosen, ALL), strict=True):
            spans.setdefault(key[2] if by_day else month_of(key[2]), []).append(counts)
        for _, day, sums in self.unfolded():
            first = day if by_day else month_of(day)
            spans.setdefault(first, []).append(_count(sums, self.chosen, ALL))
        return {first: _added(parts).get(0, {}) for first, parts in spans.items()}

    def keys(self) -> list[Key]:
        if self._keys is None:
            self._keys = store.keys(self.project_ids, self.window)
        return self._keys

    def unfolded(self) -> list[tuple[int, int, Sums]]:
        if self._unfolded is None:
            changed = self.state.has_changes
            self._unfolded = store.unfolded_days(self.project_ids, self.window) if changed else []
        return self._unfolded


def tally(project_ids: Sequence[int], window: Window, filters: CallFilters, state: store.State) -> Tally:
    """Count the calls of these projects that match in the window; `state` is the store's, of this moment."""
    chosen = (filters.agent, filters.without_agent, filters.sentiment, filters.direction, filters.critical)
    return Tally(project_ids, window, chosen, state)


def _counted(keys: Sequence[Key], chosen: Chosen, name: str) -> list[Counts]:
    """Return the counts of these rollups, in their order, reading those that were not counted before."""
    counted: dict[Key, Counts] = {}
    for key in keys:
        known = _of_rollups.get((key, chosen, name))
        if known is not None:
            counted[key] = known
    for key, sums in remembered.each([key for key in keys if key not in counted], "listing"):
        counted[key] = _count(sums, chosen, name)
        remember_under: Hashable = (key, chosen, name)
        _of_rollups.put(remember_under, counted[key])
    return [counted.get(key, {}) for key in keys]


def _count(sums: Sums, chosen: Chosen, name: str) -> Counts:
    counts: dict[int, dict[int, int]] = {}
    if name == PERCENT:
        for project, percent, calls in sums.table("percents").tolist():
            counts.setdefault(percent, {})[project] = calls
        return counts
    matrix = _matching(sums.table("list"), chosen)
    if name == ALL:
        for project, calls in grouped(matrix[:, [COLUMN["project"], COLUMN["calls"]]], 1).tolist():
            counts.setdefault(0, {})[project] = calls
        return counts
    columns = [COLUMN[name], COLUMN["project"], COLUMN["calls"]]
    for value, project, calls in grouped(matrix[:, columns], 2).tolist():
        counts.setdefault(value, {})[project] = calls
    return counts


def _matching(matrix: IntMatrix, chosen: Chosen) -> IntMatrix:
    agent, without_agent, sentiment, direction, critical = chosen
    wanted = [("agent", agent), ("sentiment", sentiment), ("direction", direction)]
    wanted += [("agent", NO_AGENT if without_agent else None), ("critical", 1 if critical else None)]
    is_chosen = np.ones(len(matrix), bool)
    for name, value in wanted:
        if value is not None:
            is_chosen &= matrix[:, COLUMN[name]] == value
    found: IntMatrix = matrix[is_chosen]
    return found


def _added(parts: Iterable[Counts]) -> dict[int, dict[int, int]]:
    """Return the sum of these counts, without zeros."""
    added: dict[int, dict[int, int]] = {}
    for counts in parts:
        for value, calls_of in counts.items():
            of_value = added.setdefault(value, {})
            for project, calls in calls_of.items():
                of_value[project] = of_value.get(project, 0) + calls
    cleaned = {value: {p: n for p, n in calls_of.items() if n} for value, calls_of in added.items()}
    return {value: calls_of for value, calls_of in cleaned.items() if calls_of}
