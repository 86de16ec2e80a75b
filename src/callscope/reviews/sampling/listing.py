"""The calls of a sample as people read them, with what became of each and of all together."""

from collections.abc import Collection, Mapping
from typing import NamedTuple, TypedDict

from django.db.models import F, QuerySet

from callscope.accounts.models import User
from callscope.analysis.figures import mean_of, percentage
from callscope.analysis.models import results_removed
from callscope.projects.models import Project
from callscope.reviews.calibration.visibility import reviews_visible_to
from callscope.reviews.models import Review, ReviewSample, SampledCall
from callscope.reviews.sampling.todays_scores import TodaysScore, exact_score, read_todays_scores

OPEN, REVIEWED, RESULTS_REMOVED = "open", "reviewed", "results_removed"


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
    emptied = set(calls.filter(results_removed()).values_list("call_id", flat=True))
    return [
        {
            "call_id": each.call_id,
            "reviewer": each.reviewer.email if each.reviewer else None,
            "reason": each.reason,
            "state": RESULTS_REMOVED
            if each.call_id in emptied
            else REVIEWED
            if (each.call_id, each.reviewer_id) in reviewed
            else OPEN,
        }
        for each in calls.select_related("reviewer").order_by("position")
    ]


class DrawnReview(NamedTuple):
    """What the reviewer of a drawn call submitted last since the draw."""

    score_percentage: float | None  # by the criteria and the rule of today, see todays_scores.py
    is_blind: bool
    agreed: int  # of `compared` answers to criteria: those that the machine gave, too
    compared: int
    given: float | None = None  # the score that it was submitted with
    part: TodaysScore | None = None  # of the answers that still fit, where others do not

    @property
    def is_outdated(self) -> bool:
        """True if it had a score, and does not fit the criteria of today as a whole."""
        return self.given is not None and self.score_percentage is None

    @property
    def is_rescored(self) -> bool:
        """True if it has another score than when it was submitted."""
        return self.given is not None and self.score_percentage not in (None, self.given)


class SampleResult(NamedTuple):
    """What the reviews of a sample say together."""

    reviewed: int
    blind: int
    scored: int  # reviewed calls with a score
    average_score: float | None
    agreed: int
    compared: int
    outdated: int  # reviewed calls whose review does not fit the criteria of today
    rescored: int  # whose review has another score than when it was submitted

    @property
    def agreed_pct(self) -> float | None:
        return percentage(self.agreed, self.compared)


def read_drawn_reviews(sample: ReviewSample, viewer: User) -> dict[int, DrawnReview]:
    """Return the reviews of a sample by call, as far as the viewer may see them."""
    drawn = dict(SampledCall.objects.filter(sample=sample).values_list("call_id", "reviewer_id"))
    submitted = _select_reviews(reviews_visible_to(viewer), sample)
    rows = submitted.order_by("submitted_at", "pk").values_list("call_id", "reviewer_id", "pk")
    last = {
        call_id: pk
        for call_id, reviewer_id, pk in rows
        if reviewer_id is not None and drawn.get(call_id) == reviewer_id
    }
    today = read_todays_scores(sample.project, last.values())
    found = {}
    for review in submitted.filter(pk__in=last.values()).defer("criteria", "comment"):
        score = today.get(review.pk)
        found[review.call_id] = DrawnReview(
            score.percentage if score and score.is_whole else None,
            review.blind,
            review.agreed,
            review.compared,
            exact_score(review.score_bp, review.total_points, review.max_points),
            None if score is None or score.is_whole else score,
        )
    return found


class LaterRevisions(NamedTuple):
    """What stands in place of the reviews of a sample, as after an accepted appeal."""

    calls: int  # with another score
    average_score: float | None  # of all its scored calls, with theirs


def read_later_revisions(
    project: Project, reviews: Mapping[int, DrawnReview], viewer: User
) -> LaterRevisions:
    """Return by what the average of these reviews, by call, differs from that of what counts now."""
    standing = reviews_visible_to(viewer).filter(call__in=list(reviews), is_current=True, is_outdated=False)
    calls = dict(standing.order_by().values_list("pk", "call_id"))
    today = read_todays_scores(project, calls)
    counted = {calls[pk]: score.percentage for pk, score in today.items() if score.is_whole}
    now = {call_id: counted.get(call_id, each.score_percentage) for call_id, each in reviews.items()}
    changed = sum(now[call_id] != each.score_percentage for call_id, each in reviews.items())
    return LaterRevisions(changed, mean_of([each for each in now.values() if each is not None]))


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
        outdated=sum(each.is_outdated for each in reviews),
        rescored=sum(each.is_rescored for each in reviews),
    )
