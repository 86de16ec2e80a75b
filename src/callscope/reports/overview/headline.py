"""Headline and COPC rates over any choice of local hours: the whole window, or a shift of it."""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TypeVar

import numpy as np

from callscope.analysis.figures import percentage, ratio
from callscope.reports.overview.intervals import (
    Estimates,
    estimate,
    join_samples,
    sample_ratio,
    sample_scores,
    sample_shares,
)
from callscope.reports.overview.schemas import CopcRates, Headline
from callscope.reports.store.aggregates import (
    MILLION,
    NO_HOUR,
    SQUARE_BASE,
    TABLES,
    Aggregates,
    HourCounts,
    IntColumn,
    group_by_key,
)
from callscope.reports.store.exact_figures import ExactMean, join_millionths

US_PER_HOUR = 3_600_000_000
HOURS = TABLES["hours"]
SCORES = TABLES["hour_scores"]
ESTIMATED = (  # the figures with intervals, in the order of HourTotals.estimates()
    "average_score",
    "weighted_compliance",
    "critical_error_pct",
    "negative_sentiment_pct",
    "goal_reached_pct",
)
ERROR_CLASSES = ("customer", "business", "compliance")
Number = TypeVar("Number", int, IntColumn)


class HourTotals:
    """What the calls of the chosen (project, hour) pairs add up to; all pairs by default."""

    def __init__(
        self, aggregates: Aggregates, chosen: Callable[[int, int], bool] = lambda _project, _hour: True
    ) -> None:
        hours = aggregates.table("hours")
        pairs = [(project, hour) for project, hour in hours[:, :2].tolist() if chosen(project, hour)]
        marks = np.array([_mark(project, hour) for project, hour in pairs], np.int64)
        mine = hours[np.isin(_mark(hours[:, 0], hours[:, 1]), marks)]
        self.counts = HourCounts._make(mine[:, len(HOURS.keys) :].sum(axis=0).tolist())
        self._hours = mine
        self.with_metadata = int(mine[mine[:, 1] != NO_HOUR, HOURS.column("calls")].sum())
        self.score = ExactMean()
        self.earned = 0  # millionths, as the points were given
        self.possible = 0
        scores = aggregates.table("hour_scores")
        scores = scores[np.isin(_mark(scores[:, 0], scores[:, 1]), marks)]
        columns = group_by_key(scores[:, 2:], 1).T
        # By maximum: the columns of hour_scores without their first keys.
        self.scores = dict(zip((*SCORES.keys, *SCORES.counts)[2:], columns, strict=True))
        names = ("max_points", "scored", "counted_hi", "counted_lo", "earned_hi", "earned_lo")
        rows = zip(*(self.scores[name].tolist() for name in names), strict=True)
        for maximum, scored, high, low, earned_high, earned_low in rows:
            self.score.add(maximum, join_millionths(high, low), scored)
            self.earned += join_millionths(earned_high, earned_low)
            self.possible += maximum * scored

    def estimates(self) -> Estimates:
        """Return the figures named by ESTIMATED with what they may be off by."""
        counts, scores = self.counts, self.scores
        sums = [scores[name].sum() for name in ("scored", "hundredths", "squares_hi", "squares_lo")]
        earned_squares = scores["earned_squares_hi"] * float(SQUARE_BASE) + scores["earned_squares_lo"]
        shares = sample_shares(
            [counts.critical, counts.negative, counts.reached],
            [counts.scored, counts.sentiments, counts.known],
        )
        return estimate(
            join_samples(
                sample_scores(*sums),
                sample_ratio(
                    scores["scored"],
                    scores["max_points"] / MILLION,
                    scores["earned_hundredths"],
                    earned_squares,
                ),
                shares,
            )
        )

    def headline(self) -> Headline:
        counts = self.counts
        intervals = zip(ESTIMATED, self.estimates().intervals(), strict=True)
        duration_us = join_millionths(counts.duration_hi, counts.duration_lo)
        return Headline(
            total_calls=counts.calls,
            analyzed_hours=ratio(duration_us, US_PER_HOUR) or 0.0,
            average_score=self.score.percent(),
            weighted_compliance=percentage(self.earned, self.possible),
            scored_calls=counts.scored,
            critical_error_pct=percentage(counts.critical, counts.scored),
            negative_sentiment_pct=percentage(counts.negative, counts.sentiments),
            goal_reached_pct=percentage(counts.reached, counts.known),
            calls_with_metadata=self.with_metadata,
            sentiment_calls=counts.sentiments,
            outcome_calls=counts.known,
            **{f"{name}_interval": interval for name, interval in intervals},
        )

    @cached_property
    def by_project(self) -> dict[int, HourCounts]:
        """The counts of each project, which the accuracies alone need."""
        summed = group_by_key(np.delete(self._hours, HOURS.keys.index("hour"), axis=1), 1)
        return {project: HourCounts._make(row) for project, *row in summed.tolist()}

    def count_spared(self, error_class: str, looking: Collection[int]) -> tuple[int, int] | None:
        """Return the scored calls without an error of a class, and the scored calls they are among.

        Only calls of the projects `looking` for such an error count, and of those where one was found
        though no criterion looks for it today: elsewhere, that none was found says nothing. None where
        that leaves no project.
        """
        name = f"{error_class}_errors"
        counted = [
            (counts.scored - getattr(counts, name), counts.scored)
            for project, counts in self.by_project.items()
            if project in looking or getattr(counts, name)
        ]
        if not counted and not looking:
            return None
        return sum(spared for spared, _ in counted), sum(scored for _, scored in counted)

    def copc_rates(self, looking: Mapping[str, Collection[int]]) -> CopcRates:
        """Return the rates; `looking`: class of errors → the projects whose rubric looks for them."""
        spared = {each: self.count_spared(each, looking.get(each, ())) for each in ERROR_CLASSES}
        shares = {each: None if pair is None else percentage(*pair) for each, pair in spared.items()}
        calls = {each: None if pair is None else pair[1] for each, pair in spared.items()}
        return CopcRates(
            customer_critical_accuracy_pct=shares["customer"],
            business_critical_accuracy_pct=shares["business"],
            compliance_critical_accuracy_pct=shares["compliance"],
            non_critical_accuracy_pct=percentage(self.counts.plain_met, self.counts.plain_judged),
            customer_critical_calls=calls["customer"],
            business_critical_calls=calls["business"],
            compliance_critical_calls=calls["compliance"],
            plain_answers=self.counts.plain_judged,
            scored_calls=self.counts.scored,
        )


def _mark(project: Number, hour: Number) -> Number:
    """Return one number for a project and a local hour, which run from NO_HOUR to 23."""
    return project * 25 + hour - NO_HOUR
