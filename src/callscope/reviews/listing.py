"""Reviews as people read them: the API and the pages show these rows."""

import datetime as dt
from collections.abc import Iterable
from typing import Any, TypedDict

from callscope.analysis.evidence import format_time
from callscope.reviews.criteria import StoredCriterion
from callscope.reviews.models import Calibration, Review, ReviewAnswer, ReviewFinding
from callscope.reviews.placements.listing import AgentRow, ReasonRow, describe_agent, describe_reason
from callscope.reviews.results import MILLION

# What the rows of reviews show of other tables.
SHOWN_WITH = ("answers", "findings", "placements__agent", "placements__machine_agent")


class AnswerRow(TypedDict):
    """One answer as it is shown."""

    criterion_id: str
    name: str
    section: str
    answer: str
    comment: str
    quote: str  # "[MM:SS] text", "" without one
    quote_start: float | None
    speaker: str | None
    score: float
    max_points: float
    machine_answer: str | None  # None: not evaluated, or hidden in a blind draft


class FindingRow(TypedDict):
    """One finding as it is shown."""

    kind: str
    id: str  # of a mistake or prompt, else ""
    description: str
    answer: str
    comment: str
    quote: str  # "[MM:SS] text", "" without one
    quote_start: float | None
    speaker: str | None
    machine_answer: str | None  # None: it could not tell, or hidden in a blind draft
    is_outdated: bool


class ReviewRow(TypedDict):
    """One revision as it is shown."""

    id: int
    call_id: int
    reviewer: str | None  # e-mail; None: the user is gone
    revision: int
    state: str
    blind: bool
    created_at: dt.datetime
    submitted_at: dt.datetime | None
    withdrawn_at: dt.datetime | None
    comment: str
    criteria: list[AnswerRow]
    findings: list[FindingRow]
    agent: AgentRow | None  # None: the review leaves the call to the agent that it has
    contact_reason: ReasonRow | None
    total_points: float | None
    max_possible_points: float | None
    score_percentage: float | None
    has_critical_error: bool
    is_current: bool  # the last submission, not withdrawn
    is_outdated: bool
    outdated_criteria: list[str]
    calibration_id: int | None  # of a rating


def list_reviews(reviews: Iterable[Review]) -> list[ReviewRow]:
    """Return the rows of these reviews, fetched with reviewer, calibration and SHOWN_WITH."""
    return [describe_review(review) for review in reviews]


def describe_review(review: Review) -> ReviewRow:
    """Return the row of one review. Blind drafts and ratings keep the machine's answers hidden."""
    stored: list[StoredCriterion] = review.criteria
    criteria = {each["criterion_id"]: each for each in stored}
    calibration = review.rater.calibration if review.rater is not None else None
    is_open = calibration is not None and calibration.state == Calibration.State.OPEN
    is_hidden = is_open or (review.blind and review.state == Review.State.DRAFT)
    answers = sorted(review.answers.all(), key=lambda answer: answer.position)
    return {
        "id": review.pk,
        "call_id": review.call_id,
        "reviewer": review.reviewer.email if review.reviewer else None,
        "revision": review.revision,
        "state": review.state,
        "blind": review.blind,
        "created_at": review.created_at,
        "submitted_at": review.submitted_at,
        "withdrawn_at": review.withdrawn_at,
        "comment": review.comment,
        "criteria": [
            _describe_answer(answer, criteria[answer.criterion_id], is_hidden=is_hidden) for answer in answers
        ],
        "findings": [
            _describe_finding(finding, is_hidden=is_hidden)
            for finding in sorted(review.findings.all(), key=lambda finding: finding.position)
        ],
        "agent": describe_agent(review.placements.all(), is_hidden=is_hidden),
        "contact_reason": describe_reason(review.placements.all(), is_hidden=is_hidden),
        "total_points": _as_points(review.total_points),
        "max_possible_points": _as_points(review.max_points),
        "score_percentage": None if review.score_bp is None else review.score_bp / 100,
        "has_critical_error": review.has_critical_error,
        "is_current": review.is_current,
        "is_outdated": review.is_outdated,
        "outdated_criteria": review.outdated_criteria,
        "calibration_id": None if calibration is None else calibration.pk,
    }


def _describe_answer(answer: ReviewAnswer, criterion: StoredCriterion, *, is_hidden: bool) -> AnswerRow:
    return {
        "criterion_id": answer.criterion_id,
        "name": criterion["name"],
        "section": criterion["section"],
        "answer": answer.answer,
        "comment": answer.comment,
        "quote": _show_quote(answer),
        "quote_start": answer.quote_start,
        "speaker": answer.speaker or None,
        "score": answer.points / MILLION,
        "max_points": answer.max_points / MILLION,
        "machine_answer": None if is_hidden else answer.machine_answer or None,
    }


def _describe_finding(finding: ReviewFinding, *, is_hidden: bool) -> FindingRow:
    return {
        "kind": finding.kind,
        "id": finding.item_id,
        "description": finding.description,
        "answer": finding.answer,
        "comment": finding.comment,
        "quote": _show_quote(finding),
        "quote_start": finding.quote_start,
        "speaker": finding.speaker or None,
        "machine_answer": None if is_hidden else finding.machine_answer or None,
        "is_outdated": finding.is_outdated,
    }


def _show_quote(said: ReviewAnswer | ReviewFinding) -> str:
    return said.quote if said.quote_start is None else f"{format_time(said.quote_start)} {said.quote}"


def _as_points(millionths: Any) -> float | None:
    return None if millionths is None else round(millionths / MILLION, 2)
