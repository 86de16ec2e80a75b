"""Agents that a review gives to calls, and the agents that these calls have without it.

What is in effect stands in the call, so that lists, facts and the agent's own view read one place. What
the call says by itself is kept in ReviewedAgent until the review counts no more.
"""

from collections.abc import Collection
from typing import NamedTuple

from callscope.calls.models import Agent, Call, ReviewedAgent
from callscope.db.chunks import chunked

COLUMNS = ("agent", "agent_source", "agent_unlinked")
CHUNK = 500


class PlacedAgent(NamedTuple):
    """The agents of a call that a review has placed; None: nobody."""

    own: int | None  # without the review
    counting: int | None


def place_call(call: Call, agent: Agent | None) -> None:
    """Give the call to this agent, None for nobody; what it says by itself is kept."""
    ReviewedAgent.objects.get_or_create(
        call=call,
        defaults={
            "agent_id": call.agent_id,
            "agent_source": call.agent_source,
            "agent_unlinked": call.agent_unlinked,
        },
    )
    call.agent = agent
    call.agent_source = Call.AgentSource.API if agent else ""
    call.agent_unlinked = agent is None
    call.save(update_fields=COLUMNS)


def lift_agents(call_ids: Collection[int]) -> list[int]:
    """Let these calls have their own agents again; return those that a review had placed.

    The caller holds the lock of their project.
    """
    lifted = []
    for chunk in chunked(sorted(set(call_ids)), CHUNK):
        for kept in ReviewedAgent.objects.filter(call__in=chunk):
            has_source = kept.agent_id is not None  # the agent may have been erased since
            Call.objects.filter(pk=kept.call_id).update(
                agent=kept.agent_id,
                agent_source=kept.agent_source if has_source else "",
                agent_unlinked=kept.agent_unlinked,
            )
            lifted.append(kept.call_id)
        ReviewedAgent.objects.filter(call__in=chunk).delete()
    return lifted


def show_own(calls: Collection[Call]) -> None:
    """Let these rows, unsaved, show the agents that the calls have by themselves."""
    kept = ReviewedAgent.objects.select_related("agent").in_bulk([call.pk for call in calls])
    for call in calls:
        if call.pk in kept:
            call.agent, call.agent_source = kept[call.pk].agent, kept[call.pk].agent_source


def read_placed(call_ids: Collection[int]) -> dict[int, PlacedAgent]:
    """Return the agents of those of the calls that a review has placed."""
    found: dict[int, PlacedAgent] = {}
    for chunk in chunked(sorted(set(call_ids)), CHUNK):
        rows = ReviewedAgent.objects.filter(call__in=chunk)
        for call_id, own, counting in rows.values_list("call_id", "agent_id", "call__agent_id"):
            found[call_id] = PlacedAgent(own, counting)
    return found
