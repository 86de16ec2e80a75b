"""What each figure is called and what it means: on pages, in the PDF and on the terminal.

Source of the rules: docs/api.md, "Figures". The client commands print the English labels without
starting Django, so a definition holds its English texts and translates when it is asked.
"""

from dataclasses import dataclass


def _(text: str) -> str:
    """Mark a text for translation."""
    return text


@dataclass(frozen=True, slots=True)
class Definition:
    """One figure; `label` and `meaning` are in the active language."""

    english_label: str
    english_meaning: str
    unit: str = ""

    @property
    def label(self) -> str:
        from django.utils.translation import gettext

        return gettext(self.english_label)

    @property
    def meaning(self) -> str:
        from django.utils.translation import gettext

        return gettext(self.english_meaning)

    @property
    def heading(self) -> str:
        """The label with its unit, where the unit has no place of its own."""
        return f"{self.label}, {self.unit}" if self.unit else self.label

    @property
    def english_heading(self) -> str:
        return f"{self.english_label}, {self.unit}" if self.unit else self.english_label


DEFINITIONS = {
    "total_calls": Definition(_("Calls"), _("Calls in this period whose analysis is complete.")),
    "analyzed_hours": Definition(_("Hours of calls"), _("The length of these calls together, in hours.")),
    "average_score": Definition(
        _("Average score"), _("Mean of the scores of all scored calls; every call counts equally."), "%"
    ),
    "quotes_required": Definition(
        _("Points and quotes"),
        _(
            "Points need a quote from the transcript. If a language model gives none, a critical "
            "criterion earns nothing and any other is not evaluated. Imported results keep their points."
        ),
    ),
    "quotes_not_required": Definition(
        _("Points and quotes"),
        _(
            "In these settings, points of a language model also count where no quote in the transcript "
            "shows them; the call marks them as unverified."
        ),
    ),
    "quotes_required_in_some": Definition(
        _("Points and quotes"),
        _(
            "In the settings of some of these projects, points of a language model also count where no "
            "quote in the transcript shows them; the call marks them as unverified."
        ),
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
        _("Calls whose real time came with the upload or a manifest. Only these count in shifts."),
    ),
    "interval": Definition(
        _("95 % interval"),
        _(
            "Where the figure would be if chance had brought other calls of the same kind: about 95 of a "
            "hundred such intervals contain it. Fewer than 5 calls have no interval."
        ),
    ),
    "within_noise": Definition(
        _("Within the margin of error"),
        _("A difference that chance alone often makes: its 95 % interval includes zero."),
    ),
    "talk_share": Definition(
        _("Agent's talk share"),
        _("The agent's part of all speech. Unknown where the speakers are not apart, or one says nothing."),
        "%",
    ),
    "longest_monologue": Definition(
        _("Longest monologue"),
        _(
            "The longest time in which one side talks and the other does not take a turn. Pauses of up to "
            "3 seconds are included; a word of less than a second is not a turn."
        ),
        "s",
    ),
    "silence_over_3": Definition(
        _("Long silences"),
        _("All pauses of more than 3 seconds between the first and the last words, added up."),
        "s",
    ),
    "interruptions": Definition(
        _("Agent interrupts"),
        _(
            "How often the agent starts while the customer is talking, each for at least half a second. "
            "Unknown where subtitles follow each other without any overlap."
        ),
    ),
    "speech_rate": Definition(
        _("Speech rate"),
        _("Words per minute of the agent, over the time in which the agent speaks (at least 5 seconds)."),
    ),
    "hold": Definition(
        _("Hold"),
        _("Silences of 10 seconds or more after the agent announced them, such as with “one moment”."),
        "s",
    ),
    "weight_pct": Definition(
        _("Weight"),
        _(
            "The criterion's share of all points of the rubric. Over several projects: its share of all "
            "points that the scored calls could earn, so it depends on the number of calls, too."
        ),
        "%",
    ),
    "average_pct": Definition(
        _("Average"),
        _("Mean share of the criterion's points. Calls to which it does not apply count with full points."),
        "%",
    ),
    "evaluated_pct": Definition(
        _("Points earned"),
        _("Mean share of the criterion's points over the evaluated calls, to which the criterion applies."),
        "%",
    ),
    "points_lost": Definition(
        _("Score points lost"),
        _(
            "How many of 100 points that the scored calls could earn they lost by this criterion. All "
            "criteria together lose what weighted compliance lacks to 100 %."
        ),
    ),
    "average_score_change": Definition(
        _("Score change"),
        _(
            "The average score less that of the period of the same length just before, in percentage points. "
            "Gray where either has fewer than 10 scored calls."
        ),
    ),
    "delta_pct": Definition(
        _("Change"),
        _("Compared with the period of the same length just before, in percentage points."),
    ),
    "critical_errors": Definition(
        _("Critical errors"),
        _(
            "Calls in which this criterion was a critical error: it is marked critical and earned zero. A "
            "criterion that is not critical has a dash."
        ),
    ),
    "evaluated_calls": Definition(
        _("Evaluated"), _("Calls that the criterion applies to and that were judged.")
    ),
    "not_applicable_calls": Definition(
        _("Not appl."),
        _("Calls that the criterion does not apply to. They get full points."),
    ),
    "previous_calls": Definition(
        _("Before"),
        _("Calls to which the criterion applied in the period of the same length just before."),
    ),
    "criterion_calls": Definition(_("Calls"), _("Calls with this criterion.")),
    "volume_pct": Definition(_("Share"), _("Of the calls in this period that have a contact reason."), "%"),
    "customer_critical": Definition(
        _("Customer-critical accuracy"),
        _(
            "Scored calls without an error that fails the customer, as a share of those of "
            "projects that look for one."
        ),
        "%",
    ),
    "business_critical": Definition(
        _("Business-critical accuracy"),
        _(
            "Scored calls without an error that costs the business, as a share of those of "
            "projects that look for one."
        ),
        "%",
    ),
    "compliance_critical": Definition(
        _("Compliance-critical accuracy"),
        _(
            "Scored calls without an error against rules or law, as a share of those of "
            "projects that look for one."
        ),
        "%",
    ),
    "non_critical": Definition(
        _("Non-critical accuracy"),
        _(
            "Criteria that are not critical and in no class of critical errors, and earned full "
            "points, as a share of all such criteria evaluated."
        ),
        "%",
    ),
}
