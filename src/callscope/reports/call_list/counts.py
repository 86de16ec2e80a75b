"""How many calls match, by project and by agent, mistakes or day, without looking at calls.

Counted from the rollups and the journal, as far as their sums keep what the conditions
ask for. A rollup's key holds a digest of its content, so what was counted of it is
remembered under that key. Read inside a snapshot().
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from callscope.reports.call_list.conditions import Condition, to_mask
from callscope.reports.store import cache, reader
from callscope.reports.store.aggregates import TABLES, Aggregates, group_by_key
from callscope.reports.store.cache import LRUCache, StampedKey
from callscope.reports.window import Window, month_of

ALL = ""  # stands for no key: everything is counted under 0
PERCENT = "percent"  # of the score; counted for all calls alike

CallsByProject = Mapping[int, int]
Counts = Mapping[int, CallsByProject]  # by value of the key

# A rollup, the conditions and the key → counts; each entry takes a handful of numbers.
_counts_of_rollups: LRUCache[Counts] = LRUCache(16_384)
_counts_of_states: LRUCache[Counts] = LRUCache(512)


@dataclass(slots=True)
class CallCounts:
    """The matching calls of some projects and days, counted; `state` is the store's, of this moment."""

    project_ids: Sequence[int]
    window: Window
    conditions: tuple[Condition, ...]  # is_counted, all of them
    state: reader.StoreFingerprint
    _keys: list[StampedKey] | None = field(default=None, init=False)
    _unfolded: list[tuple[int, int, Aggregates]] | None = field(default=None, init=False)

    @property
    def count(self) -> int:
        return sum(self.by_project().values())

    def by_project(self) -> CallsByProject:
        return self.by(ALL).get(0, {})

    def by(self, name: str) -> Counts:
        """Return value of "agent", "mistakes" or "is_scored" → project → calls.

        Also of PERCENT, whole percents of the score, which counts all calls whatever the conditions.
        """
        key = (self.state.stored, tuple(self.project_ids), self.window.days, self.conditions, name)
        stored = _counts_of_states.get(key)
        if stored is None:
            stored = add_up(_count_rollups(self.keys(), self.conditions, name))
            _counts_of_states.put(key, stored)
        if not self.state.has_changes:
            return stored
        changes = (count_sums(sums, self.conditions, name) for _, _, sums in self.unfolded())
        return add_up([stored, *changes])

    def by_span(self, *, by_day: bool) -> dict[int, CallsByProject]:
        """Return first day → project → calls, for each month of the window or each day."""
        rollups = reader.day_rollup_keys(self.project_ids, self.window) if by_day else self.keys()
        spans: dict[int, list[Counts]] = {}
        for key, counts in zip(rollups, _count_rollups(rollups, self.conditions, ALL), strict=True):
            spans.setdefault(key[2] if by_day else month_of(key[2]), []).append(counts)
        for _, day, sums in self.unfolded():
            first = day if by_day else month_of(day)
            spans.setdefault(first, []).append(count_sums(sums, self.conditions, ALL))
        return {first: add_up(parts).get(0, {}) for first, parts in spans.items()}

    def keys(self) -> list[StampedKey]:
        """Return the rollups of the window, which are looked for once."""
        if self._keys is None:
            self._keys = reader.rollup_keys(self.project_ids, self.window)
        return self._keys

    def unfolded(self) -> list[tuple[int, int, Aggregates]]:
        """Return (project, day, sums) of what the journal holds of the window, which is read once."""
        if self._unfolded is None:
            changed = self.state.has_changes
            self._unfolded = reader.read_journal_by_day(self.project_ids, self.window) if changed else []
        return self._unfolded


def _count_rollups(keys: Sequence[StampedKey], conditions: tuple[Condition, ...], name: str) -> list[Counts]:
    """Return the counts of these rollups, in their order, reading those that were not counted before."""
    counted: dict[StampedKey, Counts] = {}
    for key in keys:
        known = _counts_of_rollups.get((key, conditions, name))
        if known is not None:
            counted[key] = known
    for key, sums in cache.load_rollups([key for key in keys if key not in counted], "listing"):
        counted[key] = count_sums(sums, conditions, name)
        _counts_of_rollups.put((key, conditions, name), counted[key])
    return [counted.get(key, {}) for key in keys]


def count_sums(sums: Aggregates, conditions: tuple[Condition, ...], name: str) -> Counts:
    """Return what CallCounts.by() does, of these sums alone."""
    counts: dict[int, dict[int, int]] = {}
    if name == PERCENT:
        for project, percent, calls in sums.table("percents").tolist():
            counts.setdefault(percent, {})[project] = calls
        return counts
    matrix = sums.table("list")
    matrix = matrix[to_mask(conditions, matrix)]
    column = TABLES["list"].column
    if name == ALL:
        for project, calls in group_by_key(matrix[:, [column("project"), column("calls")]], 1).tolist():
            counts.setdefault(0, {})[project] = calls
        return counts
    columns = [column(name), column("project"), column("calls")]
    for value, project, calls in group_by_key(matrix[:, columns], 2).tolist():
        counts.setdefault(value, {})[project] = calls
    return counts


def add_up(parts: Iterable[Counts]) -> dict[int, dict[int, int]]:
    """Return the sum of these counts, without zeros."""
    added: dict[int, dict[int, int]] = {}
    for counts in parts:
        for value, by_project in counts.items():
            total = added.setdefault(value, {})
            for project, calls in by_project.items():
                total[project] = total.get(project, 0) + calls
    # The journal counts a call that has gone as -1, so that sums of both may come to nothing.
    cleaned = {value: {p: n for p, n in by_project.items() if n} for value, by_project in added.items()}
    return {value: by_project for value, by_project in cleaned.items() if by_project}
