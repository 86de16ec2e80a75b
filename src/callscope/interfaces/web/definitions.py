"""What each figure means, in one sentence: shown on hover, by keyboard and at the foot of a page.

Source of the rules: docs/api.md, "Figures".
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


@dataclass(frozen=True, slots=True)
class Definition:
    label: str | Promise
    meaning: str | Promise
    unit: str = ""


DEFINITIONS = {
    "total_calls": Definition(_("Calls"), _("Calls in this window whose analysis is complete.")),
    "analyzed_hours": Definition(_("Hours"), _("Length of these recordings together, in hours."), "h"),
    "average_score": Definition(
        _("Average score"), _("Mean of the scores of all scored calls; every call counts alike."), "%"
    ),
    "weighted_compliance": Definition(
        _("Weighted compliance"),
        _("All points earned over all points possible; a call with more points counts for more."),
        "%",
    ),
    "scored_calls": Definition(_("Scored calls"), _("Calls in which at least one criterion was decided.")),
    "critical_error_pct": Definition(
        _("Critical errors"), _("Share of scored calls with at least one critical error."), "%"
    ),
    "negative_sentiment_pct": Definition(
        _("Negative sentiment"),
        _("Share of calls in which the customer's words are negative, of those whose sentiment is known."),
        "%",
    ),
    "goal_reached_pct": Definition(
        _("Goal reached"),
        _("Share of calls that reached the project's goal, of those whose outcome is known."),
        "%",
    ),
    "calls_with_metadata": Definition(
        _("With call time"),
        _("Calls whose real time came with the upload or a manifest. Only these fall into shifts."),
    ),
    "weight_pct": Definition(_("Weight"), _("The criterion's share of all points of the rubric."), "%"),
    "average_pct": Definition(
        _("Average"),
        _("Mean share of the criterion's points. Calls to which it does not apply count with full points."),
        "%",
    ),
    "evaluated_pct": Definition(
        _("Where it applies"),
        _("The same mean over evaluated calls alone, without those to which it does not apply."),
        "%",
    ),
    "delta_pct": Definition(
        _("Change"),
        _(
            "Against the window of the same length just before, in percentage points. "
            "The mark in the bar stands where the average was then."
        ),
    ),
    "critical_errors": Definition(
        _("Critical errors"),
        _("Calls in which this criterion was a critical error: it is marked critical and earned zero."),
    ),
    "evaluated_calls": Definition(
        _("Evaluated"), _("Calls to which the criterion applies and which were judged.")
    ),
    "not_applicable_calls": Definition(
        pgettext_lazy("head of a column", "n/a"),
        _("Calls to which the criterion does not apply. They are awarded full points."),
    ),
    "criterion_calls": Definition(_("Calls"), _("Calls that carry this criterion.")),
    "volume_pct": Definition(_("Share"), _("Of the calls in this window that have a contact reason."), "%"),
    "customer_critical": Definition(
        _("Customer-critical accuracy"),
        _("Scored calls without an error that fails the customer, over scored calls."),
        "%",
    ),
    "business_critical": Definition(
        _("Business-critical accuracy"),
        _("Scored calls without an error that costs the business, over scored calls."),
        "%",
    ),
    "compliance_critical": Definition(
        _("Compliance-critical accuracy"),
        _("Scored calls without an error against rules or law, over scored calls."),
        "%",
    ),
    "non_critical": Definition(
        _("Non-critical accuracy"),
        _("Criteria that are not critical and earned full points, over all such criteria evaluated."),
        "%",
    ),
}
