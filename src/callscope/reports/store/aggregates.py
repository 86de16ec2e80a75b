"""Aggregates: what a set of calls adds to every figure, as integers that can be added and subtracted.

Aggregates hold a few tables (TABLES). Each row is a key, such as agent and maximum
points, and what was counted under it. Adding is exact and in any order gives the same
tables, so days add up to months, and a change is the new call minus the old one.
Scores are counted apart by maximum: that keeps a mean of percentages exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from callscope.reports.store.talk import MEASURES

IntColumn = np.ndarray[tuple[int], np.dtype[np.int64]]
IntMatrix = np.ndarray[tuple[int, int], np.dtype[np.int64]]

NO_HOUR = -1  # calls without a real call time
NO_AGENT = 0
NO_TOPIC = 0
NOT_TALKED = -1  # calls of which a talk measure is not known
NO_MISTAKES = -1  # calls whose mistakes were not looked for
MILLION = 1_000_000
MANY_ROWS = 500  # from which on it is worth looking at the range of a key


class CallCounts(NamedTuple):
    """What is counted of calls under most keys."""

    calls: int
    scored: int
    critical: int  # of the scored
    sentiments: int  # calls whose sentiment is known
    negative: int
    known: int  # calls whose outcome is known
    reached: int


class HourCounts(NamedTuple):
    """What is counted of the calls of one local hour.

    Large amounts are kept as whole units and millionths (`…_hi`, `…_lo`), here and below, so that
    no sum can pass 64 bits.
    """

    calls: int
    duration_hi: int
    duration_lo: int
    scored: int
    critical: int
    sentiments: int
    negative: int
    known: int
    reached: int
    customer_errors: int
    business_errors: int
    compliance_errors: int
    plain_judged: int
    plain_met: int


class AgentCriterionCounts(NamedTuple):
    """What is counted of the calls of an agent to which a criterion applies, or may have applied."""

    judged: int  # all but those that recorded it as not applicable
    not_met: int  # without points
    points_hi: int
    points_lo: int


class CriterionCounts(NamedTuple):
    """What is counted of the calls that have a criterion."""

    calls: int
    critical_errors: int
    evaluated: int
    not_applicable: int
    points_hi: int
    points_lo: int
    # The squares of the points: as many times 10^12, 2 * 10^6 and 1; see join_squares(). In 64 bits they hold
    # nine million calls of a criterion that is worth a million points.
    squares_hi: int
    squares_mid: int
    squares_lo: int


# `hundredths`: the scores as they are shown, in hundredths of a percent. `squares_hi` times SQUARE_BASE and
# `squares_lo`: their squares, in two parts because a table has as many bytes for each number as for its
# largest.
SCORED = ("scored", "counted_hi", "counted_lo", "hundredths", "squares_hi", "squares_lo")
EARNED = ("earned_hi", "earned_lo", "earned_hundredths", "earned_squares_hi", "earned_squares_lo")
SQUARE_BASE = 10_000


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns of one table: first the key, then what is counted."""

    keys: tuple[str, ...]
    counts: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.keys) + len(self.counts)

    def column(self, name: str) -> int:
        return (self.keys + self.counts).index(name)


# Stored rollups depend on these: version.py rebuilds the store when they change.
TABLES = {
    "days": TableSchema(("day",), CallCounts._fields),
    "day_scores": TableSchema(("day", "max_points"), SCORED),
    "hours": TableSchema(("project", "hour"), HourCounts._fields),
    "hour_scores": TableSchema(("project", "hour", "max_points"), (*SCORED, *EARNED)),
    "agents": TableSchema(("agent",), CallCounts._fields),
    "agent_scores": TableSchema(("agent", "max_points"), SCORED),
    "topics": TableSchema(("topic",), ("calls",)),
    "criteria": TableSchema(("criterion",), CriterionCounts._fields),
    "list": TableSchema(
        ("project", "agent", "direction", "sentiment", "critical", "mistakes", "is_scored"), ("calls",)
    ),
    "percents": TableSchema(("project", "percent"), ("calls",)),
    "agent_talk": TableSchema(
        ("agent",), tuple(f"{name}_{part}" for name in MEASURES for part in ("calls", "sum"))
    ),
    "week_hours": TableSchema(("weekday", "hour", "max_points"), ("calls", *SCORED)),
    "agent_criteria": TableSchema(("agent", "criterion"), AgentCriterionCounts._fields),
}


