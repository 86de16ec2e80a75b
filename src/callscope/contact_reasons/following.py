"""Let calls follow their reviews: results, agents and contact reasons, in the transaction of the caller.

Code that changes results, live rows, reviews, agents, contact reasons or the setting `reviews.counts` does
it within follow_reviews(), under the lock of the project, and refreshes the facts afterwards. It is in this
room because reviews come before it and know no contact reasons.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from callscope.calls import reviewed_agents
from callscope.calls.models import Call
from callscope.calls.reviewed_agents import PlacedAgent
from callscope.contact_reasons import reviewed
from callscope.reviews import effect
from callscope.reviews.models import Review
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.placements.agents import check_agent
from callscope.reviews.placements.answers import CheckedPlacement, read_placements
from callscope.reviews.placements.records import ReviewPlacement
from callscope.reviews.revisions import GivenReview


@contextmanager
def follow_reviews(call_ids: Collection[int], *, keeps_notes: bool = False) -> Iterator[None]:
    """Let the block see and change the calls as they are without their reviews; then the reviews count again.

    A shared note was written to one agent: where a review moves the call to another one, it becomes private,
    unless `keeps_notes` says that the notes came along with the agent of the review, as in an import.
    """
    before = reviewed_agents.read_placed(call_ids)
    lift_calls(call_ids)
    yield
    settle_calls(call_ids)
    if not keeps_notes:
        _hide_notes(before, reviewed_agents.read_placed(call_ids))


def lift_calls(call_ids: Collection[int]) -> set[int]:
    """Give these calls the agents and reasons that they have without reviews; return those that differed."""
    return {*reviewed_agents.lift_agents(call_ids), *reviewed.lift_reasons(call_ids)}


def settle_calls(call_ids: Collection[int]) -> None:
    """Let result, agent and contact reason of these calls be what reviews and settings say."""
    effect.settle_calls(call_ids)
    reviewed.settle_reasons(call_ids)


def check_placements(call: Call, given: GivenReview, review: Review | None = None) -> GivenReview:
    """Return the review with its places checked; what was not sent stays. Raises InvalidReview."""
    if not given.sent_placements:
        return given
    placed: dict[str, CheckedPlacement] = {}
    if review is not None:
        placed = {each.kind: each for each in read_placements(list(review.placements.all()))}
    checks = {
        ReviewPlacement.Kind.AGENT.value: check_agent,
        ReviewPlacement.Kind.REASON.value: reviewed.check_reason,
    }
    for kind, value in given.sent_placements.items():
        if value is None:
            placed.pop(kind, None)
        else:
            placed[kind] = checks[kind](call, value)
    return replace(given, placements=list(placed.values()))


def _hide_notes(before: Mapping[int, PlacedAgent], after: Mapping[int, PlacedAgent]) -> None:
    """Make shared notes private where the agent that a review gives, or takes back, is another one now."""
    moved = [
        c for c, now in after.items() if (before[c].counting if c in before else now.own) != now.counting
    ]
    back = {call: was.counting for call, was in before.items() if call not in after}
    agents = Call.objects.filter(pk__in=list(back)).values_list("pk", "agent")
    moved += [call for call, agent in agents if agent != back[call]]
    CoachingNote.objects.filter(call__in=moved, is_shared=True).update(is_shared=False)
