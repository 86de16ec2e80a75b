"""The average score that people would give all calls, estimated from those drawn at random and reviewed.

What people and the machine say of the same calls tells how far the machine is off. That difference is added
to the average that counts, for the calls in which the machine's score counts: which calls happened to be
drawn, good or bad ones, moves the estimate little. Each agent's calls are a stratum, because so many are
drawn of each: the difference is the mean over the agents, each weighted by the calls that nobody reviewed.

The interval is Student's. Most differences are 0 and few are large, so those of few calls often show none of
the large ones. Their variance is therefore taken together with PRIOR_CALLS calls that differ as much as the
scores by people do. In simulated worlds with errors in 5 to 100 % of the calls and 2 to 10 drawn calls of
each agent, the interval holds the truth in 95 % of the draws or more; without them in 39 to 95 %.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scipy.special import stdtrit

from callscope.reviews.statistics.estimate import UPPER_TAIL

LEAST_CALLS = 5  # fewer have no interval
LEAST_DEGREES = 5  # of the variance within agents; with fewer, that over all calls stands in
PRIOR_CALLS = 2  # of how many the variance of the scores counts as that of the differences


class ScoredTwice(NamedTuple):
    """The scores of one drawn call in percent."""

    person: float
    machine: float


class TrueScore(NamedTuple):
    """The estimate in percent, with its 95 % interval; None where too few calls were reviewed."""

    score: float | None
    low: float | None
    high: float | None
    reviewed: int  # calls that were drawn at random and reviewed
    by_people: float | None = None  # their average by people, and that by the machine
    by_machine: float | None = None


class Stratum(NamedTuple):
    """One agent."""

    differences: list[float]  # of drawn calls: the person's score less the machine's
    unreviewed: int  # calls in which the machine's score counts


def estimate_true_score(
    drawn: Mapping[int | None, Sequence[ScoredTwice]],
    unreviewed: Mapping[int | None, int],
    *,
    counted: float | None,
    calls: int,
) -> TrueScore:
    """Estimate from drawn calls by agent.

    `counted` is the average that counts of all scored `calls`; `unreviewed` are, of each agent, those in
    which the machine's score counts. The difference is taken to hold for agents of whom none was drawn, too.
    """
    pairs = [pair for each in drawn.values() for pair in each]
    if not pairs or counted is None or not calls:
        return TrueScore(None, None, None, 0)
    averages = statistics.fmean(p.person for p in pairs), statistics.fmean(p.machine for p in pairs)
    strata = [
        Stratum([pair.person - pair.machine for pair in each], max(unreviewed.get(agent, 0), 0))
        for agent, each in drawn.items()
        if each
    ]
    share = min(sum(unreviewed.values()) / calls, 1.0)
    base = sum(each.unreviewed for each in strata)
    if not base:  # all calls of these agents were reviewed: each counts by its drawn calls
        strata = [each._replace(unreviewed=len(each.differences)) for each in strata]
        base = len(pairs)
    apart = sum(each.unreviewed * statistics.fmean(each.differences) for each in strata) / base
    score = min(max(counted + share * apart, 0.0), 100.0)
    half = find_half_width(strata, base, prior=statistics.pvariance([pair.person for pair in pairs]))
    if half is None:
        return TrueScore(score, None, None, len(pairs), *averages)
    low, high = max(score - share * half, 0.0), min(score + share * half, 100.0)
    return TrueScore(score, low, high, len(pairs), *averages)


def find_half_width(strata: Sequence[Stratum], base: int, *, prior: float) -> float | None:
    """Return half the width of the 95 % interval of the mean difference; None for too few calls.

    `prior` is the variance that PRIOR_CALLS more differences are taken to have.
    """
    everything = [each for stratum in strata for each in stratum.differences]
    n = len(everything)
    if n < LEAST_CALLS:
        return None
    degrees = n - len(strata)
    if degrees >= LEAST_DEGREES:
        squares = sum(
            sum((each - statistics.fmean(s.differences)) ** 2 for each in s.differences) for s in strata
        )
    else:
        degrees = n - 1
        squares = degrees * statistics.variance(everything)
    variance = (squares + PRIOR_CALLS * prior) / (degrees + PRIOR_CALLS)
    # How far the mean of the drawn calls is from that of the unreviewed ones, of which there are so many.
    of_mean = variance * sum(
        (s.unreviewed / base) ** 2 * (1 / len(s.differences) + 1 / s.unreviewed)
        for s in strata
        if s.unreviewed
    )
    return float(stdtrit(degrees, UPPER_TAIL)) * math.sqrt(of_mean)
