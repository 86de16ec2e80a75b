"""What one judgment of a call finds besides its score: goal, reason, mistakes, prompts, trackers, questions.

Kept are ids and outcomes out of a closed set, no word of the call: of a question, only whether an answer or
a passage was found. The wording of an answer is about the call, and a language model words it differently
each time.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, TypedDict

from callscope.analysis.models import CallAnalysis
from callscope.analysis.results.findings import Findings
from callscope.analysis.results.messages import sentence
from callscope.language.tokens import LANGUAGES
from callscope.pipeline.models import Replay, ReplayedCall
from callscope.projects.configuration import Configuration

Kind = Literal["goal", "reason", "mistakes", "prompts", "trackers", "questions"]
#: What is compared → the setting that decides it.
KINDS: dict[Kind, str] = {
    "goal": "goal",
    "reason": "contact_reasons",
    "mistakes": "no_protocol",
    "prompts": "no_protocol",
    "trackers": "trackers",
    "questions": "custom_questions",
}
REACHED, MISSED, UNKNOWN = "reached", "missed", "unknown"
GOAL_STATES = {True: REACHED, False: MISSED, None: UNKNOWN}


class Besides(TypedDict, total=False):
    """What was found; a kind that could not be judged is left out."""

    goal: str
    reason: str  # of a predefined list, "" where none fits; left out where reasons are grouped
    mistakes: list[str]
    prompts: list[str]  # that were missed
    trackers: list[str]  # that found something
    questions: list[int]  # that something was found for, by their places in the settings


class BesidesPair(TypedDict):
    """Both judgments of one call."""

    before: Besides
    after: Besides


def read_findings(found: Findings, config: Configuration) -> Besides:
    """Return what a fresh judgment by these settings found."""
    return _read(config, found.insights, found.no_protocol, found.custom_questions)


def read_stored(live: CallAnalysis, config: Configuration) -> Besides:
    """Return what the machine found in a call, as it is stored by settings that judge like these."""
    return _read(
        config, live.read_machine("insights"), live.read_machine("no_protocol"), live.custom_questions
    )


def load_pairs(replay: Replay, call_ids: Collection[int]) -> dict[int, BesidesPair]:
    """Return what was found in these calls, of those that have it."""
    rows = ReplayedCall.objects.filter(replay=replay, call__in=call_ids, answers__isnull=False)
    stored: Iterable[tuple[int, Any]] = rows.values_list("call", "answers")
    return {call_id: answers["besides"] for call_id, answers in stored if "besides" in answers}


def _read(
    config: Configuration,
    insights: Mapping[str, Any] | None,
    no_protocol: Mapping[str, Any] | None,
    custom_questions: Mapping[str, Any] | None,
) -> Besides:
    protocol = config.no_protocol
    found: Besides = {}
    if insights is not None:
        found["goal"] = GOAL_STATES.get(insights.get("goal_reached"), UNKNOWN)
        if config.contact_reasons.mode == "predefined":
            code = insights.get("contact_reason_code") or ""
            found["reason"] = code if code in {each.code for each in config.contact_reasons.codes} else ""
        found["trackers"] = _list_ids(insights.get("trackers"), {each.id for each in config.trackers})
    if no_protocol is not None or not (protocol.prompts or protocol.mistakes):
        rows = no_protocol or {}
        found["mistakes"] = _list_ids(rows.get("mistakes"), {each.id for each in protocol.mistakes})
        found["prompts"] = _list_ids(rows.get("missing_prompts"), {each.id for each in protocol.prompts})
    if custom_questions is not None or not config.custom_questions:
        answers = (custom_questions or {}).get("answers") or {}
        found["questions"] = [
            place
            for place, question in enumerate(config.custom_questions)
            if _is_answered(answers.get(question) or {})
        ]
    return found


def _list_ids(rows: Any, known: Collection[str]) -> list[str]:
    return sorted({str(row.get("id")) for row in rows or []}.intersection(known))


def _is_answered(answer: Mapping[str, Any]) -> bool:
    unknown = {"", *(sentence("not_determined", language) for language in LANGUAGES)}
    return bool(answer.get("quotes")) or (answer.get("answer") or "") not in unknown
