"""A calibration as the API and the pages show it."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from typing import TypedDict

from django.db.models import BooleanField, ExpressionWrapper

from callscope.accounts.models import User
from callscope.analysis.evidence import format_time
from callscope.analysis.models import results_removed
from callscope.reviews.calibration.comparison import (
    ComparedCriterion,
    Distance,
    compare_raters,
    propose_answer,
    spread_of,
)
from callscope.reviews.calibration.ratings import (
    MACHINE,
    Given,
    RatedCall,
    RatedCriterion,
    Rater,
    load_ratings,
)
from callscope.reviews.models import CalibratedCall, Calibration, CalibrationRater, Review


class RaterRow(TypedDict):
    """One rater; the machine has no e-mail, and a user who is gone has none either."""

    rater: str | None
    is_machine: bool
    is_expert: bool
    rated_calls: int
    compared_answers: int | None  # with the expert, else with the majority of the others; None while open
    different_pct: float | None
    distance_points: float | None


class RatingRow(TypedDict):
    """The answer of one rater."""

    rater: str | None
    is_machine: bool
    answer: str
    score: float
    comment: str
    quote: str


class CallAnswersRow(TypedDict):
    """What was said to one criterion of one call."""

    call_id: int
    answers: list[RatingRow]
    spread_points: float | None
    proposed: str | None  # the expert's answer, else that of the majority


class CriterionRow(TypedDict):
    """One criterion over all calls."""

    criterion_id: str
    name: str
    section: str
    max_points: float
    allowed: list[str]
    n: int
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    pairs: int
    disagreement_pct: float | None
    spread_points: float | None
    calls: list[CallAnswersRow]


class ScoreRow(TypedDict):
    """The score that one rater gave."""

    rater: str | None
    is_machine: bool
    score_percentage: float | None


class CallRow(TypedDict):
    """One call."""

    call_id: int
    file_name: str
    rated_by: int  # people
    scores: list[ScoreRow]
    spread_percentage: float | None  # without a doubtful score of the machine
    criteria: int
    judged_by_machine: int
    is_half_heard: bool
    has_doubtful_machine_score: bool
    results_removed: bool  # by the retention: it cannot be rated


class CalibrationSummary(TypedDict):
    """One calibration without what was answered."""

    id: int
    project_id: int
    state: str
    due: dt.date | None
    created_at: dt.datetime
    created_by: str | None
    closed_at: dt.datetime | None
    settled_at: dt.datetime | None
    calls_count: int
    expected_ratings: int  # of the calls whose results are there
    submitted_ratings: int


class CalibrationRow(CalibrationSummary):
    """One calibration."""

    expert: str | None
    raters: list[RaterRow]
    calls: list[CallRow]
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    people_alpha: float | None
    people_alpha_low: float | None
    people_alpha_high: float | None
    criteria: list[CriterionRow]


def summarize_calibrations(calibrations: Iterable[Calibration]) -> list[CalibrationSummary]:
    """Return the rows of these calibrations, whose maker was fetched with them; three queries."""
    found = list(calibrations)
    raters = Counter(
        CalibrationRater.objects.filter(calibration__in=found).values_list("calibration_id", flat=True)
    )
    listed = CalibratedCall.objects.filter(calibration__in=found)
    listed = listed.annotate(removed=ExpressionWrapper(results_removed(), BooleanField()))
    calls, ratable = Counter[int](), Counter[int]()
    for calibration_id, is_removed in listed.values_list("calibration_id", "removed"):
        calls[calibration_id] += 1
        ratable[calibration_id] += not is_removed
    submitted = Review.all_objects.filter(rater__calibration__in=found, state=Review.State.SUBMITTED)
    rated = submitted.values_list("rater__calibration_id", "rater_id", "call_id").distinct()
    done = Counter(calibration_id for calibration_id, _, _ in rated)
    return [
        {
            "id": each.pk,
            "project_id": each.project_id,
            "state": each.state,
            "due": each.due,
            "created_at": each.created_at,
            "created_by": each.created_by.email if each.created_by else None,
            "closed_at": each.closed_at,
            "settled_at": each.settled_at,
            "calls_count": calls[each.pk],
            "expected_ratings": ratable[each.pk] * raters[each.pk],
            "submitted_ratings": done[each.pk],
        }
        for each in found
    ]


def describe_calibration(calibration: Calibration, viewer: User) -> CalibrationRow:
    """Return one calibration. While it is open the viewer sees only what they answered themselves."""
    is_open = calibration.state == Calibration.State.OPEN
    ratings = load_ratings(calibration, viewer)
    raters, calls = ratings.raters, ratings.calls
    # What the viewer alone answered has no agreement: an open calibration measures nothing.
    in_rubric = [each.id for _, each in calibration.project.configuration.rubric.criteria()]
    found = compare_raters(raters, calls, in_rubric)
    expert = next((rater for rater in raters if rater.is_expert), None)
    return {
        **summarize_calibrations([calibration])[0],
        "expert": expert.email if expert else None,
        "raters": [
            describe_rater(each, calls, None if is_open else found.distances[each.place]) for each in raters
        ],
        "calls": [describe_call(each, raters) for each in calls],
        "alpha": found.alpha.value,
        "alpha_low": found.alpha.low,
        "alpha_high": found.alpha.high,
        "people_alpha": found.people_alpha.value,
        "people_alpha_low": found.people_alpha.low,
        "people_alpha_high": found.people_alpha.high,
        "criteria": [describe_criterion(each, raters) for each in found.criteria],
    }


def describe_rater(rater: Rater, calls: list[RatedCall], distance: Distance | None) -> RaterRow:
    return {
        "rater": rater.email,
        "is_machine": rater.is_machine,
        "is_expert": rater.is_expert,
        "rated_calls": sum(
            rater.place in (call.scores if rater.is_machine else call.rated_by) for call in calls
        ),
        "compared_answers": None if distance is None else distance.answers,
        "different_pct": None if distance is None else distance.different_pct,
        "distance_points": None if distance is None else distance.points,
    }


def describe_call(call: RatedCall, raters: list[Rater]) -> CallRow:
    is_doubtful = call.scores.get(MACHINE) is not None and call.has_doubtful_machine_score
    scores = [
        score
        for place, score in call.scores.items()
        if score is not None and not (is_doubtful and place == MACHINE)
    ]
    return {
        "call_id": call.call_id,
        "file_name": call.file_name,
        "rated_by": len(call.rated_by),
        "scores": [
            {
                "rater": each.email,
                "is_machine": each.is_machine,
                "score_percentage": call.scores[each.place],
            }
            for each in raters
            if each.place in call.scores
        ],
        "spread_percentage": round(max(scores) - min(scores), 2) if len(scores) > 1 else None,
        "criteria": len(call.criteria),
        "judged_by_machine": call.judged_by_machine,
        "is_half_heard": call.is_half_heard,
        "has_doubtful_machine_score": is_doubtful,
        "results_removed": call.results_removed,
    }


def describe_criterion(found: ComparedCriterion, raters: list[Rater]) -> CriterionRow:
    newest = found.rows[-1][1].criterion
    expert = next((rater.place for rater in raters if rater.is_expert), None)
    return {
        "criterion_id": found.criterion_id,
        "name": found.name,
        "section": found.section,
        "max_points": float(newest["max_points"]),
        "allowed": list(newest["allowed"]),
        "n": found.units,
        "alpha": found.alpha.value,
        "alpha_low": found.alpha.low,
        "alpha_high": found.alpha.high,
        "pairs": found.pairs,
        "disagreement_pct": found.disagreement_pct,
        "spread_points": found.spread_points,
        "calls": [describe_answers(call, row, raters, expert) for call, row in found.rows],
    }


def describe_answers(
    call: RatedCall, row: RatedCriterion, raters: list[Rater], expert: int | None
) -> CallAnswersRow:
    proposal = propose_answer(row.answers, expert)
    return {
        "call_id": call.call_id,
        "answers": [
            describe_rating(each, row.answers[each.place]) for each in raters if each.place in row.answers
        ],
        "spread_points": spread_of(row.answers),
        "proposed": proposal.answer if proposal else None,
    }


def describe_rating(rater: Rater, given: Given) -> RatingRow:
    start = given.quote_start
    return {
        "rater": rater.email,
        "is_machine": rater.is_machine,
        "answer": given.answer,
        "score": given.points,
        "comment": given.comment,
        "quote": f"{format_time(start)} {given.quote}" if start is not None else given.quote,
    }
