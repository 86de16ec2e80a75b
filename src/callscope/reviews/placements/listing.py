"""Agents and contact reasons that reviews give to calls, as people read them."""

from collections.abc import Iterable
from typing import TypedDict

from callscope.reviews.placements.records import ReviewPlacement


class AgentRow(TypedDict):
    """The agent that a review gives a call."""

    agent_id: int | None  # None: nobody, or an agent who was erased
    name: str  # "" for nobody
    machine_agent_id: int | None  # that the call has without the review; None: none, or hidden
    machine_name: str
    is_outdated: bool


class ReasonRow(TypedDict):
    """The contact reason that a review gives a call."""

    reason_id: int | None  # None: a code that no call has had yet
    name: str
    machine_name: str  # that the call has without the review; "": none, or hidden
    is_outdated: bool


def describe_agent(rows: Iterable[ReviewPlacement], *, is_hidden: bool = False) -> AgentRow | None:
    """Return the agent among the placements of a review, None where it names none."""
    row = next((each for each in rows if each.is_agent), None)
    if row is None:
        return None
    before = None if is_hidden else row.machine_agent
    return {
        "agent_id": row.agent_id,
        "name": row.agent.name if row.agent else "",
        "machine_agent_id": before.pk if before else None,
        "machine_name": before.name if before else "",
        "is_outdated": row.is_outdated,
    }


def describe_reason(rows: Iterable[ReviewPlacement], *, is_hidden: bool = False) -> ReasonRow | None:
    """Return the contact reason among the placements of a review, None where it names none."""
    row = next((each for each in rows if not each.is_agent), None)
    if row is None:
        return None
    return {
        "reason_id": row.reason_id,
        "name": row.reason_name,
        "machine_name": "" if is_hidden else row.machine_reason_name,
        "is_outdated": row.is_outdated,
    }
