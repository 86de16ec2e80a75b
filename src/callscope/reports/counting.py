"""Count calls into sums.

A call comes as a row of whole numbers (HEAD) with a sign, and its criteria as
packing.ENTRY rows; -1 takes the call away again.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from callscope.reports.packing import CRITICAL_ERROR, ENTRY, EVALUATED, NOT_APPLICABLE, Entries, unpack
from callscope.reports.sums import MILLION, NO_AGENT, NO_HOUR, NO_MISTAKES, TABLES, IntMatrix, Sums, grouped

# The columns of a call, in this order, each a 64-bit number.
HEAD = (
    "sign",
    "project",
    "day",
    "hour",
    "agent",
    "topic",
    "direction",
    "sentiment",
    "goal",
    "duration",
    "max_points",
    "points",
    "counted_points",
    "critical",
    "error_classes",
    "plain_judged",
    "plain_met",
    "mistakes",
    "criteria",
)
# The same columns as fields of models.CallFact; the pack comes last.
FACT_FIELDS = (
    "project_id",
    "day",
    "hour",
    "agent_id",
    "topic_id",
    "direction",
    "sentiment",
    "goal_reached",
    "duration_us",
    "max_points",
    "points",
    "counted_points",
    "critical",
    "error_classes",
    "plain_judged",
    "plain_met",
    "mistakes",
    "pack",
)
FactRow = tuple[Any, ...]
COLUMN = {name: index for index, name in enumerate(HEAD)}
NO_TOPIC = 0
GOAL_UNKNOWN, GOAL_MISSED, GOAL_REACHED = 0, 1, 2
NEGATIVE = 3  # models.Sentiment.NEGATIVE

Column = np.ndarray[tuple[int], np.dtype[np.int64]]
Flags = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]


def count(heads: IntMatrix, entries: Entries, only: Sequence[str] = tuple(TABLES)) -> Sums:
    """Return the named sums of these calls; `entries` are their criteria, in the same order."""
    if not len(heads):
        return Sums()
    calls = _Calls(heads)
    tables = {name: _criteria(heads, entries) if name == "criteria" else calls.table(name) for name in only}
    return Sums({name: table for name, table in tables.items() if len(table)})


class _Calls:
    """The calls as named columns: keys as they are, counts with the sign of the call."""

    def __init__(self, heads: IntMatrix) -> None:
        self.heads = heads
        self.sign: Column = heads[:, COLUMN["sign"]]
        self.is_scored = heads[:, COLUMN["max_points"]] > 0

    def __getitem__(self, name: str) -> Column:
        return self.heads[:, COLUMN[name]]

    def table(self, name: str) -> IntMatrix:
        layout = TABLES[name]
        chosen = self._chosen(name)
        columns = [self._key(key) for key in layout.keys] + [
            self.sign * self._counted(key) for key in layout.counts
        ]
        matrix = np.stack(columns, axis=1)
        return grouped(matrix if chosen is None else matrix[chosen], len(layout.keys))

    def _chosen(self, name: str) -> Flags | None:
        """Return which calls have a row in a table; None: all."""
        has_agent: Flags = self["agent"] != NO_AGENT
        match name:
            case "day_scores" | "hour_scores" | "percents":
                return self.is_scored
            case "agents":
                return has_agent
            case "agent_scores":
                return self.is_scored & has_agent
            case "topics":
                return np.not_equal(self["topic"], NO_TOPIC)
        return None

    def _key(self, name: str) -> Column:
        match name:
            case "is_scored":
                return self.is_scored.astype(np.int64)
            case "percent":
                return self._percent()
        return self[name]

    def _percent(self) -> Column:
        """Return the whole percents of the scores as they are shown: rounded half-even to hundredths first.

        In two steps, so that nothing passes 64 bits.
        """
        most = np.maximum(self["max_points"], 1)
        percents, rest = np.divmod(self["counted_points"] * 100, most)
        hundredths, rest = np.divmod(rest * 100, most)
        is_odd = hundredths % 2 == 1
        rounds_up = (rest > most - rest) | ((rest == most - rest) & is_odd)
        result: Column = percents + (hundredths + rounds_up) // 100
        return result

    def _counted(self, name: str) -> Column:
        counted: Column | Flags
        match name:
            case "calls":
                counted = np.ones_like(self.sign)
            case "scored":
                counted = self.is_scored
            case "sentiments":
                counted = self["sentiment"] != 0
            case "negative":
                counted = self["sentiment"] == NEGATIVE
            case "known":
                counted = self["goal"] != GOAL_UNKNOWN
            case "reached":
                counted = self["goal"] == GOAL_REACHED
            case "customer_errors":
                counted = self["error_classes"] & 1
            case "business_errors":
                counted = self["error_classes"] >> 1 & 1
            case "compliance_errors":
                counted = self["error_classes"] >> 2 & 1
            case "duration_hi" | "duration_lo":
                counted = _part(self["duration"], name)
            case "counted_hi" | "counted_lo":
                counted = _part(self["counted_points"], name)
            case "earned_hi" | "earned_lo":
                counted = _part(self["points"], name)
            case _:
                counted = self[name]
        result: Column = counted.astype(np.int64)
        return result


def _part(amount: Column, name: str) -> Column:
    part: Column = amount // MILLION if name.endswith("_hi") else amount % MILLION
    return part


def _criteria(heads: IntMatrix, entries: Entries) -> IntMatrix:
    sign = np.repeat(heads[:, COLUMN["sign"]], heads[:, COLUMN["criteria"]])
    points = entries["points"].astype(np.int64)
    flags = entries["flags"].astype(np.int64)
    columns = [
        entries["criterion"].astype(np.int64),
        sign,
        sign * ((flags & CRITICAL_ERROR) != 0),
        sign * ((flags & EVALUATED) != 0),
        sign * ((flags & NOT_APPLICABLE) != 0),
        sign * (points // MILLION),
        sign * (points % MILLION),
    ]
    return grouped(np.stack(columns, axis=1), 1)


def head(fact: FactRow, *, sign: int = 1) -> tuple[int, ...]:
    """Return the HEAD row of a fact, given as its FACT_FIELDS."""
    project, day, hour, agent, topic, direction, sentiment, goal, duration, most, *rest, mistakes, pack = fact
    return (
        sign,
        project,
        day,
        NO_HOUR if hour is None else hour,
        agent or NO_AGENT,
        topic or NO_TOPIC,
        direction,
        sentiment or 0,
        GOAL_UNKNOWN if goal is None else GOAL_REACHED if goal else GOAL_MISSED,
        duration,
        most or 0,
        *rest,
        NO_MISTAKES if mistakes is None else mistakes,
        len(pack) // ENTRY.itemsize,
    )


def heads_of(facts: Sequence[FactRow], *, sign: int = 1) -> IntMatrix:
    """Return the HEAD rows of some facts, given as their FACT_FIELDS."""
    return np.array([head(fact, sign=sign) for fact in facts], np.int64).reshape(-1, len(HEAD))


def entries_of(facts: Sequence[FactRow]) -> Entries:
    """Return the criteria of these facts, in their order."""
    return unpack(b"".join(fact[-1] for fact in facts))


def count_facts(facts: Sequence[FactRow]) -> Sums:
    """Return the sums of these facts."""
    return count(heads_of(facts), entries_of(facts)) if facts else Sums()


def some(heads: IntMatrix, entries: Entries, chosen: Flags) -> tuple[IntMatrix, Entries]:
    """Return the chosen calls with their criteria."""
    return heads[chosen], entries[np.repeat(chosen, heads[:, COLUMN["criteria"]])]


def days_of(heads: IntMatrix, entries: Entries) -> Iterator[tuple[int, int, Sums]]:
    """Yield (project, day, sums of its calls), each pair once, in ascending order."""
    if not len(heads):
        return
    order = np.lexsort((heads[:, COLUMN["day"]], heads[:, COLUMN["project"]]))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    entries = entries[np.argsort(np.repeat(place, heads[:, COLUMN["criteria"]]), kind="stable")]
    heads = heads[order]
    ends = np.cumsum(heads[:, COLUMN["criteria"]])
    keys = heads[:, [COLUMN["project"], COLUMN["day"]]]
    edges = np.flatnonzero(np.any(keys[1:] != keys[:-1], axis=1)) + 1
    entry = 0
    for first, last in pairwise([0, *edges.tolist(), len(heads)]):
        entry_end = int(ends[last - 1])
        yield int(keys[first, 0]), int(keys[first, 1]), count(heads[first:last], entries[entry:entry_end])
        entry = entry_end
