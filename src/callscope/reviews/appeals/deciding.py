"""Another person accepts or refuses an appeal. Call in a transaction that holds the project's lock."""

from typing import Literal

from django.utils import timezone

from callscope.accounts.models import User
from callscope.analysis.models import results_removed
from callscope.calls.models import Call
from callscope.calls.own_calls import is_own_call
from callscope.messages.message import Message, MessageError
from callscope.reviews.answers import GivenAnswer, InvalidReview
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.filing import check_reason
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview, ReviewConflict, create_review, read_answers

Decision = Literal["accepted", "refused"]
DECISIONS: tuple[Decision, ...] = ("accepted", "refused")


class OwnJudgement(MessageError):
    """Who judged, or appeals, does not decide about it."""


def require_impartial(appeal: Appeal, by: User) -> None:
    """Raise OwnJudgement for the reviewer whose answers are appealed, and for the agent's users."""
    current = Review.objects.filter(call=appeal.call_id, is_current=True).first()
    judges = {appeal.review.reviewer_id if appeal.review else None}
    # A revision that followed an appeal holds the answers of the reviewer before it, but for one.
    if current is not None and not Appeal.objects.filter(new_review=current).exists():
        judges.add(current.reviewer_id)
    if by.pk in judges:
        raise OwnJudgement(Message("appeal_by_reviewer"))
    if by.pk == appeal.appellant_id or is_own_call(by, appeal.call):
        raise OwnJudgement(Message("appeal_by_appellant"))


def decide_appeal(
    appeal: Appeal, decision: Decision, reason: str, answer: str | None, by: User
) -> Review | None:
    """Decide the appeal; return the new revision of an accepted one.

    Raises OwnJudgement, ReviewConflict for one that is decided or whose call lost its results, and
    InvalidReview for reason or answer.
    """
    require_impartial(appeal, by)
    if appeal.state != Appeal.State.OPEN:
        raise ReviewConflict(Message("appeal_is_decided", value=appeal.pk, state=appeal.state))
    if Call.objects.filter(results_removed("pk"), pk=appeal.call_id).exists():
        raise ReviewConflict(Message("appeal_without_results"))
    text = check_reason(reason)
    if decision == "refused" and answer:
        raise InvalidReview("answer", "answer_of_refusal", value=str(answer)[:80])
    review = None
    if decision == "accepted":
        appeal.new_answer = answer or "met"
        review = _revise(appeal, text, by)
        appeal.new_review = review
    appeal.state, appeal.decision_reason = Appeal.State(decision), text
    appeal.decided_at, appeal.decided_by = timezone.now(), by
    appeal.save(
        update_fields=["state", "decision_reason", "decided_at", "decided_by", "new_answer", "new_review"]
    )
    return review


def _revise(appeal: Appeal, reason: str, by: User) -> Review:
    """Make the revision with the new answer; all other answers stay as they count."""
    current = Review.objects.filter(call=appeal.call_id, is_current=True).first()
    answers = {each.criterion_id: each for each in read_answers(current)} if current else {}
    answers[appeal.criterion_id] = GivenAnswer(appeal.criterion_id, appeal.new_answer, reason)
    given = GivenReview(
        answers=list(answers.values()),
        comment=current.comment if current else "",
        submits=True,
        is_partial=True,
        keeps_findings=True,
    )
    review = create_review(appeal.call, given, by)
    if not review.answers.filter(criterion_id=appeal.criterion_id).exists():
        raise ReviewConflict(Message("appeal_outdated", value=appeal.pk, criterion=appeal.criterion_id))
    return review
