"""An agent appeals a criterion of a call, or acknowledges its review. Call in a transaction."""

import datetime as dt

from django.utils import timezone

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.db.limits import is_storable
from callscope.messages.message import Message
from callscope.reviews.answers import SHOWN, InvalidReview
from callscope.reviews.appeal_records import Acknowledgement, Appeal
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, list_criteria
from callscope.reviews.models import Review
from callscope.reviews.results import counts_person, is_waiting
from callscope.reviews.revisions import ReviewConflict

MAX_REASON = 5000


def file_appeal(call: Call, criterion_id: str, reason: str, by: User) -> Appeal:
    """Appeal one criterion of what counts for the call.

    Raises InvalidReview for the criterion or the reason, and ReviewConflict for a call without scores,
    a second appeal, or one that comes too late.
    """
    analysis = CallAnalysis.objects.filter(call=call, is_live=True).first()
    criteria = list_criteria(analysis, KnownCriteria(call.project)) if analysis else []
    if analysis is None or not criteria:
        raise ReviewConflict(Message("review_without_scores", value=call.pk))
    criterion = next((each for each in criteria if each["criterion_id"] == criterion_id), None)
    if criterion is None:
        allowed = ", ".join(each["criterion_id"] for each in criteria)
        raise InvalidReview(
            "criterion_id", "review_unknown_criterion", value=criterion_id[:SHOWN], allowed=allowed
        )
    text = check_reason(reason)
    review = find_counting_review(call, analysis)
    judged_at = review.submitted_at if review else analysis.completed_at
    judged_at = judged_at or call.uploaded_at
    _require_time(call, judged_at)
    _require_no_other(call, criterion, review, judged_at)
    return Appeal.objects.create(
        call=call,
        project_id=call.project_id,
        criterion_id=criterion_id,
        criterion_name=str(criterion["name"])[:255],
        review=review,
        judged_at=judged_at,
        answer="" if is_waiting(analysis, criterion_id) else _read_answer(criterion, review),
        appellant=by,
        reason=text,
        created_at=timezone.now(),
    )


def acknowledge_review(call: Call, by: User) -> Acknowledgement:
    """Note that the agent has read the review that stands; the first time stays. Raises ReviewConflict."""
    review = Review.objects.filter(call=call, is_current=True).first()
    if review is None:
        raise ReviewConflict(Message("nothing_to_acknowledge", value=call.pk))
    found, _ = Acknowledgement.objects.get_or_create(review=review, user=by, defaults={"at": timezone.now()})
    return found


def check_reason(reason: str) -> str:
    """Return the reason without spaces around it. Raises InvalidReview."""
    text = reason.strip()
    if not text:
        raise InvalidReview("reason", "blank_appeal_reason")
    if len(text) > MAX_REASON:
        raise InvalidReview("reason", "long_review_comment", most=MAX_REASON, count=len(text))
    if not is_storable(text):
        raise InvalidReview("reason", "unstorable_review_comment")
    return text


def find_counting_review(call: Call, analysis: CallAnalysis) -> Review | None:
    """Return the review whose answers are the result of the call; None where the machine's are."""
    if not counts_person(analysis):
        return None
    return Review.objects.filter(call=call, is_current=True).first()


def _read_answer(criterion: StoredCriterion, review: Review | None) -> str:
    given = review.answers.filter(criterion_id=criterion["criterion_id"]).first() if review else None
    return given.answer if given is not None else criterion["machine_answer"] or ""


def _require_time(call: Call, judged_at: dt.datetime) -> None:
    days = call.project.configuration.reviews.appeal_days
    end = judged_at + dt.timedelta(days=days)
    if timezone.now() > end:
        raise ReviewConflict(Message("appeal_too_late", value=call.pk, days=days, end=end.date().isoformat()))


def _require_no_other(
    call: Call, criterion: StoredCriterion, review: Review | None, judged_at: dt.datetime
) -> None:
    appeals = Appeal.objects.filter(call=call, criterion_id=criterion["criterion_id"])
    if appeals.filter(state=Appeal.State.OPEN).exists():
        raise ReviewConflict(Message("appeal_is_open", value=criterion["name"]))
    decided = appeals.exclude(state=Appeal.State.WITHDRAWN)
    if decided.filter(review=review, judged_at=judged_at).exists():
        raise ReviewConflict(Message("appeal_was_decided", value=criterion["name"]))
