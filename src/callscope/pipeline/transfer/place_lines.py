"""Check what a line of the import format says of agent and contact reason in a review."""

import datetime as dt
from typing import TypedDict

from callscope.pipeline.transfer.result_validation import MAX_ID, MAX_NAME, InvalidLine, check_text, refuse
from callscope.pipeline.transfer.schema import JsonObject


class AgentPlaceLine(TypedDict):
    """The agent that a review gives the call, "" for nobody, and the one that it has without the review."""

    agent_id: str
    agent_name: str
    machine_agent_id: str
    machine_agent_name: str
    is_outdated: bool


class ReasonPlaceLine(TypedDict):
    """The contact reason that a review gives the call, and the one that it has without the review."""

    name: str
    machine_name: str  # "": none
    is_outdated: bool


def check_agent(fields: JsonObject, _zone: dt.tzinfo) -> AgentPlaceLine:
    """Return the agent of a review in a line. Raises InvalidLine."""
    get = fields.get
    return {
        "agent_id": check_text(get("agent_id"), "agent_id", MAX_ID),
        "agent_name": check_text(get("agent_name"), "agent_name", MAX_NAME),
        "machine_agent_id": check_text(get("machine_agent_id"), "machine_agent_id", MAX_ID),
        "machine_agent_name": check_text(get("machine_agent_name"), "machine_agent_name", MAX_NAME),
        "is_outdated": check_flag(get("is_outdated"), "is_outdated"),
    }


def check_reason(fields: JsonObject, _zone: dt.tzinfo) -> ReasonPlaceLine:
    """Return the contact reason of a review in a line. Raises InvalidLine."""
    name = " ".join(check_text(fields.get("name"), "name", MAX_NAME).split())
    if not name:
        raise InvalidLine("name is missing or blank; it is required")
    return {
        "name": name,
        "machine_name": check_text(fields.get("machine_name"), "machine_name", MAX_NAME),
        "is_outdated": check_flag(fields.get("is_outdated"), "is_outdated"),
    }


def check_flag(value: object, field: str) -> bool:
    """Return true or false; null is false. Raises InvalidLine."""
    if value is not None and not isinstance(value, bool):
        refuse(field, value, "true or false")
    return bool(value)
