"""Calls that a new draw leaves out, so that nobody gets the same call again.

The random part of a draw without filters speaks for all calls. It may leave out those that an earlier such
part holds, because both together are drawn at random, too. Calls that the machine was unsure of, that a
person chose or that somebody reviewed anyway are unlike the others: without them, the estimate of the true
score would be too good or too bad. So they stay in that part and are left out of everything else.
"""

from typing import NamedTuple

from callscope.projects.models import Project
from callscope.reviews.models import Review, SampledCall


class DrawnBefore(NamedTuple):
    """Calls of a project by what a new draw leaves them out of."""

    left_out: frozenset[int]  # of all of it
    not_unsure: frozenset[int]  # of the part in which the machine was unsure


NOTHING = DrawnBefore(frozenset(), frozenset())


def find_drawn_before(project: Project, *, has_filters: bool) -> DrawnBefore:
    """Return the calls that were drawn or reviewed before, for a draw with or without filters."""
    drawn = SampledCall.objects.filter(sample__project=project)
    rows = drawn.values_list("call_id", "reason", "sample__filters")
    at_random = {
        call_id for call_id, reason, filters in rows if reason == SampledCall.Reason.RANDOM and not filters
    }
    reviews = Review.all_objects.filter(project=project, state=Review.State.SUBMITTED, is_partial=False)
    known = frozenset(drawn.values_list("call_id", flat=True)) | frozenset(
        reviews.values_list("call_id", flat=True)
    )
    return DrawnBefore(known if has_filters else frozenset(at_random), known)
