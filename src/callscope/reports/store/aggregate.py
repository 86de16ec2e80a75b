"""Aggregate calls: facts become a matrix of integers, and the matrix becomes Aggregates.

A call is a row of CALL_COLUMNS that begins with its sign (-1 takes the call away
again); its criteria are packing.ENTRY rows, in the order of the calls. The journal
stores both, so the order of CALL_COLUMNS is part of the stored layout.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from callscope.reports.models import Sentiment
from callscope.reports.store.aggregates import (
    MILLION,
    NO_AGENT,
    NO_HOUR,
    NO_MISTAKES,
    NO_TOPIC,
    NOT_TALKED,
    SQUARE_BASE,
    TABLES,
    Aggregates,
    IntColumn,
    IntMatrix,
    group_by_key,
)
from callscope.reports.store.fact_row import COUNTED_FIELDS, FIRST_COUNTED, FactRow
from callscope.reports.store.packing import (
    CRITICAL_ERROR,
    ENTRY,
    EVALUATED,
    NOT_APPLICABLE,
    Entries,
    unpack_entries,
)
from callscope.reports.store.talk import MEASURES

# As the keys and counts of TABLES name them; all others are called what the field is called.
_COLUMN_NAMES = {
    "project_id": "project",
    "agent_id": "agent",
    "topic_id": "topic",
    "goal_reached": "goal",
    "duration_us": "duration",
    "pack": "criteria",
}
CALL_COLUMNS = ("sign", *(_COLUMN_NAMES.get(field, field) for field in COUNTED_FIELDS))
COLUMN_INDEX = {name: index for index, name in enumerate(CALL_COLUMNS)}

GOAL_CODES = {None: 0, False: 1, True: 2}
GOAL_UNKNOWN, GOAL_REACHED = GOAL_CODES[None], GOAL_CODES[True]
NEGATIVE = Sentiment.NEGATIVE.value

# How a value becomes an integer where 0 does not stand for null.
_ENCODERS: dict[str, Callable[[Any], int]] = {
    "hour": lambda hour: NO_HOUR if hour is None else hour,
    "goal_reached": GOAL_CODES.__getitem__,
    "mistakes": lambda mistakes: NO_MISTAKES if mistakes is None else mistakes,
    "pack": lambda pack: len(pack) // ENTRY.itemsize,
    **dict.fromkeys(MEASURES, lambda value: NOT_TALKED if value is None else value),
}

DAYS_PER_WEEK = 7
CALLS_AT_ONCE = 2048  # of one project, counted together where several days are wanted; whole days

Column = np.ndarray[tuple[Any, ...], np.dtype[Any]]


def call_matrix(facts: Sequence[FactRow], *, signs: int | Sequence[int] = 1) -> IntMatrix:
    """Return a row of CALL_COLUMNS for each fact, all of one sign or each of its own."""
    columns = []
    for field, values in zip(
        COUNTED_FIELDS, islice(zip(*facts, strict=True), FIRST_COUNTED, None), strict=False
    ):
        encode = _ENCODERS.get(field)
        columns.append([value or 0 for value in values] if encode is None else list(map(encode, values)))
    matrix = np.empty((len(facts), len(CALL_COLUMNS)), np.int64)
    matrix[:, 0] = signs
    matrix[:, 1:] = np.array(columns, np.int64).reshape(len(COUNTED_FIELDS), len(facts)).T
    return matrix


def criterion_entries(facts: Sequence[FactRow]) -> Entries:
    """Return the criteria of these facts, in their order."""
    return unpack_entries(b"".join(fact.pack for fact in facts))


class _CallColumns:
    """The columns of a matrix of calls by name, and what TABLES derive from them."""

    def __init__(self, calls: IntMatrix) -> None:
        self.calls = calls
        self.is_scored = self["max_points"] > 0
        self._hundredths: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        derive = _DERIVED.get(name)
        return self.calls[:, COLUMN_INDEX[name]] if derive is None else derive(self)

    def hundredths(self, points: str) -> Column:
        """Return scores as they are shown, in hundredths of a percent, rounded half-even.

        In two steps, so that nothing passes 64 bits.
        """
        if points not in self._hundredths:
            maximum = np.maximum(self["max_points"], 1)
            percents, rest = np.divmod(self[points] * 100, maximum)
            hundredths, rest = np.divmod(rest * 100, maximum)
            is_odd = hundredths % 2 == 1
            rounds_up = (rest > maximum - rest) | ((rest == maximum - rest) & is_odd)
            self._hundredths[points] = percents * 100 + hundredths + rounds_up
        return self._hundredths[points]


def _mark_known(name: str) -> Callable[[_CallColumns], Column]:
    return lambda calls: calls[name] != NOT_TALKED


def _keep_known(name: str) -> Callable[[_CallColumns], Column]:
    return lambda calls: np.maximum(calls[name], 0)


# Keys and counts of TABLES that are no columns of a call themselves.
_DERIVED: dict[str, Callable[[_CallColumns], Column]] = {
    "is_scored": lambda calls: calls.is_scored,
    "weekday": lambda calls: (calls["day"] - 1) % DAYS_PER_WEEK,  # 0 is Monday
    "percent": lambda calls: calls.hundredths("counted_points") // 100,
    "calls": lambda calls: np.ones(len(calls.calls), np.int64),
    "scored": lambda calls: calls.is_scored,
    "sentiments": lambda calls: calls["sentiment"] != 0,
    "negative": lambda calls: calls["sentiment"] == NEGATIVE,
    "known": lambda calls: calls["goal"] != GOAL_UNKNOWN,
    "reached": lambda calls: calls["goal"] == GOAL_REACHED,
    "customer_errors": lambda calls: calls["error_classes"] & 1,
    "business_errors": lambda calls: calls["error_classes"] >> 1 & 1,
    "compliance_errors": lambda calls: calls["error_classes"] >> 2 & 1,
    "duration_hi": lambda calls: calls["duration"] // MILLION,
    "duration_lo": lambda calls: calls["duration"] % MILLION,
    "counted_hi": lambda calls: calls["counted_points"] // MILLION,
    "counted_lo": lambda calls: calls["counted_points"] % MILLION,
    "earned_hi": lambda calls: calls["points"] // MILLION,
    "earned_lo": lambda calls: calls["points"] % MILLION,
    **{f"{name}_calls": _mark_known(name) for name in MEASURES},
    **{f"{name}_sum": _keep_known(name) for name in MEASURES},
    "hundredths": lambda calls: calls.hundredths("counted_points"),
    "squares_hi": lambda calls: calls.hundredths("counted_points") ** 2 // SQUARE_BASE,
    "squares_lo": lambda calls: calls.hundredths("counted_points") ** 2 % SQUARE_BASE,
    "earned_hundredths": lambda calls: calls.hundredths("points"),
    "earned_squares_hi": lambda calls: calls.hundredths("points") ** 2 // SQUARE_BASE,
    "earned_squares_lo": lambda calls: calls.hundredths("points") ** 2 % SQUARE_BASE,
}
# Which calls have a row in a table; all of them in a table that is not named.
_MEMBERS: dict[str, Callable[[_CallColumns], Column]] = {
    "day_scores": lambda calls: calls.is_scored,
    "hour_scores": lambda calls: calls.is_scored,
    "percents": lambda calls: calls.is_scored,
    "agents": lambda calls: calls["agent"] != NO_AGENT,
    "agent_talk": lambda calls: calls["agent"] != NO_AGENT,
    "agent_scores": lambda calls: calls.is_scored & (calls["agent"] != NO_AGENT),
    "topics": lambda calls: calls["topic"] != NO_TOPIC,
}


def aggregate_calls(calls: IntMatrix, entries: Entries, only: Sequence[str] = tuple(TABLES)) -> Aggregates:
    """Return the named tables over these calls; `entries` are their criteria, in the same order."""
    if not len(calls):
        return Aggregates()
    columns = _CallColumns(calls)
    tables = {name: _count_rows(name, columns, entries) for name in only}
    return Aggregates({name: table for name, table in tables.items() if len(table)})


def _count_rows(name: str, columns: _CallColumns, entries: Entries, *, by_day: bool = False) -> IntMatrix:
    """Return one table over calls; with `by_day` the day is the first column, and part of the key."""
    schema = TABLES[name]
    lead = ("day",) if by_day else ()
    key_width = len(lead) + len(schema.keys)
    if name in _OF_ENTRIES:
        return group_by_key(np.stack(_OF_ENTRIES[name](columns, entries, lead)).T, key_width)
    matrix = np.empty((len(lead) + schema.width, len(columns.calls)), np.int64).T  # written by column
    for index, column in enumerate((*lead, *schema.keys)):
        matrix[:, index] = columns[column]
    signs = columns["sign"]
    for index, column in enumerate(schema.counts, start=key_width):
        matrix[:, index] = signs * columns[column]
    members = _MEMBERS.get(name)
    return group_by_key(matrix if members is None else matrix[members(columns)], key_width)


def _list_criteria(columns: _CallColumns, entries: Entries, lead: Sequence[str]) -> list[IntColumn]:
    lengths = columns["criteria"]
    sign: IntColumn = np.repeat(columns["sign"], lengths)
    whole, millionths = np.divmod(entries["points"].astype(np.int64), MILLION)
    flags = entries["flags"].astype(np.int64)
    return [
        *(np.repeat(columns[name], lengths) for name in lead),
        entries["criterion"].astype(np.int64),
        sign,
        sign * ((flags & CRITICAL_ERROR) != 0),
        sign * ((flags & EVALUATED) != 0),
        sign * ((flags & NOT_APPLICABLE) != 0),
        sign * whole,
        sign * millionths,
        sign * whole**2,
        sign * whole * millionths,
        sign * millionths**2,
    ]


def _list_agent_criteria(columns: _CallColumns, entries: Entries, lead: Sequence[str]) -> list[IntColumn]:
    lengths = columns["criteria"]
    agent: IntColumn = np.repeat(columns["agent"], lengths)
    is_judged = (agent != NO_AGENT) & ((entries["flags"] & NOT_APPLICABLE) == 0)
    sign: IntColumn = np.repeat(columns["sign"], lengths)[is_judged]
    judged = entries[is_judged]
    whole, millionths = np.divmod(judged["points"].astype(np.int64), MILLION)
    return [
        *(np.repeat(columns[name], lengths)[is_judged] for name in lead),
        agent[is_judged],
        judged["criterion"].astype(np.int64),
        sign,
        sign * (judged["points"] == 0),
        sign * whole,
        sign * millionths,
    ]


# The tables over criteria of calls, by their columns behind those that lead; all others are over calls.
_OF_ENTRIES: dict[str, Callable[[_CallColumns, Entries, Sequence[str]], list[IntColumn]]] = {
    "criteria": _list_criteria,
    "agent_criteria": _list_agent_criteria,
}


def select_calls(calls: IntMatrix, entries: Entries, chosen: Column) -> tuple[IntMatrix, Entries]:
    """Return the calls that `chosen`, a column of booleans, marks, with their criteria."""
    return calls[chosen], entries[np.repeat(chosen, calls[:, COLUMN_INDEX["criteria"]])]


def aggregate_by_day(calls: IntMatrix, entries: Entries) -> Iterator[tuple[int, int, Aggregates]]:
    """Yield (project, day, aggregates of its calls), each pair once, in ascending order.

    Neighboring days of a project are counted together: their calls are few, and numpy takes as long for
    some as for a thousand.
    """
    if not len(calls):
        return
    project, day = calls[:, COLUMN_INDEX["project"]], calls[:, COLUMN_INDEX["day"]]
    order = np.lexsort((day, project))
    project, day = project[order], day[order]
    is_next = project[1:] != project[:-1]
    starts = [0, *(np.flatnonzero(is_next | (day[1:] != day[:-1])) + 1).tolist(), len(order)]
    ends_project = {*(np.flatnonzero(is_next) + 1).tolist(), len(order)}
    lengths = calls[:, COLUMN_INDEX["criteria"]]
    first_entries = np.cumsum(lengths) - lengths
    first = 0
    for start, end in pairwise(starts):
        if end - first >= CALLS_AT_ONCE or end in ends_project:
            chosen = order[first:end]
            found = entries[_join_ranges(first_entries[chosen], lengths[chosen])]
            for each, aggregates in _aggregate_days(calls[chosen], found):
                yield int(project[start]), each, aggregates
            first = end


def _join_ranges(firsts: Column, lengths: Column) -> Column:
    """Return the positions in ranges that begin at `firsts`, one range after the other."""
    offsets = firsts - (np.cumsum(lengths) - lengths)
    return np.repeat(offsets, lengths) + np.arange(int(lengths.sum()))


def _aggregate_days(calls: IntMatrix, entries: Entries) -> Iterator[tuple[int, Aggregates]]:
    """Yield (day, aggregates of its calls) for calls of one project, which are ordered by day."""
    columns = _CallColumns(calls)
    days = np.unique(columns["day"])
    tables = {name: _count_rows(name, columns, entries, by_day=True) for name in TABLES}
    edges = {
        name: np.searchsorted(table[:, 0], [*days, days[-1] + 1]).tolist() for name, table in tables.items()
    }
    for number, day in enumerate(days.tolist()):
        parts = {name: table[slice(*edges[name][number : number + 2]), 1:] for name, table in tables.items()}
        yield day, Aggregates({name: part for name, part in parts.items() if len(part)})
