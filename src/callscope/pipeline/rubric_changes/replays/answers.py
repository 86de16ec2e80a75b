"""The answers of one call, as its results carry them, and by a draft."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from callscope.pipeline.rubric_changes.replays.besides import BesidesPair

NOT_EVALUATED = "not_evaluated"


class Answers(TypedDict):
    """What one judgment of a call comes to, without a word of the call."""

    score: float | None  # of 100
    has_critical_error: bool | None  # None: nothing was scored
    criteria: dict[str, str]  # criterion id → answer
    times: NotRequired[dict[str, list[float]]]  # criterion id → when what it quotes is said, in seconds


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
    for row in copc.get("not_evaluated") or []:
        criteria[str(row.get("criterion_id"))] = NOT_EVALUATED
    score = copc.get("score_percentage")
    return {
        "score": None if score is None else float(score),
        "has_critical_error": None if score is None else bool(copc.get("has_critical_error")),
        "criteria": criteria,
        "times": times,
    }


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
