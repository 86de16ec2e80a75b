"""Open, close and settle calibrations: one transaction each, under the lock of the project."""

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.contact_reasons.following import follow_reviews
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.decisions.review_edits import refresh_reports
from callscope.projects.locking import get_locked_project
from callscope.reviews import revisions
from callscope.reviews.calibration import sessions
from callscope.reviews.calibration.settlement import Chosen, settle_answers
from callscope.reviews.models import Calibration


def open_calibration(project_id: int, plan: sessions.CalibrationPlan, by: User) -> Calibration:
    """Open a calibration. Raises InvalidCalibration and Project.DoesNotExist."""
    return run_in_transaction(lambda: sessions.open_calibration(get_locked_project(project_id), plan, by))


def close_calibration(calibration_id: int, by: User) -> Calibration:
    """Close a calibration; one that was closed before stays as it is. Raises Calibration.DoesNotExist."""

    def work() -> Calibration:
        calibration = _lock(calibration_id)
        sessions.close_calibration(calibration, by)
        return calibration

    return run_in_transaction(work)


def settle_calibration(calibration_id: int, chosen: Chosen, by: User) -> Calibration:
    """Make the settled answers the reviews of the calls, and let results and reports follow.

    Raises InvalidCalibration, CalibrationConflict, InvalidReview and ReviewConflict, and then nothing was
    written; Calibration.DoesNotExist as well.
    """

    def work() -> Calibration:
        calibration = _lock(calibration_id)
        reviews = settle_answers(calibration, chosen)
        calls = Call.objects.select_for_update(of=("self",)).filter(pk__in=list(reviews)).order_by("pk")
        for call in calls:
            review = revisions.create_review(call, reviews[call.pk], by)
            detail = {"review": review.pk, "revision": review.revision, "calibration": calibration.pk}
            audit.record(by, "review.submitted", f"call {call.pk}", project=call.project_id, **detail)
        sessions.mark_settled(calibration, by, calls=len(reviews))
        with follow_reviews(reviews):
            pass
        refresh_reports(list(reviews))
        return calibration

    return run_in_transaction(work)


def _lock(calibration_id: int) -> Calibration:
    project_id = Calibration.objects.values_list("project_id", flat=True).get(pk=calibration_id)
    get_locked_project(project_id)
    return Calibration.objects.select_for_update(of=("self",)).get(pk=calibration_id)
