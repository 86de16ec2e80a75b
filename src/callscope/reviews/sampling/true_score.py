"""The true average score of all calls, estimated from those that were drawn at random and reviewed.

Each agent's calls are a stratum, because so many are drawn of each: an agent with few calls would otherwise
count for too much. The estimate is the mean over the agents, each weighted by all their calls; agents of whom
nobody reviewed a drawn call are left out, and the estimate says over how many calls it speaks.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scipy.special import stdtrit

from callscope.reviews.statistics.estimate import UPPER_TAIL

LEAST_CALLS = 5  # fewer have no interval
LEAST_DEGREES = 5  # of the variance within agents; with fewer, that over all calls stands in


class TrueScore(NamedTuple):
    """The estimate in percent, with its 95 % interval; None where too few calls were reviewed."""

    score: float | None
    low: float | None
    high: float | None
    reviewed: int  # calls that were drawn at random and reviewed
    calls: int  # that it speaks about


def estimate_true_score(
    reviewed: Mapping[int | None, Sequence[float]], calls: Mapping[int | None, int]
) -> TrueScore:
    """Estimate from the scores of reviewed calls, by agent; `calls` are all scored calls of each."""
    strata = [(scores, max(calls.get(agent, 0), len(scores))) for agent, scores in reviewed.items() if scores]
    n, total = sum(len(scores) for scores, _ in strata), sum(size for _, size in strata)
    if not n:
        return TrueScore(None, None, None, 0, 0)
    mean = sum(size * statistics.fmean(scores) for scores, size in strata) / total
    if n < LEAST_CALLS:
        return TrueScore(mean, None, None, n, total)
    degrees = n - len(strata)
    if degrees >= LEAST_DEGREES:
        squares = sum(sum((each - statistics.fmean(s)) ** 2 for each in s) for s, _ in strata)
        variance = squares / degrees
    else:
        degrees, variance = n - 1, statistics.variance([each for s, _ in strata for each in s])
    of_mean = sum((size / total) ** 2 * (1 - len(s) / size) / len(s) for s, size in strata) * variance
    half = float(stdtrit(degrees, UPPER_TAIL)) * math.sqrt(of_mean)
    return TrueScore(mean, max(mean - half, 0.0), min(mean + half, 100.0), n, total)
