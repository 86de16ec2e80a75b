"""Take back a correction of what is known of a call from outside its audio.

What a correction replaced goes back as it was, with its sources, and only what it replaced: not what somebody
has changed since. No table of calls keeps the earlier values: who corrected a call brings them along, signed.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from django.utils.crypto import constant_time_compare, salted_hmac

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.calls import agents
from callscope.calls.metadata import WRITTEN_COLUMNS, MetadataConflict, Values
from callscope.calls.models import Agent, Call
from callscope.calls.moments import utc_text
from callscope.calls.names import person_key
from callscope.db.transactions import run_in_transaction
from callscope.projects.locking import lock_project
from callscope.projects.models import Project
from callscope.reviews.placements.agents import Placed, note_placed, place_again

SALT = "callscope.corrections"
# Columns that are written together → the fields of which they are.
TOGETHER: dict[tuple[str, ...], tuple[str, ...]] = {
    ("call_datetime", "call_datetime_source"): ("call_datetime",),
    ("agent_id", "agent_source", "agent_unlinked"): ("agent_id", "agent_name"),
    ("direction",): ("direction",),
    ("caller_number",): ("caller_number",),
    ("campaign",): ("campaign",),
}


class Renamed(NamedTuple):
    """An agent that a correction renamed, for all calls."""

    pk: int
    former: str
    name: str


class Earlier(msgspec.Struct, array_like=True, frozen=True):
    """What a correction replaced."""

    columns: dict[str, str | int | bool | None]  # of the call; moments as texts
    mark: str  # of what the correction wrote there
    renamed: Renamed | None = None
    made: int | None = None  # the agent that it made
    placed: Placed | None = None  # by a review, which the correction retired

    @property
    def fields(self) -> list[str]:
        """The names of the fields that the correction changed."""
        named = {name for group, names in TOGETHER.items() if group[0] in self.columns for name in names}
        return sorted(named | ({"agent_name"} if self.renamed else set()))


class Described(NamedTuple):
    """A call that was described, and what that replaced: None for nothing."""

    call: Call
    earlier: Earlier | None


@dataclass(frozen=True, slots=True)
class Before:
    """A call before it is corrected, and who may be meant."""

    columns: dict[str, str | int | bool | None]
    names: dict[int, str]  # of agents
    placed: Placed | None

    @classmethod
    def of(cls, call: Call, values: Values) -> "Before":
        agent_id, name = str(values.get("agent_id", "")), str(values.get("agent_name", ""))
        says_agent = "agent_id" in values or "agent_name" in values
        return cls(
            read_columns(call, WRITTEN_COLUMNS),
            agents.list_meant(call.project, agent_id, name) if says_agent else {},
            note_placed(call.pk) if says_agent else None,
        )

    def compare(self, call: Call) -> Earlier | None:
        """Return what was replaced in the call since; None for nothing."""
        after, agent = read_columns(call, WRITTEN_COLUMNS), call.agent
        columns = {
            name: self.columns[name]
            for group in TOGETHER
            if any(self.columns[each] != after[each] for each in group)
            for name in group
        }
        former = self.names.get(agent.pk) if agent else None
        renamed = (
            Renamed(agent.pk, former, agent.name) if agent and former not in (None, agent.name) else None
        )
        linked = agent.pk if agent and "agent_id" in columns else None
        made = None if linked in (*self.names, self.columns["agent_id"]) else linked
        placed = self.placed if "agent_id" in columns else None
        if not columns and not renamed:
            return None
        return Earlier(columns, mark_values(after, columns), renamed, made, placed)


def lock_call(project: Project, call_id: int) -> Call:
    """Return the call of the project, held with its project. Raises Call.DoesNotExist."""
    if lock_project(project.pk) is None:
        raise Call.DoesNotExist
    held = Call.objects.select_for_update(of=("self",), no_key=True).select_related("agent")
    call = held.get(pk=call_id, project=project.pk)
    call.project = project
    return call


def take_back(call_id: int, project: Project, earlier: Earlier, by: User) -> None:
    """Let the call have again what a correction replaced; asked twice, it does so once.

    Raise MetadataConflict if this was changed since, Agent.DoesNotExist if the former agent is no longer
    there, and Call.DoesNotExist.
    """
    from callscope.reports.store import facts

    def write() -> None:
        call = lock_call(project, call_id)
        now, renamed = read_columns(call, earlier.columns), earlier.renamed
        agent = agents.find_own(project, renamed.pk) if renamed else None
        if now == earlier.columns and (not renamed or (agent and agent.name == renamed.former)):
            return
        if not constant_time_compare(mark_values(now, earlier.columns), earlier.mark):
            raise MetadataConflict(earlier.fields)
        if renamed:
            if agent is None or agent.name != renamed.name:
                raise MetadataConflict(earlier.fields)
            agent.name, agent.name_key = renamed.former, person_key(renamed.former)
            agent.save(update_fields=["name", "name_key"])
        former = earlier.columns.get("agent_id")
        if former is not None and agents.find_own(project, int(former)) is None:
            raise Agent.DoesNotExist
        if earlier.placed and not place_again(call_id, earlier.placed):
            raise MetadataConflict(earlier.fields)
        for name, value in earlier.columns.items():
            is_moment = name == "call_datetime"
            setattr(call, name, dt.datetime.fromisoformat(str(value)) if is_moment else value)
        call.save(update_fields=WRITTEN_COLUMNS)
        facts.update_metadata(call)
        if earlier.made:
            agents.forget_made(earlier.made)
        subject = f"call {call.pk}"
        audit.record(by, "call.metadata_changed", subject, project=project.pk, fields=earlier.fields)

    run_in_transaction(write)


def read_columns(call: Call, names: Iterable[str]) -> dict[str, str | int | bool | None]:
    """Return these columns of a call as JSON holds them."""
    found = ((name, getattr(call, name)) for name in names)
    return {name: utc_text(value) if isinstance(value, dt.datetime) else value for name, value in found}


def mark_values(values: dict[str, str | int | bool | None], names: Iterable[str]) -> str:
    """Return what tells these values from others without holding them."""
    text = msgspec.json.encode([[name, values[name]] for name in sorted(names)])
    return salted_hmac(SALT, text, algorithm="sha256").hexdigest()
