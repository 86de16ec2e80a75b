"""What waits for a person in the projects that the person may write: to review, to rate, to decide."""

from collections import Counter

from django.db.models import Exists, OuterRef, Q, QuerySet

from callscope.accounts.models import User
from callscope.projects.models import Project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.models import CalibratedCall, Calibration, Review, SampledCall
from callscope.reviews.sampling.work_list import open_calls

OPEN = Calibration.State.OPEN


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
    """Return the open appeals that the person may decide: see appeals.deciding.require_impartial().

    Without those of calls that the person rates, since an appeal says how a call was judged.
    """
    judged = Review.objects.filter(call=OuterRef("call"), is_current=True, reviewer=user)
    revised = Appeal.objects.filter(new_review=OuterRef("pk"))
    blinded = CalibratedCall.objects.filter(
        call=OuterRef("call"), calibration__state=OPEN, calibration__raters__user=user
    )
    appeals = Appeal.objects.filter(state=Appeal.State.OPEN, project__in=projects)
    return appeals.exclude(Q(review__reviewer=user) | Q(appellant=user)).filter(
        ~Exists(judged.filter(~Exists(revised))), ~Exists(blinded)
    )


def count_work_by_project(user: User, projects: QuerySet[Project]) -> dict[int, int]:
    """Return how many calls wait to be reviewed or rated, by project where any does; two queries."""
    unreviewed = find_unreviewed(user, projects).values_list("sample__project", "call").distinct()
    unrated = find_unrated(user, projects).values_list("calibration__project", "pk")
    return Counter([project for project, _call in unreviewed] + [project for project, _place in unrated])
