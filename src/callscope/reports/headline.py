"""The headline over any choice of local hours: the whole window, or a shift of it."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from callscope.reports.exact import Mean, whole
from callscope.reports.figures import CopcRates, Headline
from callscope.reports.rounding import percentage, ratio
from callscope.reports.sums import NO_HOUR, TABLES, IntColumn, Sums, grouped

US_PER_HOUR = 3_600_000_000
HOURS = TABLES["hours"]
Number = TypeVar("Number", int, IntColumn)


class Gathered:
    """What the calls of the chosen (project, hour) pairs add up to."""

    def __init__(self, sums: Sums, chosen: Callable[[int, int], bool]) -> None:
        hours = sums.table("hours")
        places = [(project, hour) for project, hour in hours[:, :2].tolist() if chosen(project, hour)]
        marks = np.array([_mark(project, hour) for project, hour in places], np.int64)
        mine = hours[np.isin(_mark(hours[:, 0], hours[:, 1]), marks)]
        amounts = mine[:, len(HOURS.keys) :].sum(axis=0).tolist()
        self.amounts = dict(zip(HOURS.counts, amounts, strict=True))
        self.with_metadata = int(mine[mine[:, 1] != NO_HOUR, HOURS.column("calls")].sum())
        self.score = Mean()
        self.earned = 0  # millionths, as the points were given
        self.possible = 0
        scores = sums.table("hour_scores")
        scores = scores[np.isin(_mark(scores[:, 0], scores[:, 1]), marks)]
        for maximum, scored, high, low, earned_high, earned_low in grouped(scores[:, 2:], 1).tolist():
            self.score.add(maximum, whole(high, low), scored)
            self.earned += whole(earned_high, earned_low)
            self.possible += maximum * scored

    def headline(self) -> Headline:
        amounts = self.amounts
        duration_us = whole(amounts["duration_hi"], amounts["duration_lo"])
        return Headline(
            total_calls=amounts["calls"],
            analyzed_hours=ratio(duration_us, US_PER_HOUR) or 0.0,
            average_score=self.score.percent(),
            weighted_compliance=percentage(self.earned, self.possible),
            scored_calls=amounts["scored"],
            critical_error_pct=percentage(amounts["critical"], amounts["scored"]),
            negative_sentiment_pct=percentage(amounts["negative"], amounts["sentiments"]),
            goal_reached_pct=percentage(amounts["reached"], amounts["known"]),
            calls_with_metadata=self.with_metadata,
        )

    def copc_rates(self) -> CopcRates:
        amounts = self.amounts
        scored = amounts["scored"]
        return CopcRates(
            customer_critical_accuracy_pct=percentage(scored - amounts["customer_errors"], scored),
            business_critical_accuracy_pct=percentage(scored - amounts["business_errors"], scored),
            compliance_critical_accuracy_pct=percentage(scored - amounts["compliance_errors"], scored),
            non_critical_accuracy_pct=percentage(amounts["plain_met"], amounts["plain_judged"]),
        )


def _mark(project: Number, hour: Number) -> Number:
    """Return one number for a project and a local hour."""
    return project * 25 + hour - NO_HOUR
