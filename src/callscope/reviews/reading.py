"""Who has read the results of which call on a page: what they review there later is not blind."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.reviews.models import Review
from callscope.reviews.reading_records import ResultsRead
from callscope.reviews.sampling.work_list import open_calls


def has_read(call_id: int, user: User) -> bool:
    """True if the user has seen the results of the call on a page."""
    return ResultsRead.objects.filter(call=call_id, user=user).exists()


def note_reading(call_id: int, user: User) -> None:
    """Keep that the user sees the results of the call; drafts of theirs are not blind any more."""
    if has_read(call_id, user):
        return
    with transaction.atomic():
        ResultsRead.objects.get_or_create(call_id=call_id, user=user, defaults={"read_at": timezone.now()})
        drafts = Review.objects.filter(call=call_id, reviewer=user, state=Review.State.DRAFT, blind=True)
        drafts.update(blind=False)


def hides_results(call: Call, user: User) -> bool:
    """True if the user is to review the call blind, for a draw or in a draft, and did not see the results."""
    return bool(list_hidden([call.pk], user))


def list_hidden(call_ids: Collection[int], user: User) -> set[int]:
    """Return those of the calls that the user is to review blind, and whose results they did not see."""
    drawn = open_calls().filter(reviewer=user, call__in=call_ids)
    drafts = Review.objects.filter(reviewer=user, call__in=call_ids, state=Review.State.DRAFT, blind=True)
    found = {*drawn.values_list("call_id", flat=True), *drafts.values_list("call_id", flat=True)}
    read = ResultsRead.objects.filter(user=user, call__in=found) if found else ResultsRead.objects.none()
    return found - set(read.values_list("call_id", flat=True))
