"""What is left to review: of one person, and of every draw of a project."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from typing import TypedDict

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from callscope.accounts.models import User
from callscope.analysis.models import results_removed
from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.reviews.models import CalibratedCall, Calibration, Review, ReviewSample, SampledCall


class WorkItem(TypedDict):
    """A call that somebody has still to review, without why it was drawn: that could sway a review."""

    call_id: int
    file_name: str
    due: dt.date | None


class SampleProgress(TypedDict):
    """One draw, and how much of it is reviewed."""

    id: int
    created_at: dt.datetime
    created_by: str | None
    due: dt.date | None
    calls: int
    reviewable: int  # calls that still have results
    reviewed: int
    results_removed: int  # the other calls, without results by now, and so without reviews


def list_work(project: Project, reviewer: User, *, most: int) -> list[WorkItem]:
    """Return the calls that were drawn for a person and not reviewed by them since, the first due first.

    Without those that the person rates in an open calibration: they are reviewed after it.
    """
    rated = CalibratedCall.objects.filter(
        call=OuterRef("call"),
        calibration__state=Calibration.State.OPEN,
        calibration__raters__user=reviewer,
    )
    rows = open_calls().filter(~Exists(rated), sample__project=project, reviewer=reviewer)
    ordered = rows.order_by(F("sample__due").asc(nulls_last=True), "sample_id", "position")
    items = ordered.values_list("call_id", "call__file_name", "sample__due")
    found: dict[int, WorkItem] = {}
    for call_id, file_name, due in items[: 2 * most]:  # several draws may hold one call
        found.setdefault(call_id, {"call_id": call_id, "file_name": file_name, "due": due})
    return list(found.values())[:most]


def list_others(project: Project, reviewer: User, call_id: int, *, most: int) -> list[int]:
    """Return the other calls that wait for a person: those after this call first, then those before it."""
    waiting = [item["call_id"] for item in list_work(project, reviewer, most=most)]
    place = waiting.index(call_id) if call_id in waiting else 0
    return [each for each in waiting[place:] + waiting[:place] if each != call_id]


def find_draw(call: Call, reviewer: User) -> int | None:
    """Return the draw for which a person has still to review this call, the first due; None without one."""
    rows = open_calls().filter(call=call, reviewer=reviewer)
    ordered = rows.order_by(F("sample__due").asc(nulls_last=True), "sample_id")
    return ordered.values_list("sample_id", flat=True).first()


def open_calls() -> QuerySet[SampledCall]:
    """Return the drawn calls whose reviewer submitted no review since the draw, and still can."""
    return SampledCall.objects.filter(~Exists(_select_reviews_since_draw()), ~results_removed())


def reviewed_calls() -> QuerySet[SampledCall]:
    """Return the drawn calls that their reviewer has reviewed since the draw.

    Of a reviewer who is erased, a review by somebody who is erased counts: nothing says whose it was.
    """
    by_erased = Q(reviewer__isnull=True) & Exists(_select_reviews_since_draw(by_erased=True))
    return SampledCall.objects.filter(Exists(_select_reviews_since_draw()) | by_erased)


def _select_reviews_since_draw(*, by_erased: bool = False) -> QuerySet[Review]:
    # Each call has few reviews, a reviewer has thousands, and most are no rating: the sums keep SQLite from
    # looking among those. A rating never counts, so that it is no review either.
    reviews = Review.all_objects.alias(by=F("reviewer_id") + 0, rating=F("rater_id") + 0).filter(
        call=OuterRef("call"),
        rating__isnull=True,
        state=Review.State.SUBMITTED,
        is_partial=False,
        submitted_at__gte=OuterRef("sample__created_at"),
    )
    return reviews.filter(by__isnull=True) if by_erased else reviews.filter(by=OuterRef("reviewer"))


def list_progress(samples: Iterable[ReviewSample]) -> list[SampleProgress]:
    """Return the rows of these draws, whose maker was fetched with them; three queries."""
    samples = list(samples)
    drawn = Counter(SampledCall.objects.filter(sample__in=samples).values_list("sample_id", flat=True))
    left = Counter(open_calls().filter(sample__in=samples).values_list("sample_id", flat=True))
    emptied = SampledCall.objects.filter(results_removed(), sample__in=samples)
    removed = Counter(emptied.values_list("sample_id", flat=True))
    return [
        {
            "id": each.pk,
            "created_at": each.created_at,
            "created_by": each.created_by.email if each.created_by else None,
            "due": each.due,
            "calls": drawn[each.pk],
            "reviewable": drawn[each.pk] - removed[each.pk],
            "reviewed": drawn[each.pk] - left[each.pk] - removed[each.pk],
            "results_removed": removed[each.pk],
        }
        for each in samples
    ]
