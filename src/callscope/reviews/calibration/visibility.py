"""Who may see which reviews while a calibration is open.

Nobody sees another person's rating before the calibration is closed. A rater sees of its calls nothing that
could sway a rating: no review of anybody else, no answers of the machine, no score, and no appeal.
"""

from functools import lru_cache
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from callscope.accounts.models import User
from callscope.analysis.models import results_removed
from callscope.db.compiled import CompiledQuery, compile_query, stand_ins
from callscope.reviews.models import CalibratedCall, Calibration, CalibrationRater, Review

OPEN = Calibration.State.OPEN


def find_rater(call_id: int, user: User) -> CalibrationRater | None:
    """Return for which place in an open calibration a user rates this call; None: no calibration has it.

    In several of them, the first in which the call is not rated yet, else the newest.
    """
    held = CalibratedCall.objects.filter(~results_removed(), call=call_id, calibration__state=OPEN)
    places = list(
        CalibrationRater.objects.filter(user=user, calibration__in=held.values("calibration")).order_by("pk")
    )
    submitted = Review.all_objects.filter(call=call_id, rater__in=places, state=Review.State.SUBMITTED)
    rated = set(submitted.values_list("rater_id", flat=True)) if len(places) > 1 else set()
    return next((place for place in places if place.pk not in rated), places[-1] if places else None)


class OpenPlace(NamedTuple):
    """An open calibration in which a user rates a call: its form is the rating until it is closed."""

    calibration_id: int
    is_rated: bool


def list_open_places(user: User) -> dict[int, OpenPlace]:
    """Return for each call that a user rates in open calibrations the place of find_rater()."""
    found: dict[int, OpenPlace] = {}
    for call_id, calibration_id, is_rated in compile_places().fetch([user.pk]):
        if call_id not in found or found[call_id].is_rated:
            found[call_id] = OpenPlace(calibration_id, bool(is_rated))
    return found


@lru_cache(maxsize=1)
def compile_places() -> CompiledQuery:
    """Return the query for the calls that one user rates in open calibrations; every list asks it."""
    [user] = stand_ins(1)
    # A rater may have a hundred ratings, a call has few: the sum keeps SQLite from looking among the former.
    rated = Review.all_objects.alias(by=F("rater_id") + 0).filter(
        call=OuterRef("calibration__calls__call"), by=OuterRef("pk"), state=Review.State.SUBMITTED
    )
    places = CalibrationRater.objects.filter(
        ~results_removed("calibration__calls__call"),
        user=user,
        calibration__state=OPEN,
        calibration__calls__isnull=False,
    ).order_by("pk")
    return compile_query(places.values_list("calibration__calls__call", "calibration_id", Exists(rated)))


def find_rated(user: User) -> QuerySet[CalibratedCall, tuple[int]]:
    """Return the query for the calls that the user rates in open calibrations, by their ids."""
    places = CalibratedCall.objects.filter(
        ~results_removed(), calibration__state=OPEN, calibration__raters__user=user
    )
    return places.order_by().values_list("call")


def list_unrated(rater: CalibrationRater, call_id: int) -> list[int]:
    """Return the other calls that a rater has still to rate: those after this call first."""
    submitted = Review.all_objects.filter(rater=rater, state=Review.State.SUBMITTED)
    calls = CalibratedCall.objects.filter(~results_removed(), calibration=rater.calibration_id)
    calls = calls.order_by("position")
    ids = list(calls.values_list("call_id", flat=True))
    place = ids.index(call_id) if call_id in ids else 0
    rated = set(submitted.values_list("call_id", flat=True)) | {call_id}
    return [each for each in ids[place:] + ids[:place] if each not in rated]


def is_blinded(call_id: int, user: User) -> bool:
    """True if the user is a rater of this call in an open calibration."""
    places = CalibratedCall.objects.filter(~results_removed(), call=call_id, calibration__state=OPEN)
    return places.filter(calibration__raters__user=user).exists()


def list_blinded_calls(user: User) -> frozenset[int]:
    """Return the calls that the user rates in open calibrations."""
    return frozenset(list_open_places(user))


def reviews_visible_to(user: User) -> QuerySet[Review]:
    """Return the reviews and ratings that a user who may write their project may see."""
    rated = CalibratedCall.objects.filter(calibration__state=OPEN, calibration__raters__user=user)
    return Review.all_objects.filter(
        Q(rater__isnull=True) | ~Q(rater__calibration__state=OPEN) | Q(rater__user=user),
        ~Q(call__in=rated.values("call")) | Q(reviewer=user),
    )
