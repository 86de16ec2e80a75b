"""The intervals of a report counted again from single values: scipy's quantiles and plain loops.

It shares no code with the product; docs/api.md, "Intervals", is its source.
"""

import math

from scipy.stats import norm, t

LEAST = 5
STEADYING = 0.005


def two(bounds):
    if bounds is None:
        return None
    low, high = (round(100 * bound, 2) + 0.0 for bound in bounds)
    return low, high


def wilson(mean, n, part, quantile):
    weight = quantile**2 * part / n
    middle, reach = mean + weight / 2, math.sqrt(weight * mean * (1 - mean) + weight**2 / 4)
    low, high = (middle - reach) / (1 + weight), (middle + reach) / (1 + weight)
    return max(0.0, min(low, mean)), min(1.0, max(high, mean))


def share(flags):
    """Return the mean of these booleans and its bounds; None for too few."""
    flags = list(flags)
    if len(flags) < LEAST:
        return None
    mean = sum(flags) / len(flags)
    return mean, *wilson(mean, len(flags), 1, norm.ppf(0.975))


def mean_of(values):
    """Return the mean of these values from 0 to 1 and its bounds; None for too few."""
    n = len(values)
    if n < LEAST:
        return None
    mean = math.fsum(values) / n
    spread = math.fsum((value - mean) ** 2 for value in values) * n / (n - 1)
    part = min(1, (spread + STEADYING) / (n * mean * (1 - mean) + STEADYING))
    quantile = norm.ppf(0.975) if part == 1 else t.ppf(0.975, (n - 1) / (1 - part))
    return mean, *wilson(mean, n, part, quantile)


def ratio_of(shares, maxima):
    """Return points over possible points and its bounds; None for too few."""
    n, possible = len(shares), sum(maxima)
    if n < LEAST:
        return None
    ratio = math.fsum(s * m for s, m in zip(shares, maxima, strict=True)) / possible
    spread = math.fsum((m * (s - ratio)) ** 2 for s, m in zip(shares, maxima, strict=True))
    spread *= (n / possible) ** 2 * n / (n - 1)
    part = (spread + STEADYING) / (n * ratio * (1 - ratio) + STEADYING)
    return ratio, *wilson(ratio, n, part, t.ppf(0.975, n - 1))


def interval(estimate):
    return None if estimate is None else two(estimate[1:])


def difference(one, other):
    if one is None or other is None:
        return None
    by = one[0] - other[0]
    return two(
        (
            by - math.hypot(one[0] - one[1], other[2] - other[0]),
            by + math.hypot(one[2] - one[0], other[0] - other[1]),
        )
    )
