"""Sums: what a set of calls adds to every figure, as whole numbers that can be added and taken away.

A Sums holds a few tables. Each row is a key (such as agent and maximum points)
and what was counted under it. Adding is exact and in any order gives the same
tables, so days add up to months, and a change is the new call minus the old one.
Scores are counted apart by maximum: that keeps a mean of percentages exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

IntColumn = np.ndarray[tuple[int], np.dtype[np.int64]]
IntMatrix = np.ndarray[tuple[int, int], np.dtype[np.int64]]

NO_HOUR = -1  # calls without a real call time
NO_AGENT = 0
NO_MISTAKES = -1  # calls whose mistakes were not looked for
MILLION = 1_000_000

# Large amounts are kept as whole units and millionths (`…_hi`, `…_lo`), so that no sum can pass 64 bits.
SCORED = ("scored", "counted_hi", "counted_lo")
FINDINGS = ("scored", "critical", "sentiments", "negative", "known", "reached")
COPC = ("customer_errors", "business_errors", "compliance_errors", "plain_judged", "plain_met")


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of one table: first the key, then what is counted."""

    keys: tuple[str, ...]
    counts: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.keys) + len(self.counts)

    def column(self, name: str) -> int:
        return (self.keys + self.counts).index(name)


TABLES = {
    "days": Layout(("day",), ("calls", *FINDINGS)),
    "day_scores": Layout(("day", "max_points"), SCORED),
    "hours": Layout(("project", "hour"), ("calls", "duration_hi", "duration_lo", *FINDINGS, *COPC)),
    "hour_scores": Layout(("project", "hour", "max_points"), (*SCORED, "earned_hi", "earned_lo")),
    "agents": Layout(("agent",), ("calls", *FINDINGS)),
    "agent_scores": Layout(("agent", "max_points"), SCORED),
    "topics": Layout(("topic",), ("calls",)),
    "criteria": Layout(
        ("criterion",), ("calls", "critical_errors", "evaluated", "not_applicable", "points_hi", "points_lo")
    ),
    "list": Layout(
        ("project", "agent", "direction", "sentiment", "critical", "mistakes", "is_scored"), ("calls",)
    ),
    "percents": Layout(("project", "percent"), ("calls",)),
}


class Sums:
    """One matrix a table, its rows ordered by key, none of them all zero."""

    __slots__ = ("tables",)

    def __init__(self, tables: dict[str, IntMatrix] | None = None) -> None:
        self.tables = tables or {}

    def table(self, name: str) -> IntMatrix:
        found = self.tables.get(name)
        return np.empty((0, TABLES[name].width), np.int64) if found is None else found

    def rows(self, name: str) -> list[list[int]]:
        """Return a table as Python numbers, for arithmetic without limits."""
        return self.table(name).tolist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sums):
            return NotImplemented
        return all(np.array_equal(self.table(name), other.table(name)) for name in TABLES)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_empty(self) -> bool:
        return not any(len(table) for table in self.tables.values())


def total(parts: Iterable[Sums], only: Sequence[str] = tuple(TABLES)) -> Sums:
    """Return the sum of several Sums, of the named tables."""
    parts = list(parts)
    tables = {}
    for name in only:
        stacked = [part.tables[name] for part in parts if name in part.tables]
        if len(stacked) == 1:
            tables[name] = stacked[0]  # grouped as it is
        elif stacked:
            tables[name] = grouped(np.concatenate(stacked), len(TABLES[name].keys))
    return Sums(tables)


def grouped(matrix: IntMatrix, key_width: int) -> IntMatrix:
    """Return the matrix with equal keys added together, ordered by key, rows of zeros left out."""
    if len(matrix) == 0:
        return matrix
    keys = matrix[:, :key_width]
    order = np.lexsort(keys.T[::-1])
    ordered = matrix[order]
    is_new = np.empty(len(ordered), bool)
    is_new[0] = True
    np.any(ordered[1:, :key_width] != ordered[:-1, :key_width], axis=1, out=is_new[1:])
    starts = np.flatnonzero(is_new)
    result = ordered[starts]
    result[:, key_width:] = np.add.reduceat(ordered[:, key_width:], starts, axis=0)
    return result[np.any(result[:, key_width:] != 0, axis=1)]
