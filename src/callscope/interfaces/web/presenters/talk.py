"""Prepare the talk measures of a call for its page: each with its definition, or why it is not known."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.templatetags.formatting import number
from callscope.reports.call_list.call_detail import CallDetail


class TalkMeasure(NamedTuple):
    term: str  # in the glossary
    value: float | None
    decimals: int
    reason: str  # why there is no value
    note: str = ""


def list_talk_measures(detail: CallDetail) -> list[TalkMeasure]:
    """Return the measures; none for a call without a transcript."""
    talk = detail.talk
    if talk is None:
        return []
    reasons = {name: explain_unknown(code) for name, code in (talk.get("unknown") or {}).items()}
    speakers = {"agent": _("by the agent"), "customer": _("by the customer")}
    pace = _("words/min") if talk.get("agent_words_per_minute") is not None else ""
    silences = talk["silences"]
    pauses = ""
    if silences:
        pauses = ngettext("%(count)s silence", "%(count)s silences", silences) % {"count": number(silences)}

    def measure(term: str, name: str, decimals: int, note: str = "") -> TalkMeasure:
        value: float | None = talk.get(name)  # type: ignore[assignment]
        return TalkMeasure(
            term, value, decimals, reasons.get(name, _("Not measured in this recording.")), note
        )

    return [
        measure("talk_share", "talk_share_pct", 0),
        measure(
            "longest_monologue",
            "longest_monologue_seconds",
            0,
            speakers.get(talk["longest_monologue_speaker"] or "", ""),
        ),
        measure("silence_over_3", "silence_seconds", 0, f"· {pauses}" if pauses else ""),
        measure("interruptions", "agent_interruptions", 0),
        measure("speech_rate", "agent_words_per_minute", 0, pace),
        measure("hold", "hold_seconds", 0),
    ]


def explain_unknown(code: str) -> str:
    """Return why a measure is not known, as a sentence."""
    return {
        "no_speech": _("Nobody speaks in this transcript."),
        "speakers_unknown": _("The speakers cannot be distinguished in this recording."),
        "one_speaker": _("Only one side speaks."),
        "no_overlap_in_cues": _("The subtitles follow each other, so that overlaps cannot be seen."),
        "too_little_speech": _("The agent speaks for less than 5 seconds."),
        "words_unknown": _("It is unknown what was said."),
        "language_unknown": _("Hold phrases are only known in English and Spanish."),
    }.get(code, _("Not measured in this recording."))
