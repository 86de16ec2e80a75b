"""What the columns of Excel files are called for their readers, in the active language.

CSV files, which programs read, are headed by the field names of the API.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from callscope.reports.overview.glossary import DEFINITIONS

Names = Mapping[str, str | Promise]

#: Columns that are called what they count, by field.
TERMS = {
    name: name
    for name in (
        "total_calls", "analyzed_hours", "average_score", "weighted_compliance", "scored_calls",
        "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct", "calls_with_metadata",
        "weight_pct", "average_pct", "evaluated_pct", "points_lost", "critical_errors", "evaluated_calls",
        "not_applicable_calls", "volume_pct", "average_score_change", "within_noise",
    )
} | {
    "calls": "total_calls",
    "talk_share_pct": "talk_share",
    "longest_monologue_seconds": "longest_monologue",
    "silence_seconds": "silence_over_3",
    "agent_interruptions": "interruptions",
    "hold_seconds": "hold",
}  # fmt: skip
NAMES: Names = {
    "agent": gettext_lazy("Agent"),
    "agent_external_id": gettext_lazy("ID of the agent in your systems"),
    "agent_id": gettext_lazy("ID of the agent"),
    "agent_words_per_minute": gettext_lazy("Speech rate, words/min"),
    "average_score_difference": gettext_lazy("Average score less that of the other agents"),
    "call_datetime": gettext_lazy("Time (UTC)"),
    "call_id": gettext_lazy("ID of the call"),
    "caller_number": gettext_lazy("Caller number"),
    "calls_with_reason": gettext_lazy("Calls with a reason"),
    "campaign": gettext_lazy("Campaign"),
    "change_pct": gettext_lazy("Change in share"),
    "changed_at": gettext_lazy("Changed at (UTC)"),
    "changed_in_version": gettext_lazy("Changed in version"),
    "course": gettext_lazy("Course of the share"),
    "criterion_id": gettext_lazy("ID of the criterion"),
    "decided_calls": gettext_lazy("Calls evaluated"),
    "delta_pct": gettext_lazy("Change in average"),
    "direction": gettext_lazy("Direction"),
    "duration_seconds": gettext_lazy("Length, s"),
    "evaluated_delta_pct": gettext_lazy("Change in points earned"),
    "figures_hidden": gettext_lazy("Figures hidden because of"),
    "file_name": gettext_lazy("File"),
    "for_person": gettext_lazy("Waits for a person"),
    "goal_reached": gettext_lazy("Goal reached"),
    "has_critical_error": gettext_lazy("Critical error"),
    "has_failed_analysis": gettext_lazy("Analysis failed"),
    "hour": pgettext_lazy("a column", "Hour"),
    "id": gettext_lazy("ID"),
    "is_critical": pgettext_lazy("a column", "Critical"),
    "is_half_heard": gettext_lazy("Unreliable transcript"),
    "is_new": gettext_lazy("New"),
    "is_part": gettext_lazy("Part of a week"),
    "judged_calls": gettext_lazy("Points earned (calls)"),
    "met_pct": gettext_lazy("Points earned"),
    "missing_prompt_count": gettext_lazy("Missed prompts"),
    "mistake_count": gettext_lazy("Mistakes"),
    "name": gettext_lazy("Criterion"),
    "not_met": gettext_lazy("Calls without points"),
    "other_topics": gettext_lazy("Reasons in this row"),
    "outcome_calls": gettext_lazy("Calls with a known outcome"),
    "previous_evaluated_calls": gettext_lazy("Points earned (calls, period before)"),
    "previous_pct": gettext_lazy("Average (period before)"),
    "projects": gettext_lazy("Projects"),
    "reason_id": gettext_lazy("ID of the reason"),
    "reasons": gettext_lazy("Reasons"),
    "results_hidden": gettext_lazy("Results hidden because of"),
    "reviewed": gettext_lazy("Reviewed"),
    "score_percentage": gettext_lazy("Score"),
    "section": gettext_lazy("Section"),
    "sentiment": gettext_lazy("Sentiment"),
    "sentiment_calls": gettext_lazy("Calls with a known sentiment"),
    "share_pct": gettext_lazy("Share of calls"),
    "shift": pgettext_lazy("a column", "Shift"),
    "topic": gettext_lazy("Contact reason"),
    "week": gettext_lazy("Week"),
    "weekday": gettext_lazy("Weekday (0 is Monday)"),
    "weekday_name": gettext_lazy("Weekday"),
}
#: Where a table calls a column otherwise.
OF_TABLES: Mapping[str, Names] = {
    "calls": {"id": NAMES["call_id"]},
    "mistakes": {"name": gettext_lazy("Mistake"), "delta_pct": NAMES["change_pct"]},
    "missed-prompts": {"name": gettext_lazy("Prompt"), "delta_pct": NAMES["change_pct"]},
    "reason-groups": {
        "name": gettext_lazy("Parent reason"),
        "reason_id": gettext_lazy("ID of the parent reason"),
    },
    "trend": {"average_score_change": gettext_lazy("Average score less that of the week before")},
}


def name_columns(table: str, head: Sequence[str], others: Mapping[str, str] | None = None) -> list[str]:
    """Return what the columns of a table are called, each in its own words; `others` are those of its own.

    What no name is known of is called what it is: the texts of users stay as they are.
    """
    own = {**NAMES, **OF_TABLES.get(table, {}), **(others or {})}
    named = [_name_column(name, own) for name in head]
    count = Counter(named)
    return [
        f"{heading} ({name})" if count[heading] > 1 and heading != name else heading
        for heading, name in zip(named, head, strict=True)
    ]


def _name_column(name: str, own: Names) -> str:
    if name in own:
        return str(own[name])
    if name in TERMS:
        term = DEFINITIONS[TERMS[name]]
        return term.label if term.unit == "%" else term.heading  # the cells have the sign
    for start, end, text in (
        ("", "_low", _("%(figure)s (95 %% interval from)")),
        ("", "_high", _("%(figure)s (95 %% interval to)")),
        ("previous_", "", _("%(figure)s (period before)")),
        ("mean_", "", _("%(figure)s (average)")),
        ("", "_calls", _("%(figure)s (calls)")),
    ):
        figure = name.removeprefix(start).removesuffix(end)
        if name == f"{start}{figure}{end}" and (figure in own or figure in TERMS):
            return text % {"figure": _name_column(figure, own)}
    return name
