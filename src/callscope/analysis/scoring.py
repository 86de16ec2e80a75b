"""Turn answers into points. An analyser never gives points, only answers out of a closed set.

Source: docs/analysis.md, "Scoring". Not applicable earns full points; a zero on
a critical criterion is a critical error; a criterion that was not evaluated
counts nowhere.
"""

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from callscope.analysis.evidence import shown
from callscope.analysis.findings import Answer, Judgement
from callscope.projects.configuration import Criterion, Rubric, Section

SMALLEST_POINT = Decimal("0.000001")


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


def points(criterion: Criterion, answer: Answer) -> Decimal:
    """Return the points of an answer. Raises ForbiddenAnswer for one that the criterion does not allow."""
    if answer not in allowed_answers(criterion):
        allowed = ", ".join(allowed_answers(criterion))
        raise ForbiddenAnswer(f'The answer to {criterion.id} is "{answer}". Allowed: {allowed}.')
    if answer in ("met", "not_applicable"):
        return criterion.max_points
    if answer == "partly":
        return (criterion.max_points / 2).quantize(SMALLEST_POINT, ROUND_HALF_EVEN)
    return Decimal(0)


def score(
    rubric: Rubric, judgements: Mapping[str, Judgement], *, rubric_version: int | None
) -> dict[str, Any]:
    """Return the stored `copc` result of one call: every criterion of the rubric, then the totals.

    `judgements` holds one entry a criterion id. Nothing evaluated at all leaves
    the totals null: such a call is not scored.
    """
    scores: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    earned = possible = Decimal(0)
    for section, criterion in rubric.criteria():
        judgement = judgements[criterion.id]
        if judgement.answer is None:
            left_out.append({**_heading(section, criterion), "reason": judgement.reason})
            continue
        got = points(criterion, judgement.answer)
        earned += got
        possible += criterion.max_points
        scores.append(_score_row(section, criterion, judgement, got))
    has_critical_error = any(row["is_critical_error"] for row in scores)
    zeroed = has_critical_error and rubric.on_critical_error == "zero_score"
    percentage = None if not scores else Decimal(0) if zeroed else earned / possible * 100
    return {
        "criterion_scores": scores,
        "not_evaluated": left_out,
        "total_points": number(earned) if scores else None,
        "max_possible_points": number(possible) if scores else None,
        "score_percentage": None
        if percentage is None
        else number(percentage.quantize(Decimal("0.01"), ROUND_HALF_EVEN)),
        "has_critical_error": has_critical_error,
        "rubric_version": rubric_version,
        "on_critical_error": rubric.on_critical_error,
    }


def number(value: Decimal) -> int | float:
    """Return a JSON number: whole ones as int."""
    return int(value) if value == value.to_integral_value() else float(value)


def _heading(section: Section, criterion: Criterion) -> dict[str, Any]:
    return {"criterion_id": criterion.id, "name": criterion.name, "section": section.name}


def _score_row(section: Section, criterion: Criterion, judgement: Judgement, got: Decimal) -> dict[str, Any]:
    applies = judgement.answer != "not_applicable"
    return {
        **_heading(section, criterion),
        "score": number(got),
        "max_points": number(criterion.max_points),
        "applicability": "evaluated" if applies else "not_applicable",
        "answer": judgement.answer,
        "is_critical_error": criterion.critical and applies and got == 0,
        "critical_class": criterion.critical_class,
        "justification": judgement.justification,
        "quote": shown(judgement.quote),
        "quote_start": judgement.quote.start_s if judgement.quote else None,
        "verified": judgement.verified,
    }
