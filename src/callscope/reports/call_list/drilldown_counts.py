"""How many calls a figure of the report counts, by project and month or day, from the sums alone.

The sums keep some facts together (hours with goals, agents with goals, topics)
and others not; is_countable() says which lists can be counted. Read inside a snapshot().
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from callscope.reports.call_list.conditions import Condition, Operator
from callscope.reports.store import cache, reader
from callscope.reports.store.aggregate import NEGATIVE
from callscope.reports.store.aggregates import NO_HOUR, TABLES, Aggregates
from callscope.reports.store.cache import LRUCache, StampedKey
from callscope.reports.window import Window, month_of

MISSED = "missed"  # no column of the sums: the calls whose goal is known less those that reached it
# Conditions that the sums of hours and agents have a column for.
FINDINGS = {
    Condition("goal_reached", Operator.EQUALS, True): "reached",
    Condition("goal_reached", Operator.EQUALS, False): MISSED,
    Condition("max_points", Operator.NOT_NULL): "scored",
    Condition("sentiment", Operator.EQUALS, NEGATIVE): "negative",
    Condition("critical", Operator.EQUALS, True): "critical",
}
# Conditions on a key, and the table that counts by it.
KEY_TABLES = {
    ("agent_id", Operator.EQUALS): "agents",
    ("topic_id", Operator.IN): "topics",
    ("hour", Operator.NOT_NULL): "hours",
    ("hour", Operator.IN_HOURS_OF_PROJECT): "hours",
}
EVERY_HOUR = tuple(range(24))

# A rollup and the conditions → calls; a rollup's key holds a digest of its content.
_counts_of_rollups: LRUCache[int] = LRUCache(32_768)


def is_countable(conditions: Sequence[Condition]) -> bool:
    """True if the sums keep together what is asked: conditions on one key, and one finding at most."""
    keys = [condition for condition in conditions if condition not in FINDINGS]
    tables = {KEY_TABLES.get((condition.column, condition.operator)) for condition in keys}
    most_findings = 0 if "topics" in tables else 1
    return None not in tables and len(tables) <= 1 and len(conditions) - len(keys) <= most_findings


class DrilldownCounts:
    """The calls that meet the conditions, counted; these must be is_countable()."""

    def __init__(self, project_ids: Sequence[int], conditions: tuple[Condition, ...]) -> None:
        self.project_ids = project_ids
        self.conditions = conditions
        self.finding = next((FINDINGS[each] for each in conditions if each in FINDINGS), "calls")
        self.table = "hours"
        self.keys: tuple[int, ...] = ()  # of the table of agents or topics
        self.hours = dict.fromkeys(project_ids, (NO_HOUR, *EVERY_HOUR))
        for condition in conditions:
            match condition:
                case Condition("agent_id", Operator.EQUALS, agent):
                    self.table, self.keys = "agents", (agent,)
                case Condition("topic_id", Operator.IN, topics):
                    self.table, self.keys = "topics", topics
                case Condition("hour", Operator.NOT_NULL):
                    self._keep_hours((project, EVERY_HOUR) for project in project_ids)
                case Condition("hour", Operator.IN_HOURS_OF_PROJECT, hours):
                    self._keep_hours(hours)

    def _keep_hours(self, hours_by_project: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        for project, hours in hours_by_project:
            self.hours[project] = tuple(hour for hour in self.hours[project] if hour in hours)

    def by_project(self, window: Window) -> dict[int, int]:
        """Return project → calls of the window."""
        counts: dict[int, int] = {}
        for project, _, calls in self._count(reader.rollup_keys(self.project_ids, window), window):
            counts[project] = counts.get(project, 0) + calls
        return counts

    def by_span(self, window: Window, *, by_day: bool) -> dict[int, dict[int, int]]:
        """Return first day → project → calls, for each month of the window or each day."""
        keys = (
            reader.day_rollup_keys(self.project_ids, window)
            if by_day
            else reader.rollup_keys(self.project_ids, window)
        )
        spans: dict[int, dict[int, int]] = {}
        for project, day, calls in self._count(keys, window):
            span = spans.setdefault(day if by_day else month_of(day), {})
            span[project] = span.get(project, 0) + calls
        return {first: calls for first, calls in spans.items() if any(calls.values())}

    def _count(self, keys: Sequence[StampedKey], window: Window) -> Iterator[tuple[int, int, int]]:
        """Yield (project, first day, calls) of these rollups, and of what the journal holds of the window."""
        counted = {key: _counts_of_rollups.get((key, self.conditions)) for key in keys}
        for key, sums in cache.load_rollups([key for key in keys if counted[key] is None], "figures"):
            calls = counted[key] = self.count_in(sums, key[0])
            _counts_of_rollups.put((key, self.conditions), calls)
        for (project, _, day, _), known in counted.items():
            yield project, day, known or 0
        for project, day, sums in reader.read_journal_by_day(self.project_ids, window):
            yield project, day, self.count_in(sums, project)

    def count_in(self, sums: Aggregates, project: int) -> int:
        """Return how many calls of one project these sums hold."""
        rows = sums.table(self.table)
        if self.table == "hours":
            hours = self.hours.get(project, ())
            rows = rows[(rows[:, 0] == project) & np.isin(rows[:, 1], hours)]
        else:
            rows = rows[np.isin(rows[:, 0], self.keys)]

        def total(column: str) -> int:
            return int(rows[:, TABLES[self.table].column(column)].sum())

        return total("known") - total("reached") if self.finding == MISSED else total(self.finding)
