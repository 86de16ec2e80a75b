"""Exact figures from whole numbers: means of percentages without a float on the way."""

import math

import numpy as np

from callscope.reports.rounding import half_even
from callscope.reports.sums import MILLION, IntMatrix


def whole(high: int, low: int) -> int:
    """Return an amount in millionths from its whole units and its millionths."""
    return high * MILLION + low


class Mean:
    """The mean of shares such as points / maximum, kept as one numerator for each maximum."""

    __slots__ = ("by_maximum", "calls")

    def __init__(self) -> None:
        self.by_maximum: dict[int, int] = {}
        self.calls = 0

    def add(self, maximum: int, points: int, calls: int) -> None:
        self.by_maximum[maximum] = self.by_maximum.get(maximum, 0) + points
        self.calls += calls

    def fraction(self) -> tuple[int, int]:
        """Return the mean as numerator and denominator; the denominator is 0 when there are no calls."""
        common = math.lcm(*self.by_maximum) if self.by_maximum else 1
        numerator = sum(points * (common // maximum) for maximum, points in self.by_maximum.items())
        return numerator, common * self.calls

    def percent(self) -> float | None:
        """Return the mean in percent with two decimals; None without calls."""
        numerator, denominator = self.fraction()
        return half_even(numerator * 10_000, denominator) / 100 if denominator else None


def difference_percent(now: Mean, before: Mean) -> float | None:
    """Return now − before in percentage points with two decimals; None if either has no calls."""
    (n1, d1), (n2, d2) = now.fraction(), before.fraction()
    if not d1 or not d2:
        return None
    return half_even((n1 * d2 - n2 * d1) * 10_000, d1 * d2) / 100


def means_by_key(scores: IntMatrix) -> dict[int, Mean]:
    """Return the mean under each key of a table of scores.

    Its columns: key, maximum, calls, points in whole units, their millionths. Each
    pair of key and maximum stands in one row.
    """
    if not len(scores):
        return {}
    keys, rows = np.unique(scores[:, 0], return_inverse=True)
    maxima, columns = np.unique(scores[:, 1], return_inverse=True)
    common = math.lcm(*maxima.tolist())
    # Python's whole numbers in numpy's loops: products with the common multiple may pass 64 bits.
    points = np.zeros((len(keys), len(maxima)), object)
    points[rows, columns] = scores[:, 3].astype(object) * MILLION + scores[:, 4].astype(object)
    numerators = points.dot(np.array([common // maximum for maximum in maxima.tolist()], object))
    calls = np.bincount(rows, scores[:, 2], len(keys)).astype(np.int64)
    means = {}
    for key, numerator, count in zip(keys.tolist(), numerators.tolist(), calls.tolist(), strict=True):
        means[key] = mean = Mean()
        mean.add(common, numerator, count)
    return means
