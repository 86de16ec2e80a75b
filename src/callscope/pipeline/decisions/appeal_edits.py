"""An agent appeals, withdraws, acknowledges, another person decides: in one transaction with all figures.

Each function raises InvalidReview, ReviewConflict or OwnJudgement before anything is written.
"""

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.decisions.review_edits import follow_review, lock_call
from callscope.reviews.appeal_records import Acknowledgement, Appeal
from callscope.reviews.appeals import deciding, filing, mails, withdrawing


def file_appeal(call_id: int, criterion_id: str, reason: str, by: User) -> Appeal:
    """Appeal one criterion of a call. Raises Call.DoesNotExist as well."""

    def work() -> Appeal:
        appeal = filing.file_appeal(lock_call(call_id), criterion_id, reason, by)
        _record("appeal.filed", appeal, by)
        mails.announce_appeal(appeal)
        return appeal

    return run_in_transaction(work)


def decide_appeal(
    appeal_id: int, decision: deciding.Decision, reason: str, answer: str | None, by: User
) -> Appeal:
    """Accept the appeal, which makes a new revision, or refuse it. Raises Appeal.DoesNotExist as well."""

    def work() -> Appeal:
        lock_call(Appeal.objects.values_list("call_id", flat=True).get(pk=appeal_id))
        appeal = Appeal.objects.select_for_update(of=("self",)).get(pk=appeal_id)
        review = deciding.decide_appeal(appeal, decision, reason, answer, by)
        if review is not None:
            follow_review(review)
        _record(f"appeal.{appeal.state}", appeal, by)
        mails.announce_decision(appeal)
        return appeal

    return run_in_transaction(work)


def withdraw_appeal(appeal_id: int, by: User) -> Appeal:
    """Take back an appeal that waits. Raises OthersAppeal and Appeal.DoesNotExist as well."""

    def work() -> Appeal:
        lock_call(Appeal.objects.values_list("call_id", flat=True).get(pk=appeal_id))
        appeal = Appeal.objects.select_for_update(of=("self",)).get(pk=appeal_id)
        withdrawing.withdraw_appeal(appeal, by)
        _record("appeal.withdrawn", appeal, by)
        return appeal

    return run_in_transaction(work)


def acknowledge_review(call_id: int, by: User) -> Acknowledgement:
    """Note that the agent has read the review that stands. Raises Call.DoesNotExist as well."""

    def work() -> Acknowledgement:
        call = lock_call(call_id)
        found = filing.acknowledge_review(call, by)
        audit.record(
            by,
            "review.acknowledged",
            f"call {call_id}",
            project=call.project_id,
            review=found.review_id,
        )
        return found

    return run_in_transaction(work)


def _record(action: str, appeal: Appeal, by: User) -> None:
    audit.record(
        by,
        action,
        f"call {appeal.call_id}",
        project=appeal.project_id,
        appeal=appeal.pk,
        criterion=appeal.criterion_id,
    )
