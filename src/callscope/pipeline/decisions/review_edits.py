"""A person reviews a call: one transaction for the review, the reports and the audit trail.

Each function raises InvalidReview or ReviewConflict before anything is written.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.contact_reasons.following import check_placements, follow_reviews
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message
from callscope.projects.locking import get_locked_project, lock_project
from callscope.projects.models import Project
from callscope.reviews import effect, revisions
from callscope.reviews.calibration.visibility import find_rater, is_blinded
from callscope.reviews.models import HeldCriteria, Review
from callscope.reviews.revisions import ReviewConflict


def create_review(call_id: int, given: revisions.GivenReview, by: User) -> Review:
    """Make the next revision of a call, a draft or submitted at once. Raises Call.DoesNotExist as well.

    Of somebody who rates the call in an open calibration it is a rating.
    """

    def work() -> Review:
        call = lock_call(call_id)
        checked = check_placements(call, given)
        review = revisions.create_review(call, checked, by, rater=find_rater(call_id, by))
        if given.submits:
            follow_review(review)
        _record("review.submitted" if given.submits else "review.created", review, by)
        return review

    return run_in_transaction(work)


def change_review(review_id: int, given: revisions.GivenReview, by: User) -> Review:
    """Change a draft, or submit it. Raises Review.DoesNotExist as well."""

    def work() -> Review:
        review = _lock_review(review_id)
        former = review.reviewer_id
        if review.rater_id is None and is_blinded(review.call_id, by):  # its answer would show the machine's
            raise ReviewConflict(Message("review_while_rating", value=review.pk))
        revisions.change_review(review, check_placements(review.call, given, review), by)
        if given.submits:
            follow_review(review)
        _record("review.submitted" if given.submits else "review.changed", review, by, former=former)
        return review

    return run_in_transaction(work)


def withdraw_review(review_id: int, by: User) -> Review:
    """Withdraw a review; one that was withdrawn before stays as it is. Raises Review.DoesNotExist as well."""

    def work() -> Review:
        review = _lock_review(review_id)
        if revisions.withdraw_review(review, by):
            follow_review(review)
            _record("review.withdrawn", review, by)
        return review

    return run_in_transaction(work)


@contextmanager
def follow_settings(project: Project) -> Iterator[None]:
    """Let results and reports follow, in one transaction, what the block changes in a project's settings."""
    with transaction.atomic():
        before = get_locked_project(project.pk).configuration.reviews
        yield
        after = Project.objects.get(pk=project.pk).configuration.reviews
        if before.weak_criteria != after.weak_criteria:
            # The worker brings all calls in line; those that are settled below follow at once.
            HeldCriteria.objects.filter(project=project).update(next_call=0)
        if before.counts != after.counts:
            calls = effect.list_reviewed_calls(project.pk)
            with follow_reviews(calls):
                pass
            refresh_reports(calls)


def follow_review(review: Review) -> None:
    """Let the result of the call and the reports follow its reviews; a rating has no effect."""
    if review.rater_id is not None:
        return
    with follow_reviews([review.call_id]):
        pass
    review.refresh_from_db(fields=list(effect.FITTING))
    refresh_reports([review.call_id])


def refresh_reports(call_ids: list[int]) -> None:
    """Let the reports follow the reviews of these calls."""
    from callscope.reports.store import facts

    facts.refresh(call_ids)


def _record(action: str, review: Review, by: User, *, former: int | None = None) -> None:
    detail: dict[str, int | None] = {} if former in (None, by.pk) else {"former": former}
    for placement in review.placements.all():
        detail[placement.kind] = placement.agent_id if placement.is_agent else placement.reason_id
    if review.rater is not None:
        detail["calibration"] = review.rater.calibration_id
    audit.record(
        by,
        action,
        f"call {review.call_id}",
        project=review.project_id,
        review=review.pk,
        revision=review.revision,
        **detail,
    )


def lock_call(call_id: int) -> Call:
    """Lock project and call, in this order, as the stages do. Raises Call.DoesNotExist."""
    project_id = Call.objects.values_list("project_id", flat=True).get(pk=call_id)
    if lock_project(project_id) is None:
        raise Call.DoesNotExist
    return Call.objects.select_for_update(of=("self",)).get(pk=call_id)


def _lock_review(review_id: int) -> Review:
    call_id = Review.all_objects.values_list("call_id", flat=True).get(pk=review_id)
    lock_call(call_id)
    return Review.all_objects.select_for_update(of=("self",)).get(pk=review_id)
