"""A mean over independent values with its 95 % interval."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from scipy.special import stdtrit

from callscope.reviews.statistics.estimate import UPPER_TAIL


class Interval(NamedTuple):
    """The bounds of a 95 % interval."""

    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return Student's interval of the mean of independent values; None for fewer than two."""
    if len(values) < 2:
        return None
    mean = statistics.fmean(values)
    half = float(stdtrit(len(values) - 1, UPPER_TAIL)) * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean + half)