class Aggregates:
    """One matrix per table, its rows ordered by key, none of them all zero."""

    __slots__ = ("tables",)

    def __init__(self, tables: dict[str, IntMatrix] | None = None) -> None:
        self.tables = tables or {}

    def table(self, name: str) -> IntMatrix:
        matrix = self.tables.get(name)
        return np.empty((0, TABLES[name].width), np.int64) if matrix is None else matrix

    def rows(self, name: str) -> list[list[int]]:
        """Return a table as Python integers, for arithmetic without limits."""
        return self.table(name).tolist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Aggregates):
            return NotImplemented
        return all(np.array_equal(self.table(name), other.table(name)) for name in TABLES)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_empty(self) -> bool:
        return not any(len(table) for table in self.tables.values())

    @property
    def calls(self) -> int:
        """The number of calls; every call is in one row of the table "list"."""
        return int(self.table("list")[:, -1].sum())


def merge(parts: Iterable[Aggregates], only: Sequence[str] = tuple(TABLES)) -> Aggregates:
    """Return the sum of several aggregates, of the named tables."""
    parts = list(parts)
    tables = {}
    for name in only:
        stacked = [part.tables[name] for part in parts if name in part.tables]
        if len(stacked) == 1:
            tables[name] = stacked[0]  # grouped as it is
        elif stacked:
            tables[name] = group_by_key(np.concatenate(stacked), len(TABLES[name].keys))
    return Aggregates(tables)


def group_by_key(matrix: IntMatrix, key_width: int) -> IntMatrix:
    """Return the matrix with equal keys added together, ordered by key, rows of zeros left out."""
    if len(matrix) == 0:
        return matrix
    keys = matrix[:, :key_width]
    if len(matrix) >= MANY_ROWS:
        least = keys.min(axis=0).tolist()
        spans = [most - first + 1 for most, first in zip(keys.max(axis=0).tolist(), least, strict=True)]
        if prod(spans) < 1 << 63:  # each key as one number, in the same order
            code = keys[:, 0] - least[0]
            for index in range(1, key_width):
                code = code * spans[index] + (keys[:, index] - least[index])
            if prod(spans) <= len(matrix):
                return _add_by_number(matrix, code, least, spans)
            keys = code[:, np.newaxis]
    order = np.lexsort(keys.T[::-1])
    ordered, keys = matrix[order], keys[order]
    is_new = np.empty(len(ordered), bool)
    is_new[0] = True
    np.any(keys[1:] != keys[:-1], axis=1, out=is_new[1:])
    starts = np.flatnonzero(is_new)
    result = ordered[starts]
    result[:, key_width:] = np.add.reduceat(ordered[:, key_width:], starts, axis=0)
    return result[np.any(result[:, key_width:] != 0, axis=1)]


def _add_by_number(
    matrix: IntMatrix, code: IntColumn, least: Sequence[int], spans: Sequence[int]
) -> IntMatrix:
    """Group a matrix by `code`, the number of its key where each part is from `least` and one of `spans`.

    Without sorting: there are no more numbers than rows.
    """
    key_width = len(spans)
    sums = np.zeros((matrix.shape[1] - key_width, prod(spans)), np.int64)
    for index, column in enumerate(sums, start=key_width):
        np.add.at(column, code, matrix[:, index])
    used = np.flatnonzero(np.any(sums != 0, axis=0))
    result = np.empty((len(used), matrix.shape[1]), np.int64)
    result[:, key_width:] = sums[:, used].T
    for index in range(key_width - 1, -1, -1):
        used, part = np.divmod(used, spans[index])
        result[:, index] = part + least[index]
    return result
