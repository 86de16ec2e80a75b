"""An agent takes back an appeal that nobody has decided. Call in a transaction that holds its lock."""

from django.utils import timezone

from callscope.accounts.models import User
from callscope.messages.message import Message, MessageError
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.revisions import ReviewConflict


class OthersAppeal(MessageError):
    """Another person filed it."""


def withdraw_appeal(appeal: Appeal, by: User) -> None:
    """Withdraw the appeal. Raises OthersAppeal, and ReviewConflict for one that waits no more."""
    if appeal.appellant_id != by.pk:
        raise OthersAppeal(Message("appeal_of_another", value=appeal.pk))
    if appeal.state != Appeal.State.OPEN:
        raise ReviewConflict(Message("appeal_is_decided", value=appeal.pk, state=appeal.state))
    appeal.state, appeal.decided_at = Appeal.State.WITHDRAWN, timezone.now()
    appeal.save(update_fields=["state", "decided_at"])
