"""The headline over any choice of local hours: the whole window, or a shift of it."""

from collections.abc import Callable

from callscope.reports.exact import Mean, whole
from callscope.reports.report import CopcRates, Headline
from callscope.reports.rounding import percentage, ratio
from callscope.reports.sums import NO_HOUR, TABLES, Sums

US_PER_HOUR = 3_600_000_000


class Gathered:
    """What the calls of the chosen (project, hour) pairs add up to."""

    def __init__(self, sums: Sums, chosen: Callable[[int, int], bool]) -> None:
        counts = TABLES["hours"].counts
        self.amounts = dict.fromkeys(counts, 0)
        self.with_metadata = 0
        for project, hour, *row in sums.rows("hours"):
            if chosen(project, hour):
                for name, amount in zip(counts, row, strict=True):
                    self.amounts[name] += amount
                self.with_metadata += row[0] if hour != NO_HOUR else 0
        self.score = Mean()
        self.earned = 0  # millionths, as the points were given
        self.possible = 0
        for project, hour, maximum, scored, high, low, earned_high, earned_low in sums.rows("hour_scores"):
            if chosen(project, hour):
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
