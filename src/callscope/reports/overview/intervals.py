"""95 % intervals of means, of shares and of their differences, from sums alone.

A share has Wilson's interval. A mean of scores has Wilson's interval too, but its variance is the one that
the scores show: as a part of the variance that shares of the same mean have (`part` below, 1 for a share).
So the interval stays within 0 to 100 and is longer on the side where there is room, which a mean ± t·s/√n
is not: scores lie close to 100. Its quantile is Student's, with the more degrees of freedom the closer the
scores are to shares, whose variance follows from their mean. STEADYING keeps few scores that are all equal
from having an interval without length.

A difference has the interval that follows from both of its sides (Newcombe's method 10). How often these
intervals hold the truth: benchmarks/quality_intervals.py. Definitions: docs/api.md, "Intervals".
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from callscope.analysis.figures import EXACT, Figure
from callscope.reports.store.aggregates import SQUARE_BASE

LEAST_CALLS = 5  # fewer have no interval
UPPER_TAIL = 0.975
STEADYING = 0.005  # of the variance of one call as a share
WHOLE = 10_000  # hundredths of a percent
LIKE_NORMAL = 1e9  # degrees of freedom of a share

Floats = NDArray[np.float64]
Numbers = np.ndarray[Any, np.dtype[Any]]
Interval = tuple[float, float] | None  # in percent or percentage points; None: too few calls


class Sample(NamedTuple):
    """What intervals follow from: one value for each figure, or arrays of them."""

    n: ArrayLike
    mean: ArrayLike  # from 0 to 1; anything where n is 0
    part: ArrayLike
    degrees: ArrayLike


class Estimates(NamedTuple):
    """Several means, shares or differences with their bounds, from 0 to 1; NaN for too few calls."""

    value: Floats
    low: Floats
    high: Floats

    def percents(self) -> list[Figure | None]:
        """Return the values in percent; halves go to the even one, as in exact figures."""
        return _write_percents(self.value)

    def intervals(self) -> list[Interval]:
        """Return the bounds in percent."""
        bounds = zip(_write_percents(self.low), _write_percents(self.high), strict=True)
        return [None if low is None or high is None else (low, high) for low, high in bounds]

    def minus(self, other: "Estimates") -> "Estimates":
        """Return the differences to other, independent figures."""
        difference = self.value - other.value
        return Estimates(
            difference,
            difference - np.hypot(self.value - self.low, other.high - other.value),
            difference + np.hypot(self.high - self.value, other.value - other.low),
        )


def _write_percents(shares: Floats) -> list[Figure | None]:
    # Nine decimals count as exact: without that, 50.835 is a little less and goes to 50.83.
    exact = np.rint(np.nan_to_num(shares) * 100 * EXACT).astype(np.int64).tolist()
    rounded = (np.round(np.round(shares * 100, 9), 2) + 0.0).tolist()
    return [
        None if share != share else Figure(share, numerator, EXACT)
        for share, numerator in zip(rounded, exact, strict=True)
    ]


def sample_shares(parts: ArrayLike, bases: ArrayLike) -> Sample:
    """Return the sample of `parts` calls out of `bases`."""
    n = np.asarray(bases, float)
    return Sample(
        n, np.asarray(parts, float) / np.maximum(n, 1), np.ones_like(n), np.full_like(n, LIKE_NORMAL)
    )


def sample_scores(scored: ArrayLike, hundredths: ArrayLike, high: ArrayLike, low: ArrayLike) -> Sample:
    """Return the sample of scores, from the sums that aggregates.SCORED names."""
    totals = np.asarray(hundredths, float) / WHOLE
    squares = (np.asarray(high, float) * SQUARE_BASE + np.asarray(low, float)) / WHOLE**2
    return sample_means(scored, totals, squares)


def sample_means(calls: ArrayLike, totals: ArrayLike, squares: ArrayLike) -> Sample:
    """Return the sample of values from 0 to 1, from their sum and the sum of their squares."""
    n, total = np.asarray(calls, float), np.asarray(totals, float)
    mean = total / np.maximum(n, 1)
    spread = np.maximum(np.asarray(squares, float) - total * mean, 0) * n / np.maximum(n - 1, 1)
    part = np.minimum((spread + STEADYING) / (n * mean * (1 - mean) + STEADYING), 1)
    return Sample(n, mean, part, (n - 1) / np.maximum(1 - part, 1 / LIKE_NORMAL))


def sample_ratio(scored: Numbers, maxima: Numbers, hundredths: Numbers, squares: Numbers) -> Sample:
    """Return the sample of points over possible points, from sums for each maximum: one value.

    Calls with more points count for more, so that the ratio may vary more than a share would.
    """
    n, possible, shares = float(scored.sum()), float((maxima * scored).sum()), hundredths / WHOLE
    if n < LEAST_CALLS:
        return Sample(n, 0.0, 1.0, LIKE_NORMAL)
    ratio = float((maxima * shares).sum()) / possible
    residuals = maxima**2 * (squares / WHOLE**2 - 2 * ratio * shares + ratio**2 * scored)
    spread = max(float(residuals.sum()), 0.0) * (n / possible) ** 2 * n / (n - 1)
    return Sample(n, ratio, (spread + STEADYING) / (n * ratio * (1 - ratio) + STEADYING), n - 1)


def join_samples(*samples: Sample) -> Sample:
    """Return the values of all these samples, one after the other."""
    return Sample(
        *(np.concatenate([np.atleast_1d(c) for c in columns]) for columns in zip(*samples, strict=True))
    )


def estimate(sample: Sample) -> Estimates:
    """Return the values of a sample with their bounds."""
    n, mean, part, degrees = (np.atleast_1d(np.asarray(column, float)) for column in sample)
    is_enough = n >= LEAST_CALLS
    mean = np.where(n > 0, np.clip(mean, 0, 1), np.nan)
    n = np.where(is_enough, n, np.nan)
    weight = stdtrit(np.maximum(degrees, 1), UPPER_TAIL) ** 2 * part / n
    middle = (mean + weight / 2) / (1 + weight)
    reach = np.sqrt(weight * mean * (1 - mean) + weight**2 / 4) / (1 + weight)
    # Rounding may leave a bound a hair inside the value.
    return Estimates(mean, np.clip(middle - reach, 0, mean), np.clip(middle + reach, mean, 1))
