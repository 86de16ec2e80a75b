"""What may be chance where figures are compared: windows, shifts, agents, weeks and criteria.

A difference is within the margin of error where its 95 % interval holds 0. Of twenty differences of things
that are alike, one is outside by chance. Definitions: docs/api.md, "Intervals".
"""

import numpy as np
from django.utils.translation import gettext as _

from callscope.analysis.figures import subtract
from callscope.reports.overview.headline import ESTIMATED, HourTotals
from callscope.reports.overview.intervals import Estimates, Interval, estimate, sample_scores
from callscope.reports.overview.schemas import AgentRow, FigureDifference, Headline
from callscope.reports.store.aggregates import TABLES, IntMatrix, group_by_key
from callscope.reports.store.exact_figures import difference_percent

SCORE_SUMS = ("scored", "hundredths", "squares_hi", "squares_lo")
SCORES = TABLES["agent_scores"]  # its columns are those of day_scores too


def compare_headlines(
    totals: HourTotals, headline: Headline, other_totals: HourTotals, other: Headline
) -> list[FigureDifference]:
    """Return how far each figure of a headline is from that of other calls."""
    differences = totals.estimates().minus(other_totals.estimates())
    found = []
    for name, interval in zip(ESTIMATED, differences.intervals(), strict=True):
        now, then = getattr(headline, name), getattr(other, name)
        by = None if now is None or then is None else subtract(now, then)
        found.append(FigureDifference(name, by, interval, is_within_noise(interval)))
    return found


def is_within_noise(interval: Interval) -> bool | None:
    """Return whether the interval of a difference holds 0; None without an interval."""
    return None if interval is None else interval[0] <= 0 <= interval[1]


def name_standing(row: AgentRow) -> str:
    """Return how an agent's score differs from that of all other calls; "" where that may be chance."""
    return name_side(row.average_score_difference, row.average_score_difference_interval)


def name_side(difference: float | None, interval: Interval) -> str:
    """Return on which side of others a difference puts an agent; "" where that may be chance."""
    if is_within_noise(interval) is not False:
        return ""
    return _("above the others") if (difference or 0) > 0 else _("below the others")


def name_noise(within_noise: bool | None) -> str:
    """Return what is said of a difference that may be chance; "" for others, and for too few calls."""
    return _("within the margin of error") if within_noise else ""


def sum_scores(scores: IntMatrix, keys: list[int]) -> IntMatrix:
    """Return SCORE_SUMS in rows, for each of these keys, in order, of a table of scores."""
    by_key = group_by_key(scores[:, [0, *(SCORES.column(name) for name in SCORE_SUMS)]], 1)
    sums = np.zeros((len(SCORE_SUMS), len(keys)), np.int64)
    sums[:, np.searchsorted(keys, by_key[:, 0])] = by_key[:, 1:].T
    return sums


def compare_with_others(own: IntMatrix, everything: IntMatrix) -> Estimates:
    """Return how far the average score of each column is from that of all other scored calls."""
    others = everything.sum(axis=1, keepdims=True) - own
    return estimate(sample_scores(*own)).minus(estimate(sample_scores(*others)))


def compare_score(totals: HourTotals, everything: HourTotals) -> FigureDifference:
    """Return how far the average score of some calls is from that of all others."""
    own, all_calls = (
        np.array([[each.scores[name].sum()] for name in SCORE_SUMS]) for each in (totals, everything)
    )
    (interval,) = compare_with_others(own, all_calls).intervals()
    by = difference_percent(totals.score, everything.score.without(totals.score))
    return FigureDifference("average_score", by, interval, is_within_noise(interval))


def compare_with_last(estimates: Estimates) -> Estimates:
    """Return each figure less the one before it; the first has none."""
    before = Estimates(*(np.concatenate([[np.nan], column[:-1]]) for column in estimates))
    return estimates.minus(before)
