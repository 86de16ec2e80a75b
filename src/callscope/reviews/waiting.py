"""What waits for a person in the projects that the person may write: to review, to rate, to decide."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from callscope.accounts.models import User
from callscope.analysis.models import results_removed
from callscope.calls.namesakes import label_known
from callscope.projects.models import Project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.calibration.visibility import OpenPlace, list_open_places
from callscope.reviews.models import CalibratedCall, Calibration, Review, SampledCall
from callscope.reviews.reading import find_blind_work
from callscope.reviews.sampling.work_list import open_calls

OPEN = Calibration.State.OPEN
ABOUT_CALL = (
    "call_id",
    "call__file_name",
    "call__project_id",
    "call__agent_id",
    "call__agent__name",
    "call__newest_file__duration_us",
)


class Work(NamedTuple):
    """How much waits for a person."""

    reviews: int = 0  # calls to review
    ratings: int = 0  # calls to rate in calibrations
    both: int = 0  # calls that are among either: rated first, and reviewed once their calibration is closed
    appeals: int = 0  # to decide

    @property
    def rows(self) -> int:
        """Return how many rows list it: a call has one."""
        return self.reviews + self.ratings - self.both + self.appeals

    def __add__(self, other: object) -> "Work":
        """Return the sum of two projects, which have no call in common."""
        return Work(*map(sum, zip(self, other, strict=True))) if isinstance(other, Work) else NotImplemented


class WaitingCall(NamedTuple):
    """A call that a person has to review, to rate in calibrations or both, or an appeal to decide."""

    call_id: int
    file_name: str
    project_id: int
    due: dt.date | None
    agent: str  # as the list shows it; "" without one
    duration_us: int | None
    calibrations: tuple[int, ...] = ()  # in which it is to be rated, the first due first
    appeal_id: int | None = None  # to decide
    samples: tuple[int, ...] = ()  # for which it is to be reviewed, the first due first
    place: OpenPlace | None = None  # in the open calibration that has to be closed before its review
    criterion: str = ""  # that the appeal is about
    agent_id: int | None = None
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
    return places.filter(~Exists(rated), ~results_removed()).distinct()


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
    appeals = Appeal.objects.filter(~results_removed(), state=Appeal.State.OPEN, project__in=projects)
    return appeals.exclude(Q(review__reviewer=user) | Q(appellant=user)).filter(
        ~Exists(judged.filter(~Exists(revised))),
        ~Exists(blinded),
        ~Exists(drawn),  # it waits as a call to review
    )


def _has_draft(user: User) -> Exists:
    return Exists(find_blind_work(user).drafts.filter(call=OuterRef("call")))


def count_work_by_project(user: User, projects: QuerySet[Project]) -> dict[int, Work]:
    """Return how much waits to be reviewed, rated or decided, by project where any does; three queries."""
    drawn = find_unreviewed(user, projects).values_list("sample__project", "call").distinct()
    begun = find_hidden(user, projects).values_list("project", "call")
    placed = find_unrated(user, projects).values_list("calibration__project", "call")
    undecided = find_undecided(user, projects).values_list("project", "pk")
    reviews, ratings, appeals = map(_collect, (drawn.union(begun), placed, undecided))
    return {
        project: Work(
            len(reviews[project]),
            len(ratings[project]),
            len(reviews[project] & ratings[project]),
            len(appeals[project]),
        )
        for project in {*reviews, *ratings, *appeals}
    }


def _collect(pairs: Iterable[tuple[int, int]]) -> defaultdict[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for project, pk in pairs:
        found[project].add(pk)
    return found


def list_waiting(user: User, projects: QuerySet[Project], *, most: int) -> list[WaitingCall]:
    """Return what waits for the person, the first due first, then appeals; four queries.

    A call has one row, whatever is to be done with it; each appeal has one of its own.
    """
    calls = _list_calls(user, projects, 2 * most)  # several samples and calibrations may hold one
    places = list_open_places(user) if calls else {}
    placed = [each._replace(place=places.get(each.call_id)) if each.samples else each for each in calls]
    by_due = sorted(placed, key=lambda each: each.due or dt.date.max)
    shown = [*by_due, *_list_appeals(user, projects, 2 * most)][:most]
    agents = label_known({each.agent_id: each.agent for each in shown if each.agent_id is not None})
    return [each._replace(agent=agents.get(each.agent_id or 0, "")) for each in shown]


def _list_calls(user: User, projects: QuerySet[Project], most: int) -> list[WaitingCall]:
    """Return the calls to review and to rate, those to review first."""
    first_due = F("sample__due").asc(nulls_last=True)
    drawn = find_unreviewed(user, projects).order_by(first_due, "sample_id", "position")
    first_due = F("calibration__due").asc(nulls_last=True)
    placed = find_unrated(user, projects).order_by(first_due, "calibration_id", "position")
    found: dict[int, WaitingCall] = {}
    for *about, due, sample in drawn.values_list(*ABOUT_CALL, "sample__due", "sample_id")[:most]:
        one = _note_call(found, about, due)
        found[one.call_id] = one._replace(samples=(*one.samples, sample))
    rows = placed.values_list(*ABOUT_CALL, "calibration__due", "calibration_id", "position")
    for *about, due, calibration, _position in rows[:most]:
        one = _note_call(found, about, due)
        found[one.call_id] = one._replace(calibrations=(*one.calibrations, calibration))
    return list(found.values())


def _note_call(found: dict[int, WaitingCall], about: list[Any], due: dt.date | None) -> WaitingCall:
    """Return the row of a call, due on the first of its days."""
    one = found.setdefault(about[0], _describe(about, due))
    days = [day for day in (one.due, due) if day is not None]
    return one._replace(due=min(days, default=None))


def _list_appeals(user: User, projects: QuerySet[Project], most: int) -> list[WaitingCall]:
    """Return the appeals to decide; of a call to review before, one row without what they are about."""
    found: dict[object, WaitingCall] = {}
    appeals = _find_appeals(user, projects).annotate(is_hidden=_has_draft(user)).order_by("pk")
    rows = appeals.values_list(*ABOUT_CALL, "pk", "criterion_name", "is_hidden")
    for *about, pk, criterion, is_hidden in rows[:most]:
        one = _describe(about)
        if is_hidden:
            found.setdefault(("call", one.call_id), one._replace(hides_appeal=True))
        else:
            found[pk] = one._replace(appeal_id=pk, criterion=criterion)
    return list(found.values())


def _describe(about: list[Any], due: dt.date | None = None) -> WaitingCall:
    call_id, name, project_id, agent_id, agent, length = about
    return WaitingCall(call_id, name, project_id, due, agent or "", length, agent_id=agent_id)
