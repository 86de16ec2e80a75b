"""Who has read the results of which call on a page: what they review there later is not blind.

Pages keep the results of a call from a person who is to rate it in an open calibration or to review it
blind, until that is done or the person asks to see them. The API answers as calibrations alone demand.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from callscope.accounts.models import User
from callscope.db.compiled import CompiledQuery, compile_query, stand_ins
from callscope.projects.permissions import writable_by
from callscope.reviews.calibration.visibility import find_rated, list_open_places
from callscope.reviews.models import Review, ReviewSample, SampledCall
from callscope.reviews.reading_records import ResultsRead
from callscope.reviews.sampling.work_list import open_calls


class HiddenCalls(NamedTuple):
    """The calls whose results pages keep from a person."""

    to_rate: frozenset[int]  # in open calibrations
    to_review: frozenset[int]  # blind, and not among those to rate
    rated: frozenset[int] = frozenset()  # of those to rate: in each of their calibrations; it can be repeated

    @property
    def all(self) -> frozenset[int]:
        return self.to_rate | self.to_review

    def among(self, call_ids: Collection[int]) -> "HiddenCalls":
        """Return those of these calls."""
        return HiddenCalls(*(calls.intersection(call_ids) for calls in self))

    def find_work(self, call_id: int) -> str:
        """Return what the person has to do: "review", "rate" or "rate_again"; "" of other calls."""
        if call_id in self.to_rate:
            return "rate_again" if call_id in self.rated else "rate"
        return "review" if call_id in self.to_review else ""


NOTHING_HIDDEN = HiddenCalls(frozenset(), frozenset())


def list_hidden(user: User) -> HiddenCalls:
    """Return the calls whose results the pages keep from the user; two queries, none for each call."""
    places = list_open_places(user)
    waiting = frozenset(call_id for (call_id,) in compile_waiting().fetch([user.pk]))
    rated = frozenset(call_id for call_id, place in places.items() if place.is_rated)
    return HiddenCalls(frozenset(places), waiting.difference(places), rated)


@lru_cache(maxsize=1)
def compile_waiting() -> CompiledQuery:
    """Return the query for the calls that one user is to review blind and did not read."""
    [stand_in] = stand_ins(1)
    user = User(pk=stand_in)
    drawn, drafts = (found.order_by().values_list("call") for found in find_blind_work(user))
    return compile_query(drawn.union(drafts))


def list_hidden_calls(user: User) -> frozenset[int]:
    """Return the calls of list_hidden() alone, in one query: most people have none, on every report."""
    return frozenset(call_id for (call_id,) in compile_hidden().fetch([user.pk]))


@lru_cache(maxsize=1)
def compile_hidden() -> CompiledQuery:
    """Return the query for the calls that one user rates, or is to review blind and did not read."""
    [stand_in] = stand_ins(1)
    user = User(pk=stand_in)
    drawn, drafts = (found.order_by().values_list("call") for found in find_blind_work(user))
    return compile_query(drawn.union(drafts, find_rated(user)))


class BlindWork(NamedTuple):
    """What keeps the results of calls from a person who did not read them."""

    drawn: QuerySet[SampledCall]  # for the person, and not reviewed since
    drafts: QuerySet[Review]  # of the person's blind reviews


def find_blind_work(user: User) -> BlindWork:
    """Return what the user is to review blind and did not read.

    Of projects that the user may write: who may review no more has nothing to wait for.
    """
    projects = writable_by(user).values("pk")
    read = Exists(ResultsRead.objects.filter(call=OuterRef("call"), user=user))
    drafts = Review.objects.filter(reviewer=user, state=Review.State.DRAFT, blind=True, project__in=projects)
    return BlindWork(
        open_calls().filter(~read, reviewer=user, sample__project__in=projects), drafts.filter(~read)
    )


def has_read(call_id: int, user: User) -> bool:
    """True if the user has seen the results of the call on a page."""
    return ResultsRead.objects.filter(call=call_id, user=user).exists()


def find_unblinded(sample: ReviewSample) -> set[int]:
    """Return those calls of the sample still to review whose reviewer has read their results on a page."""
    read = ResultsRead.objects.filter(call=OuterRef("call"), user=OuterRef("reviewer"))
    return set(open_calls().filter(Exists(read), sample=sample).values_list("call", flat=True))


def note_reading(call_id: int, user: User) -> None:
    """Keep that the user sees the results of the call; drafts of theirs are not blind any more."""
    note_readings([call_id], user)


def note_readings(call_ids: Collection[int], user: User) -> None:
    """Keep that the user sees the results of these calls, as note_reading() does of one."""
    ids = list(call_ids)
    known = {call_id for (call_id,) in compile_read(len(ids)).fetch([user.pk, *ids])} if ids else set()
    fresh = set(ids) - known
    if not fresh:
        return
    now = timezone.now()
    with transaction.atomic():
        ResultsRead.objects.bulk_create(
            [ResultsRead(call_id=call_id, user=user, read_at=now) for call_id in sorted(fresh)],
            ignore_conflicts=True,
        )
        drafts = Review.objects.filter(call__in=fresh, reviewer=user, state=Review.State.DRAFT, blind=True)
        drafts.update(blind=False)


@lru_cache(maxsize=128)  # as many as there are rows on a page
def compile_read(count: int) -> CompiledQuery:
    """Return the query for those of so many calls that one user has read."""
    user, *calls = stand_ins(1 + count)
    return compile_query(ResultsRead.objects.filter(user=user, call__in=calls).values_list("call_id"))
