"""The trial quota: how many minutes of audio a user may upload. Rules: docs/api.md, "Limits".

An upload is charged by the length that its packets state, which costs no second decoding.
The transcription counts the samples and corrects the charge.
"""

from callscope.accounts.models import User
from callscope.calls.models import UploadedFile
from callscope.messages.message import Message, MessageError
from callscope.transcription.gates import MIN_RECORDING_S

MICROSECONDS = 1_000_000
US_PER_MINUTE = 60 * MICROSECONDS


class TrialQuotaExceeded(MessageError):
    """The upload would exceed the trial quota of its user."""


def charge_upload(user: User, file_type: str, duration_us: int) -> None:
    """Take an upload from the user's quota, inside the caller's transaction. Raise TrialQuotaExceeded."""
    cost_us = _cost_us(file_type, duration_us)
    if not cost_us:
        return
    payer = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if payer.trial_quota_us is not None and payer.trial_used_us + cost_us > payer.trial_quota_us:
        left_us = max(0, payer.trial_quota_us - payer.trial_used_us)
        raise TrialQuotaExceeded(
            Message(
                "trial_exceeded",
                minutes=f"{cost_us / US_PER_MINUTE:.2f}",
                left=f"{left_us / US_PER_MINUTE:.2f}",
                quota=f"{payer.trial_quota_us / US_PER_MINUTE:g}",
            )
        )
    payer.trial_used_us += cost_us
    payer.save(update_fields=["trial_used_us"])


def correct_charge(file: UploadedFile, seconds: float) -> None:
    """Charge what a recording really lasts instead of the length that is stored, in the caller's transaction.

    A file that was not charged has no length until the caller stores this one.
    """
    if file.duration_us is None or file.uploaded_by_id is None:
        return
    payer = User.objects.select_for_update(no_key=True).get(pk=file.uploaded_by_id)
    # Another attempt may have stored the counted length since the file was loaded.
    stored_us = UploadedFile.objects.filter(pk=file.pk).values_list("duration_us", flat=True).first()
    if stored_us is None:
        return
    counted_us = round(seconds * MICROSECONDS)
    more_us = _cost_us(file.file_type, counted_us) - _cost_us(file.file_type, stored_us)
    if more_us:
        payer.trial_used_us = max(0, payer.trial_used_us + more_us)
        payer.save(update_fields=["trial_used_us"])


def _cost_us(file_type: str, duration_us: int) -> int:
    """Audio that is too short to be transcribed costs nothing."""
    is_free = file_type == UploadedFile.Type.AUDIO and duration_us < MIN_RECORDING_S * MICROSECONDS
    return 0 if is_free else duration_us
