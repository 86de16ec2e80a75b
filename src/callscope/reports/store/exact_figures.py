"""Exact figures from integers: means without a float on the way.

Every figure of a report is a fraction of integers that is rounded once, at the edge: see analysis.figures.
"""

import math

import numpy as np

from callscope.analysis.figures import Figure, percentage
from callscope.reports.store.aggregates import MILLION, IntMatrix


def join_millionths(high: int, low: int) -> int:
    """Return an amount in millionths from its whole units and its millionths."""
    return high * MILLION + low


def join_squares(high: int, middle: int, low: int) -> int:
    """Return a sum of squares of millionths from those of whole units, of products, and of millionths."""
    return high * MILLION**2 + 2 * middle * MILLION + low


class ExactMean:
    """The mean of shares such as points / maximum, kept as one numerator for each maximum."""

    __slots__ = ("by_maximum", "calls")

    def __init__(self) -> None:
        self.by_maximum: dict[int, int] = {}
        self.calls = 0

    def add(self, maximum: int, points: int, calls: int) -> None:
        """Add calls that earned `points` together, each out of `maximum`."""
        self.by_maximum[maximum] = self.by_maximum.get(maximum, 0) + points
        self.calls += calls

    def without(self, some: "ExactMean") -> "ExactMean":
        """Return the mean over the calls that are not in `some`, which is a part of this."""
        rest = ExactMean()
        for maximum, points in self.by_maximum.items():
            rest.add(maximum, points, 0)
        for maximum, points in some.by_maximum.items():
            rest.add(maximum, -points, 0)
        rest.calls = self.calls - some.calls
        return rest

    def fraction(self) -> tuple[int, int]:
        """Return the mean as numerator and denominator; the denominator is 0 when there are no calls."""
        common = math.lcm(*self.by_maximum) if self.by_maximum else 1
        numerator = sum(points * (common // maximum) for maximum, points in self.by_maximum.items())
        return numerator, common * self.calls

    def percent(self) -> Figure | None:
        """Return the mean in percent; None without calls."""
        numerator, denominator = self.fraction()
        return percentage(numerator, denominator)


def difference_percent(now: ExactMean, before: ExactMean) -> Figure | None:
    """Return now − before in percentage points; None if either has no calls.

    The exact means are subtracted, not the rounded ones: the difference may be 0.01 off theirs.
    """
    (n1, d1), (n2, d2) = now.fraction(), before.fraction()
    return percentage(n1 * d2 - n2 * d1, d1 * d2)


def means_by_key(scores: IntMatrix) -> dict[int, ExactMean]:
    """Return the mean under each key of a table of scores.

    Its columns: key, maximum, calls, points in whole units, their millionths. Each
    pair of key and maximum has one row.
    """
    if not len(scores):
        return {}
    keys, rows = np.unique(scores[:, 0], return_inverse=True)
    maxima, columns = np.unique(scores[:, 1], return_inverse=True)
    common = math.lcm(*maxima.tolist())
    # Python's integers in numpy's loops: products with the common multiple may pass 64 bits.
    points = np.zeros((len(keys), len(maxima)), object)
    points[rows, columns] = scores[:, 3].astype(object) * MILLION + scores[:, 4].astype(object)
    numerators = points.dot(np.array([common // maximum for maximum in maxima.tolist()], object))
    calls = np.bincount(rows, scores[:, 2], len(keys)).astype(np.int64)
    means = {}
    for key, numerator, count in zip(keys.tolist(), numerators.tolist(), calls.tolist(), strict=True):
        means[key] = mean = ExactMean()
        mean.add(common, numerator, count)
    return means
