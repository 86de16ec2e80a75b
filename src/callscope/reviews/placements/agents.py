"""Agents that a review may name, and the calls that follow. The caller holds the lock of the project."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.models import Q

from callscope.calls import reviewed_agents
from callscope.calls.models import Agent, Call, ReviewedAgent
from callscope.reviews.answers import SHOWN, InvalidReview
from callscope.reviews.placements.answers import NOBODY, CheckedPlacement
from callscope.reviews.placements.records import ReviewPlacement

Kind = ReviewPlacement.Kind
MOST_NAMED = 20  # agents in a message


class Placed(NamedTuple):
    """What reviews say about the agent of a call, before retire_replaced()."""

    placements: list[tuple[int, bool]]  # with whether they are outdated
    own: (
        tuple[int | None, str, bool] | None
    )  # the call's own agent, as reviewed_agents.COLUMNS; None: in effect


def list_agents(project_id: int) -> list[Agent]:
    """Return the agents that a review may name, by name: those with calls in the project.

    The register of a team or owner also holds the agents of projects that the reviewer may not see.
    """
    of_calls = Call.objects.filter(project=project_id, agent__isnull=False).values("agent")
    set_aside = ReviewedAgent.objects.filter(call__project=project_id, agent__isnull=False).values("agent")
    found = Agent.objects.filter(Q(pk__in=of_calls) | Q(pk__in=set_aside))
    return sorted(found, key=lambda agent: (agent.name_key, agent.pk))


def check_agent(call: Call, given: int | str) -> CheckedPlacement:
    """Return the placement with the agent of this id, or with nobody. Raises InvalidReview."""
    placed = reviewed_agents.read_placed([call.pk]).get(call.pk)
    own = placed.own if placed else call.agent_id
    if given == NOBODY:
        return CheckedPlacement(Kind.AGENT, is_nobody=True, machine_agent_id=own)
    agents = list_agents(call.project_id)
    named = next((each for each in agents if each.pk == given), None)
    if named is None:
        allowed = [f"{each.pk} ({each.name})" for each in agents[:MOST_NAMED]]
        allowed += ["…"] * (len(agents) > MOST_NAMED) + [NOBODY]
        value = str(given)[:SHOWN]
        raise InvalidReview("agent", "review_unknown_agent", value=value, allowed=", ".join(allowed))
    return CheckedPlacement(Kind.AGENT, agent_id=named.pk, machine_agent_id=own)


def settle_agents(call_ids: Collection[int], placements: Mapping[int, ReviewPlacement]) -> None:
    """Let these calls have the agents that count: of the placements, by call, else their own."""
    reviewed_agents.lift_agents(set(call_ids) - placements.keys())
    calls = Call.objects.filter(pk__in=list(placements)).order_by("pk")
    placed = reviewed_agents.read_placed(list(placements))
    for call in calls:
        placement = placements[call.pk]
        if call.agent_id != placement.agent_id or call.pk not in placed:
            reviewed_agents.place_call(call, placement.agent)


def note_placed(call_id: int) -> Placed | None:
    """Return what retire_replaced() would replace of the call; None for nothing."""
    current = ReviewPlacement.objects.filter(
        kind=Kind.AGENT, is_retired=False, review__is_current=True, review__call=call_id
    )
    placements = list(current.order_by("pk").values_list("pk", "is_outdated"))
    own = ReviewedAgent.objects.filter(call=call_id).values_list("agent_id", "agent_source", "agent_unlinked")
    return Placed(placements, own.first()) if placements else None


def place_again(call_id: int, placed: Placed) -> bool:
    """Let reviews say what they said before retire_replaced(); False where another one stands there now."""
    retired = ReviewPlacement.objects.filter(
        pk__in=[pk for pk, _ in placed.placements],
        is_retired=True,
        review__is_current=True,
        review__call=call_id,
    )
    if retired.count() != len(placed.placements):
        return False
    for pk, is_outdated in placed.placements:
        ReviewPlacement.objects.filter(pk=pk).update(is_retired=False, is_outdated=is_outdated)
    if placed.own is not None:
        agent_id, source, is_unlinked = placed.own
        agent = Agent.objects.filter(pk=agent_id or 0).first()  # it may have been erased since
        kept = {"agent": agent, "agent_source": source if agent else "", "agent_unlinked": is_unlinked}
        ReviewedAgent.objects.update_or_create(call_id=call_id, defaults=kept)
    return True


def retire_replaced(call_ids: Collection[int]) -> None:
    """Let the agents that a client has just said for these calls stand for good.

    Reviews place them no more, even those that say the same, and those that do not count now.
    """
    current = ReviewPlacement.objects.filter(
        kind=Kind.AGENT, is_retired=False, review__is_current=True, review__call__in=call_ids
    )
    if current.update(is_retired=True, is_outdated=True):
        ReviewedAgent.objects.filter(call__in=call_ids).delete()


def forget_agent(project_id: int, agent: Agent) -> bool:
    """Forget an agent whose calls in the project are erased; return whether something named them."""
    kept = ReviewedAgent.objects.filter(call__project=project_id, agent=agent).update(agent=None)
    placements = ReviewPlacement.objects.filter(review__project=project_id)
    kept += placements.filter(agent=agent).update(agent=None)
    return bool(kept + placements.filter(machine_agent=agent).update(machine_agent=None))


def follow_heir(project_id: int, agent: Agent, heir: Agent) -> None:
    """Let another row stand for an agent, where a project moves to another team."""
    ReviewedAgent.objects.filter(call__project=project_id, agent=agent).update(agent=heir)
    placements = ReviewPlacement.objects.filter(review__project=project_id)
    placements.filter(agent=agent).update(agent=heir)
    placements.filter(machine_agent=agent).update(machine_agent=heir)


def list_named(project_id: int) -> set[int]:
    """Return the agents that reviews of the project name, and those of calls that a review has placed."""
    named = ReviewPlacement.objects.filter(review__project=project_id).values_list("agent", "machine_agent")
    own = ReviewedAgent.objects.filter(call__project=project_id).values_list("agent", flat=True)
    return {pk for pair in named for pk in pair if pk is not None} | {pk for pk in own if pk is not None}
