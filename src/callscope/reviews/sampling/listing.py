"""The calls of a sample as people read them, with what became of each and of all together."""

from collections.abc import Collection, Mapping
from typing import NamedTuple, TypedDict

from django.db.models import F, QuerySet

from callscope.accounts.models import User
from callscope.analysis.figures import mean_of, percentage
from callscope.reviews.calibration.visibility import reviews_visible_to
from callscope.reviews.models import Review, ReviewSample, SampledCall

OPEN, REVIEWED = "open", "reviewed"


class SampledCallRow(TypedDict):
    """One call of a sample."""

    call_id: int
    reviewer: str | None  # e-mail; None: the user is gone
    reason: str
    state: str  # reviewed once its reviewer submitted a review, not a rating, after the draw


def list_sampled_calls(sample: ReviewSample) -> list[SampledCallRow]:
    """Return the calls of a sample in the order of the draw."""
    calls = SampledCall.objects.filter(sample=sample)
    submitted = _select_reviews(Review.all_objects.all(), sample)
    reviewed = set(submitted.values_list("call_id", "reviewer_id"))
    return [
        {
            "call_id": each.call_id,
            "reviewer": each.reviewer.email if each.reviewer else None,
            "reason": each.reason,
            "state": REVIEWED if (each.call_id, each.reviewer_id) in reviewed else OPEN,
        }
        for each in calls.select_related("reviewer").order_by("position")
    ]


class DrawnReview(NamedTuple):
    """What the reviewer of a drawn call submitted last since the draw."""

    score_percentage: float | None
    is_blind: bool
    agreed: int  # of `compared` answers to criteria: those that the machine gave, too
    compared: int


class SampleResult(NamedTuple):
    """What the reviews of a sample say together."""

    reviewed: int
    blind: int
    scored: int  # reviewed calls with a score
    average_score: float | None
    agreed: int
    compared: int

    @property
    def agreed_pct(self) -> float | None:
        return percentage(self.agreed, self.compared)


def read_drawn_reviews(sample: ReviewSample, viewer: User) -> dict[int, DrawnReview]:
    """Return the reviews of a sample by call, as far as the viewer may see them."""
    drawn = dict(SampledCall.objects.filter(sample=sample).values_list("call_id", "reviewer_id"))
    submitted = _select_reviews(reviews_visible_to(viewer), sample)
    rows = submitted.order_by("submitted_at", "pk").values_list(
        "call_id", "reviewer_id", "score_bp", "total_points", "max_points", "blind", "agreed", "compared"
    )
    return {
        call_id: DrawnReview(_score(score, points, most), blind, agreed, compared)
        for call_id, reviewer_id, score, points, most, blind, agreed, compared in rows
        if reviewer_id is not None and drawn.get(call_id) == reviewer_id
    }


class LaterRevisions(NamedTuple):
    """What stands in place of the reviews of a sample, as after an accepted appeal."""

    calls: int  # with another score
    average_score: float | None  # of all its scored calls, with theirs


def read_later_revisions(reviews: Mapping[int, DrawnReview], viewer: User) -> LaterRevisions:
    """Return by what the average of these reviews, by call, differs from that of what counts now."""
    standing = reviews_visible_to(viewer).filter(call__in=list(reviews), is_current=True, is_outdated=False)
    rows = standing.order_by().values_list("call_id", "score_bp", "total_points", "max_points")
    counted = {call_id: _score(*row) for call_id, *row in rows}
    now = {call_id: counted.get(call_id, each.score_percentage) for call_id, each in reviews.items()}
    changed = sum(now[call_id] != each.score_percentage for call_id, each in reviews.items())
    return LaterRevisions(changed, mean_of([each for each in now.values() if each is not None]))


def _score(score_bp: int | None, points: int | None, most: int | None) -> float | None:
    """Return the percentage, not rounded; 0 where a critical error zeroes the score."""
    return percentage(points or 0 if score_bp else 0, most or 0)


def _select_reviews(reviews: QuerySet[Review], sample: ReviewSample) -> QuerySet[Review]:
    """Return those of its calls since the draw, without ratings."""
    # The sum keeps SQLite from looking at every review that is no rating, which most are.
    return reviews.alias(rating=F("rater_id") + 0).filter(
        call__in=SampledCall.objects.filter(sample=sample).values("call"),
        rating__isnull=True,
        state=Review.State.SUBMITTED,
        is_partial=False,
        submitted_at__gte=sample.created_at,
    )


def sum_up(reviews: Collection[DrawnReview]) -> SampleResult:
    """Return what these reviews say together."""
    scores = [each.score_percentage for each in reviews if each.score_percentage is not None]
    return SampleResult(
        reviewed=len(reviews),
        blind=sum(each.is_blind for each in reviews),
        scored=len(scores),
        average_score=mean_of(scores),
        agreed=sum(each.agreed for each in reviews),
        compared=sum(each.compared for each in reviews),
    )
