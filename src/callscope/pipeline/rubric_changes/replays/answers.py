"""The answers of one call, as its results carry them, and by a draft."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from callscope.analysis.results.messages import find_sentence
from callscope.language.tokens import LANGUAGES
from callscope.pipeline.rubric_changes.replays.besides import BesidesPair

NOT_EVALUATED = "not_evaluated"
#: Why a criterion is not evaluated: names of the sentences that say so, in analysis.results.messages.
LEFT_OPEN_BY = (
    "half_heard",
    "no_rule",
    "rule_without_phrases",
    "speakers_unknown",
    "speaker_silent",
    "perhaps_said",
    "empty_transcript",
    "unsure_meaning",
    "parts_unsure",
    "order_unknown",
    "pattern_too_slow",
    "unverified",
)


class Answers(TypedDict):
    """What one judgment of a call comes to, without a word of the call."""

    score: float | None  # of 100
    has_critical_error: bool | None  # None: nothing was scored
    criteria: dict[str, str]  # criterion id → answer
    times: NotRequired[dict[str, list[float]]]  # criterion id → when what it quotes is said, in seconds
    left_open: NotRequired[dict[str, str]]  # criterion id → of LEFT_OPEN_BY; not stored by earlier releases


class ReplayedAnswers(TypedDict):
    """Both judgments of one call; None where there is none."""

    before: Answers | None
    after: Answers | None
    is_judged_again: NotRequired[bool]  # `before` was judged for the replay; not stored by earlier releases
    besides: NotRequired[BesidesPair]  # as is_judged_again


def read_answers(copc: Mapping[str, Any] | None) -> Answers | None:
    """Return the answers in a stored or fresh `copc`; None without one."""
    if copc is None:
        return None
    rows = copc.get("criterion_scores") or []
    criteria = {str(row.get("criterion_id")): _read_answer(row) for row in rows}
    times = {str(row.get("criterion_id")): found for row in rows if (found := _read_times(row))}
    left_open = {str(row.get("criterion_id")): _read_reason(row) for row in copc.get("not_evaluated") or []}
    criteria |= dict.fromkeys(left_open, NOT_EVALUATED)
    score = copc.get("score_percentage")
    return {
        "score": None if score is None else float(score),
        "has_critical_error": None if score is None else bool(copc.get("has_critical_error")),
        "criteria": criteria,
        "times": times,
        "left_open": {name: reason for name, reason in left_open.items() if reason},
    }


def is_unreliable(answers: Answers) -> bool:
    """Return whether the transcript was too poor to judge what it lacks."""
    return "half_heard" in answers.get("left_open", {}).values()


def _read_reason(row: Mapping[str, Any]) -> str:
    """Name the sentence that says why a criterion is not evaluated, without its words of the call."""
    return find_sentence(str(row.get("reason") or ""), LEFT_OPEN_BY, LANGUAGES)


def _read_times(row: Mapping[str, Any]) -> list[float]:
    """Return when each quote of an answer begins; none for a quote whose words were removed."""
    quotes = row.get("quotes") or [{"start": row.get("quote_start")}]
    return [float(quote["start"]) for quote in quotes if isinstance(quote.get("start"), int | float)]


def _read_answer(row: Mapping[str, Any]) -> str:
    """Return the answer; imported results have points alone."""
    if row.get("answer"):
        return str(row["answer"])
    if row.get("applicability") == "not_applicable":
        return "not_applicable"
    score, most = float(row.get("score") or 0), float(row.get("max_points") or 0)
    if score <= 0:
        return "not_met"
    return "met" if score >= most else "partly"
