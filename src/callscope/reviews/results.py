"""The points of a review: a person answers, and our own scoring gives the points, as for a machine."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from callscope.analysis.models import CallAnalysis
from callscope.analysis.results.findings import Judgment, Quote
from callscope.analysis.results.schema import Answer, CopcResult
from callscope.analysis.scoring import points_for, score_call
from callscope.projects.configuration import Criterion, Rubric, Section
from callscope.reviews.answers import CheckedAnswer
from callscope.reviews.criteria import StoredCriterion

MILLION = 1_000_000


def score_answers(answers: Sequence[CheckedAnswer], *, on_critical_error: str) -> CopcResult:
    """Return the result that these answers make."""
    rubric = Rubric.model_construct(
        on_critical_error="zero_score" if on_critical_error == "zero_score" else "flag",
        sections=[_as_section(each.criterion) for each in answers],
    )
    judgments = {
        each.criterion["criterion_id"]: Judgment(
            criterion_id=each.criterion["criterion_id"],
            answer=each.answer,
            justification=each.comment,
            quote=None if each.quote_start is None else Quote(each.quote, each.quote_start),
        )
        for each in answers
    }
    return score_call(rubric, judgments, rubric_version=None)


def answer_points(criterion: StoredCriterion, answer: Answer) -> float:
    """Return the points of an answer that the criterion allows."""
    return float(points_for(_as_section(criterion).criteria[0], answer))


def counts_person(analysis: CallAnalysis) -> bool:
    """Return whether some answer or finding of a person is the result of the call."""
    if analysis.machine_no_protocol is not None or analysis.machine_insights is not None:
        return True
    if analysis.machine_copc is None:
        return False
    return any(row.get("source") == "person" for row in analysis.copc["criterion_scores"])


def is_waiting(analysis: CallAnalysis, criterion_id: str) -> bool:
    """Return whether the machine's answer to the criterion counts nowhere until a person answers."""
    left_open = (analysis.copc or {}).get("not_evaluated") or []
    return any(row.get("for_person") and row["criterion_id"] == criterion_id for row in left_open)


def to_millionths(points: Any) -> int:
    """Return points, a number with six decimals at most, as whole millionths."""
    return int(Decimal(str(points)) * MILLION)


def to_hundredths(percentage: Any) -> int:
    """Return a percentage, rounded to two decimals already, as whole hundredths."""
    return int(Decimal(str(percentage)) * 100)


def _as_section(criterion: StoredCriterion) -> Section:
    """Return a section of the one criterion; a stored one was checked when its rubric was saved."""
    as_configured = Criterion.model_construct(
        id=criterion["criterion_id"],
        name=criterion["name"],
        max_points=Decimal(str(criterion["max_points"])),
        critical=criterion["critical"],
        critical_class=criterion["critical_class"],
        partial_credit="partly" in criterion["allowed"],
        may_not_apply="not_applicable" in criterion["allowed"],
        rule=None,
    )
    return Section.model_construct(name=criterion["section"], criteria=[as_configured])
