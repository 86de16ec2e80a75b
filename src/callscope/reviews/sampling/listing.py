"""The calls of a sample as people read them, with what became of each."""

from typing import TypedDict

from callscope.reviews.models import Review, ReviewSample, SampledCall

OPEN, REVIEWED = "open", "reviewed"


class SampledCallRow(TypedDict):
    """One call of a sample."""

    call_id: int
    reviewer: str | None  # e-mail; None: the user is gone
    reason: str
    state: str  # reviewed once its reviewer submitted a review after the draw


def list_sampled_calls(sample: ReviewSample) -> list[SampledCallRow]:
    """Return the calls of a sample in the order of the draw."""
    calls = SampledCall.objects.filter(sample=sample)
    submitted = Review.all_objects.filter(
        state=Review.State.SUBMITTED,
        is_partial=False,
        submitted_at__gte=sample.created_at,
        call__in=calls.values("call"),
    )
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
