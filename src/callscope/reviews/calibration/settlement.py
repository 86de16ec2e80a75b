"""The answers that people agree on after a calibration: they become the reviews of its calls."""

import datetime as dt
from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from callscope.accounts.models import User
from callscope.messages.message import Message
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.calibration.comparison import propose_answer
from callscope.reviews.calibration.ratings import MACHINE, Given, load_ratings
from callscope.reviews.calibration.sessions import CalibrationConflict, InvalidCalibration
from callscope.reviews.calibration.visibility import reviews_visible_to
from callscope.reviews.models import CalibratedCall, Calibration, Review
from callscope.reviews.revisions import GivenReview

SHOWN = 3  # criteria without an answer that a message names
Chosen = Mapping[tuple[int, str], str]  # call and criterion → answer


class Settled(NamedTuple):
    """What people agreed on, as far as somebody may see it."""

    by: str | None  # None: a user who is gone
    at: dt.datetime
    scores: dict[int, float | None]  # of the review that it became, by call
    answers: dict[tuple[int, str], str]  # by call and criterion


def find_settled(calibration: Calibration, viewer: User) -> Settled | None:
    """Return what was settled; None where nothing is yet.

    A settlement holds the lock of the project, so of each call it made the last review until its moment.
    """
    if calibration.settled_at is None:
        return None
    calls = CalibratedCall.objects.filter(calibration=calibration).values("call")
    reviews = reviews_visible_to(viewer).filter(
        call__in=calls,
        rater__isnull=True,
        reviewer=calibration.settled_by_id,
        submitted_at__gt=calibration.closed_at,
        submitted_at__lte=calibration.settled_at,
    )
    rated = Review.all_objects.filter(
        rater__calibration=calibration, state=Review.State.SUBMITTED, call=OuterRef("call")
    )
    found = reviews.filter(Exists(rated)).order_by("submitted_at", "pk").prefetch_related("answers")
    last = {review.call_id: review for review in found}
    return Settled(
        calibration.settled_by.email if calibration.settled_by else None,
        calibration.settled_at,
        {pk: None if each.score_bp is None else each.score_bp / 100 for pk, each in last.items()},
        {(pk, one.criterion_id): one.answer for pk, each in last.items() for one in each.answers.all()},
    )


def settle_answers(calibration: Calibration, chosen: Chosen) -> dict[int, GivenReview]:
    """Return the review of each rated call: what was chosen, else the expert's answer, else the majority's.

    A quote of somebody who gave that answer goes along. Raises InvalidCalibration where an answer is
    missing or names nothing, CalibrationConflict where the calibration is not closed, or was not rated.
    """
    if calibration.state != Calibration.State.CLOSED:
        raise CalibrationConflict(
            Message("calibration_not_closed", value=calibration.pk, state=calibration.state)
        )
    ratings = load_ratings(calibration, None)
    expert = next((rater.place for rater in ratings.raters if rater.is_expert), None)
    open_ones: list[str] = []
    unused = dict(chosen)
    reviews: dict[int, GivenReview] = {}
    for call in ratings.calls:
        if not call.rated_by:
            continue
        answers = []
        for row in call.criteria:
            criterion_id = row.criterion["criterion_id"]
            proposal = propose_answer(row.answers, expert)
            answer = unused.pop((call.call_id, criterion_id), proposal.answer if proposal else "")
            if not answer:
                open_ones.append(f"{criterion_id} ({call.call_id})")
                continue
            answers.append(GivenAnswer(criterion_id, answer, quote=find_quote(row.answers, answer, expert)))
        if answers:
            reviews[call.call_id] = GivenReview(answers, blind=False, submits=True, keeps_findings=True)
    if unused:
        call_id, criterion_id = next(iter(unused))
        raise InvalidCalibration(
            "answers", "settlement_unknown", value=str(criterion_id)[:80], call=str(call_id)[:20]
        )
    if open_ones:
        shown = ", ".join(open_ones[:SHOWN]) + (", …" if len(open_ones) > SHOWN else "")
        raise InvalidCalibration("answers", "settlement_incomplete", value=shown, count=len(open_ones))
    if not reviews:
        raise CalibrationConflict(Message("calibration_without_ratings", value=calibration.pk))
    return reviews


def find_quote(answers: Mapping[int, Given], answer: str, expert: int | None) -> str:
    """Return the words that the expert, or the first person with this answer, quoted for it."""
    people = sorted((place for place in answers if place != MACHINE), key=lambda each: (each != expert, each))
    quoted = (answers[place].quote for place in people if answers[place].answer == answer)
    return next((quote for quote in quoted if quote), "")
