"""What waits for a person in the projects that the person may write: to review, to rate, to decide."""

import datetime as dt
from collections import Counter
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from callscope.accounts.models import User
from callscope.projects.models import Project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.calibration.visibility import OpenPlace, list_open_places
from callscope.reviews.models import CalibratedCall, Calibration, Review, SampledCall
from callscope.reviews.reading import find_blind_work
from callscope.reviews.sampling.work_list import open_calls

OPEN = Calibration.State.OPEN


class WaitingCall(NamedTuple):
    """A call that a person has to review, to rate in a calibration, or an appeal to decide."""

    call_id: int
    file_name: str
    project_id: int
    due: dt.date | None
    agent: str  # "" without one
    duration_us: int | None
    calibration_id: int | None = None  # to rate in
    appeal_id: int | None = None  # to decide; without either it is to be reviewed
    samples: tuple[int, ...] = ()  # for which it is to be reviewed, the first due first
    place: OpenPlace | None = None  # in the open calibration that comes before its review
    criterion: str = ""  # that the appeal is about
    hides_appeal: bool = False  # to be reviewed, which is begun: then its appeals are read

    @property
    def seconds(self) -> float | None:
        return None if self.duration_us is None else self.duration_us / 1_000_000


def find_unreviewed(user: User, projects: QuerySet[Project]) -> QuerySet[SampledCall]:
    """Return the calls that were drawn for the person and not reviewed since, a row for each draw."""
    return open_calls().filter(reviewer=user, sample__project__in=projects)


def find_unrated(user: User, projects: QuerySet[Project]) -> QuerySet[CalibratedCall]:
    """Return the calls of open calibrations that the person has still to rate."""
    rated = Review.all_objects.filter(
        call=OuterRef("call"),
        rater__calibration=OuterRef("calibration"),
        rater__user=user,
        state=Review.State.SUBMITTED,
    )
    places = CalibratedCall.objects.filter(
        calibration__state=OPEN, calibration__raters__user=user, calibration__project__in=projects
    )
    return places.filter(~Exists(rated)).distinct()


def find_undecided(user: User, projects: QuerySet[Project]) -> QuerySet[Appeal]:
    """Return the open appeals that the person may read and decide.

    Without those of calls that the person rates or is to review blind: an appeal says how a call was judged.
    """
    return _find_appeals(user, projects).filter(~_has_draft(user))


def find_hidden(user: User, projects: QuerySet[Project]) -> QuerySet[Appeal]:
    """Return the open appeals that the person reads after a blind review that is begun, and was not drawn."""
    return _find_appeals(user, projects).filter(_has_draft(user))


def _find_appeals(user: User, projects: QuerySet[Project]) -> QuerySet[Appeal]:
    """Return those that the person may decide, now or after a draft: see deciding.require_impartial()."""
    judged = Review.objects.filter(call=OuterRef("call"), is_current=True, reviewer=user)
    revised = Appeal.objects.filter(new_review=OuterRef("pk"))
    blinded = CalibratedCall.objects.filter(
        call=OuterRef("call"), calibration__state=OPEN, calibration__raters__user=user
    )
    drawn = find_blind_work(user).drawn.filter(call=OuterRef("call"))
    appeals = Appeal.objects.filter(state=Appeal.State.OPEN, project__in=projects)
    return appeals.exclude(Q(review__reviewer=user) | Q(appellant=user)).filter(
        ~Exists(judged.filter(~Exists(revised))),
        ~Exists(blinded),
        ~Exists(drawn),  # it waits as a call to review
    )


def _has_draft(user: User) -> Exists:
    return Exists(find_blind_work(user).drafts.filter(call=OuterRef("call")))


def count_work_by_project(user: User, projects: QuerySet[Project]) -> dict[int, int]:
    """Return how much waits to be reviewed, rated or decided, by project where any does; three queries."""
    unreviewed = find_unreviewed(user, projects).values_list("sample__project", "call").distinct()
    unrated = find_unrated(user, projects).values_list("calibration__project", "pk")
    begun = find_hidden(user, projects).values_list("project", "call")
    undecided = find_undecided(user, projects).values_list("project", "pk")
    kinds = (unreviewed.union(begun), unrated, undecided)
    return Counter(project for rows in kinds for project, _waits in rows)


def list_waiting(user: User, projects: QuerySet[Project], *, most: int) -> list[WaitingCall]:
    """Return what waits for the person, the first due first, then appeals; four queries."""
    about_call = ("call__agent__name", "call__newest_file__duration_us")
    fields = ("call_id", "call__file_name", "call__project_id")
    drawn = find_unreviewed(user, projects).order_by(
        F("sample__due").asc(nulls_last=True), "sample_id", "position"
    )
    placed = find_unrated(user, projects).order_by(
        F("calibration__due").asc(nulls_last=True), "calibration_id", "position"
    )
    found: dict[int, WaitingCall] = {}
    reviews = drawn.values_list(*fields, "sample__due", *about_call, "sample_id")
    for call_id, name, project_id, due, agent, length, sample in reviews[: 2 * most]:  # several may hold one
        one = WaitingCall(call_id, name, project_id, due, agent or "", length)
        one = found.setdefault(call_id, one)
        found[call_id] = one._replace(samples=(*one.samples, sample))
    ratings = placed.values_list(*fields, "calibration__due", *about_call, "calibration_id", "position")
    rated = [
        WaitingCall(call_id, name, project_id, due, agent or "", length, calibration_id)
        for call_id, name, project_id, due, agent, length, calibration_id, _position in ratings[:most]
    ]
    appealed: dict[object, WaitingCall] = {}
    appeals = (
        _find_appeals(user, projects)
        .annotate(is_hidden=_has_draft(user))
        .order_by("pk")
        .values_list(*fields, *about_call, "pk", "criterion_name", "is_hidden")
    )
    for call_id, name, project_id, agent, length, pk, criterion, is_hidden in appeals[: 2 * most]:
        one = WaitingCall(call_id, name, project_id, None, agent or "", length, hides_appeal=is_hidden)
        if is_hidden:  # of one call alone, and without what it is about
            appealed.setdefault(("call", call_id), one)
        else:
            appealed[pk] = one._replace(appeal_id=pk, criterion=criterion)
    places = list_open_places(user) if found else {}
    drawn_calls = [each._replace(place=places.get(each.call_id)) for each in found.values()]
    by_due = sorted([*drawn_calls, *rated], key=lambda each: each.due or dt.date.max)
    return [*by_due, *appealed.values()][:most]
