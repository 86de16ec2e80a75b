"""Turn answers into points. An analyzer never gives points, only answers out of a closed set.

Source: docs/analysis.md, "Scoring". Not applicable earns full points; a zero on
a critical criterion is a critical error; a criterion that was not evaluated
counts nowhere.
"""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import format_quote
from callscope.analysis.results.findings import Judgment, PartQuote
from callscope.analysis.results.messages import sentence
from callscope.analysis.results.schema import (
    Answer,
    CopcResult,
    CriterionScore,
    JsonNumber,
    NotEvaluated,
    StoredQuote,
    Totals,
)
from callscope.projects.configuration import Configuration, Criterion, Rubric, Section

SMALLEST_POINT = Decimal("0.000001")
MARGIN_DECIMALS = 4


class ForbiddenAnswer(Exception):
    """The criterion does not allow this answer."""


def allowed_answers(criterion: Criterion) -> tuple[Answer, ...]:
    """Return the closed set of answers that a criterion allows."""
    answers: list[Answer] = ["met"]
    if criterion.partial_credit:
        answers.append("partly")
    answers.append("not_met")
    if criterion.can_be_not_applicable:
        answers.append("not_applicable")
    return tuple(answers)


def points_for(criterion: Criterion, answer: Answer) -> Decimal:
    """Return the points of an answer. Raises ForbiddenAnswer for one that the criterion does not allow."""
    if answer not in allowed_answers(criterion):
        allowed = ", ".join(allowed_answers(criterion))
        raise ForbiddenAnswer(f'The answer to {criterion.id} is "{answer}". Allowed: {allowed}.')
    if answer in ("met", "not_applicable"):
        return criterion.max_points
    if answer == "partly":
        return (criterion.max_points / 2).quantize(SMALLEST_POINT, ROUND_HALF_EVEN)
    return Decimal(0)


def explain_unscored(config: Configuration, conversation: Conversation) -> str:
    """Return the sentence why this transcript is left unscored, "" when it is scored."""
    if config.transcript_gate.score_poor or conversation.quality.get("ok", True):
        return ""
    reasons = " ".join(conversation.quality.get("reasons", []))
    return sentence("poor_transcript", conversation.language, reasons=reasons).strip()


def score_call(
    rubric: Rubric, judgments: Mapping[str, Judgment], *, rubric_version: int | None
) -> CopcResult:
    """Return the stored `copc` result of one call: every criterion of the rubric, then the totals.

    `judgments` holds one entry for each criterion id. Where nothing was evaluated
    the totals are null: such a call is not scored.
    """
    scores: list[CriterionScore] = []
    not_evaluated: list[NotEvaluated] = []
    for section, criterion in rubric.criteria():
        judgment = judgments[criterion.id]
        if judgment.answer is None:
            not_evaluated.append(
                {
                    "criterion_id": criterion.id,
                    "name": criterion.name,
                    "section": section.name,
                    "reason": judgment.reason,
                }
            )
            continue
        points = points_for(criterion, judgment.answer)
        scores.append(_score_criterion(section, criterion, judgment, judgment.answer, points))
    totals = add_up(scores, on_critical_error=rubric.on_critical_error)
    return {
        "criterion_scores": scores,
        "not_evaluated": not_evaluated,
        "total_points": totals["total_points"],
        "max_possible_points": totals["max_possible_points"],
        "score_percentage": totals["score_percentage"],
        "has_critical_error": totals["has_critical_error"],
        "rubric_version": rubric_version,
        "on_critical_error": rubric.on_critical_error,
    }


def add_up(scores: Sequence[Mapping[str, Any]], *, on_critical_error: str) -> Totals:
    """Return the totals of judged criteria, stored ones or new; null where nothing was evaluated."""
    # A stored number has at most six decimals, so that its shortest text is exact.
    earned = sum((Decimal(str(row["score"])) for row in scores), Decimal(0))
    possible = sum((Decimal(str(row["max_points"])) for row in scores), Decimal(0))
    has_critical_error = any(row.get("is_critical_error") for row in scores)
    percentage = earned / possible * 100 if possible else Decimal(0)
    if has_critical_error and on_critical_error == "zero_score":
        percentage = Decimal(0)
    rounded = percentage.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    return {
        "total_points": as_json_number(earned) if scores else None,
        "max_possible_points": as_json_number(possible) if scores else None,
        "score_percentage": as_json_number(rounded) if scores else None,
        "has_critical_error": has_critical_error,
    }


def as_json_number(value: Decimal) -> JsonNumber:
    """Return a JSON number: whole ones as int."""
    return int(value) if value == value.to_integral_value() else float(value)


def _score_criterion(
    section: Section, criterion: Criterion, judgment: Judgment, answer: Answer, points: Decimal
) -> CriterionScore:
    applies = answer != "not_applicable"
    score: CriterionScore = {
        "criterion_id": criterion.id,
        "name": criterion.name,
        "section": section.name,
        "score": as_json_number(points),
        "max_points": as_json_number(criterion.max_points),
        "applicability": "evaluated" if applies else "not_applicable",
        "answer": answer,
        "is_critical_error": criterion.critical and applies and points == 0,
        "critical_class": criterion.critical_class,
        "justification": judgment.justification,
        "quote": format_quote(judgment.quote),
        "quote_start": judgment.quote.start_s if judgment.quote else None,
        "verified": judgment.verified,
    }
    if judgment.quotes:
        score["quotes"] = [as_stored_quote(quote) for quote in judgment.quotes]
    if judgment.margin is not None:
        score["margin"] = round(judgment.margin, MARGIN_DECIMALS)
    if judgment.asked_again:
        score["asked_again"] = True
    return score


def as_stored_quote(quote: PartQuote) -> StoredQuote:
    """Return a quote of a part as results carry it."""
    return {
        "group": quote.group,
        "text": quote.quote.text,
        "speaker": quote.speaker or None,
        "start": quote.quote.start_s,
    }
