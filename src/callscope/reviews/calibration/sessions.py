"""Open and close calibrations. Each function runs in the caller's transaction, under the project's lock."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.messages.message import Message, MessageError
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reviews.models import CalibratedCall, Calibration, CalibrationRater

MAX_CALLS = 100
MAX_RATERS = 20


class InvalidCalibration(MessageError):
    """A calibration cannot be like this; str() is one sentence, `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


class CalibrationConflict(MessageError):
    """The calibration is not in a state in which this can be done."""


@dataclass(frozen=True, slots=True)
class CalibrationPlan:
    """What to calibrate. An expert who is not among the raters is one more of them."""

    call_ids: Sequence[int]
    raters: Sequence[str]  # e-mails
    expert: str = ""  # an e-mail; "": nobody
    due: dt.date | None = None


def open_calibration(project: Project, plan: CalibrationPlan, by: User) -> Calibration:
    """Open a calibration of calls with scores. Raises InvalidCalibration."""
    call_ids = check_calls(project, plan.call_ids)
    expert = _find_rater(project, "expert", plan.expert) if plan.expert.strip() else None
    raters: list[User] = []
    for email in plan.raters:
        user = _find_rater(project, "raters", email)
        if user in raters:
            raise InvalidCalibration("raters", "sample_reviewer_twice", value=email[:80])
        raters.append(user)
    if expert is not None and expert not in raters:
        raters.append(expert)
    if not 1 <= len(raters) <= MAX_RATERS:
        raise InvalidCalibration("raters", "calibration_raters", value=len(raters), most=MAX_RATERS)
    calibration = Calibration.objects.create(
        project=project, due=plan.due, created_at=timezone.now(), created_by=by
    )
    CalibrationRater.objects.bulk_create(
        [
            CalibrationRater(calibration=calibration, position=place, user=user, is_expert=user == expert)
            for place, user in enumerate(raters)
        ]
    )
    CalibratedCall.objects.bulk_create(
        [
            CalibratedCall(calibration=calibration, call_id=call_id, position=place)
            for place, call_id in enumerate(call_ids)
        ]
    )
    audit.record(
        by, "calibration.opened", f"calibration {calibration.pk}", project=project.pk, calls=len(call_ids)
    )
    return calibration


def close_calibration(calibration: Calibration, by: User) -> bool:
    """Close an open calibration, so that everybody sees the answers; False: it was closed before."""
    if calibration.state != Calibration.State.OPEN:
        return False
    calibration.state, calibration.closed_at = Calibration.State.CLOSED, timezone.now()
    calibration.save(update_fields=["state", "closed_at"])
    audit.record(by, "calibration.closed", f"calibration {calibration.pk}", project=calibration.project_id)
    return True


def mark_settled(calibration: Calibration, by: User, *, calls: int) -> None:
    """Note that answers were agreed on and became the reviews of the calls."""
    calibration.state, calibration.settled_at = Calibration.State.SETTLED, timezone.now()
    calibration.settled_by = by
    calibration.save(update_fields=["state", "settled_at", "settled_by"])
    subject = f"calibration {calibration.pk}"
    audit.record(by, "calibration.settled", subject, project=calibration.project_id, calls=calls)


def check_calls(project: Project, call_ids: Sequence[int]) -> list[int]:
    """Return the ids in the given order, each once. Raises InvalidCalibration."""
    wanted = list(dict.fromkeys(call_ids))
    if not 1 <= len(wanted) <= MAX_CALLS:
        raise InvalidCalibration("call_ids", "calibration_calls", value=len(wanted), most=MAX_CALLS)
    scored = CallAnalysis.objects.filter(
        project=project, is_live=True, call__in=wanted, copc_state=AnalysisState.COMPLETED
    )
    found = set(scored.values_list("call_id", flat=True))
    missing = [str(call_id) for call_id in wanted if call_id not in found]
    if missing:
        raise InvalidCalibration("call_ids", "calibration_unknown_calls", value=", ".join(missing)[:80])
    return wanted


def _find_rater(project: Project, field: str, email: str) -> User:
    user = User.objects.filter(email__iexact=email.strip(), is_active=True).first()
    if user is None or not permissions.can_write(user, project):
        raise InvalidCalibration(field, "sample_unknown_reviewer", value=email[:80])
    return user
