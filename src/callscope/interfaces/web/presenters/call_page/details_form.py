"""The form that corrects what is known of a call from outside its audio: agent, time, direction and so on.

Only what was typed otherwise than it was shown is written, as PATCH writes it: docs/api.md, "Call metadata".
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.calls import agents, metadata
from callscope.calls.fields import FIELDS, GIVEN_FIELDS
from callscope.calls.models import Agent, Call
from callscope.calls.moments import AHEAD
from callscope.calls.names import person_key
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.projects.models import Project

SEEN = "seen:"  # before the name of a field: what it was when the form was opened
RENAMES = "renames"  # the input that confirms another name of an agent, for all calls
ANOTHER = "another"  # the input that confirms one more agent of a name
AGENT_FIELDS = ("agent_id", "agent_name")
LABELS: dict[str, Promise] = {
    "agent_name": gettext_lazy("Agent"),
    "agent_id": gettext_lazy("ID of the agent"),
    "call_datetime": gettext_lazy("Time"),
    "direction": gettext_lazy("Direction"),
    "caller_number": gettext_lazy("Caller number"),
    "campaign": gettext_lazy("Campaign"),
}
DIRECTIONS: dict[str, Promise] = {
    "": gettext_lazy("not known"),
    "inbound": gettext_lazy("Inbound"),
    "outbound": gettext_lazy("Outbound"),
}


@dataclass(frozen=True, slots=True)
class Rename:
    """Another name for a known agent, which all calls of the agent would have."""

    agent: Agent
    name: str

    @property
    def confirmation(self) -> str:
        """What the form sends back when exactly this is confirmed."""
        return f"{self.agent.pk} {self.name}"


@dataclass(frozen=True, slots=True)
class AnotherAgent:
    """One more agent of a name that agents have, with an ID that none has."""

    name: str
    agent_id: str

    @property
    def confirmation(self) -> str:
        """What the form sends back when exactly this is confirmed."""
        return f"{self.agent_id} {self.name}"


@dataclass(frozen=True, slots=True)
class DetailsInput:
    """One field of the form."""

    name: str
    label: Promise
    kind: str  # as in calls/fields.py
    seen: str
    typed: str
    error: str
    suggestions: Sequence[tuple[str, str]]  # (value, what it is of)


@dataclass(slots=True)
class DetailsForm:
    """What is known of a call, as it was typed, with what is wrong with it by field."""

    project: Project
    seen: dict[str, str]  # as metadata.write_texts() returns it
    typed: dict[str, str]
    confirmed: str = ""  # the other name of an agent
    confirmed_another: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    is_overtaken: bool = False
    rename: Rename | None = None  # to confirm, or confirmed
    another: AnotherAgent | None = None  # to confirm, or confirmed

    @classmethod
    def of_call(cls, call: Call) -> "DetailsForm":
        seen = metadata.write_texts(call)
        return cls(call.project, seen, {name: show_text(name, text) for name, text in seen.items()})

    @classmethod
    def of(cls, call: Call, sent: QueryDict) -> "DetailsForm":
        """Return the form as it was sent; a field that was left out is as it was shown."""
        seen = {name: sent.get(SEEN + name, "") for name in GIVEN_FIELDS}
        typed = {name: sent.get(name, show_text(name, seen[name])) for name in GIVEN_FIELDS}
        return cls(call.project, seen, typed, sent.get(RENAMES, ""), sent.get(ANOTHER, ""))

    def read(self, now: dt.datetime) -> dict[str, str]:
        """Return what was changed, as PATCH takes it; what is wrong or to be asked is noted by its field.

        A time that is typed must not lie in the future. What systems send may: docs/api.md, "Call metadata".
        """
        changes = {name: typed for name, typed in self.typed.items() if self._is_changed(name)}
        if not changes.keys().isdisjoint(AGENT_FIELDS) and all(self.typed[n].strip() for n in AGENT_FIELDS):
            changes |= {name: self.typed[name] for name in self._choose_agent_fields(set(changes))}
        if changes.get("agent_name") and not changes.get("agent_id", "").strip():
            self._ask_which(changes["agent_name"])
        try:
            metadata.read_changes(changes, latest=now + AHEAD)
        except metadata.InvalidMetadata as error:
            for name, [message] in error.errors.items():
                # The API says the name of the field; a page says its label.
                params = {**message.params, "field": str(LABELS[name])}
                self.errors[name] = translate(Message(message.code, **params))
                if message.code == "blank_datetime":
                    self.errors[name] = _(
                        "The time cannot be cleared. Give the time at which the call took place."
                    )
            if not error.errors.keys().isdisjoint(AGENT_FIELDS):
                self.another = None
        return changes

    def _choose_agent_fields(self, changed: set[str]) -> Sequence[str]:
        """Return which fields of the agent say what was meant, where both are filled and one is changed.

        Both together rename the agent of the id in all calls. That is asked for, unless it had no name yet.
        """
        known = agents.find_identified(self.project, self.typed["agent_id"].strip())
        # A new id takes the name next to it along, except one that is an id, shown for want of a name.
        is_named = "agent_name" in changed or self.seen["agent_name"] != self.seen["agent_id"]
        if known is None and is_named:
            self.ask_for_another()
            return AGENT_FIELDS
        if known is None or "agent_name" not in changed:
            return ("agent_id",)
        name = " ".join(self.typed["agent_name"].split())
        if known.name in (name, known.external_id):
            return AGENT_FIELDS
        if "agent_id" not in changed and agents.is_name_of_another(known, name):
            return ("agent_name",)  # chosen from the list, say: the id was left as it was
        self.rename = Rename(known, name)
        if self.confirmed != self.rename.confirmation:
            self.errors["agent_name"] = _(
                "%(id)s is the ID of %(agent)s. Clear the ID to give the call to %(name)s, clear the name to "
                "give it to %(agent)s, or confirm the new name."
            ) % {"id": known.external_id, "agent": known.name, "name": name}
        return AGENT_FIELDS

    def ask_for_another(self) -> None:
        """Ask before an ID that no agent has makes one more agent of the name next to it."""
        name, agent_id = " ".join(self.typed["agent_name"].split()), self.typed["agent_id"].strip()
        ids = agents.list_all_ids(self.project, name)
        if not ids:
            return
        self.another = AnotherAgent(name, agent_id)
        if self.confirmed_another == self.another.confirmation:
            return
        if not any(ids):
            said = _("%(name)s is known without an ID.")
        elif self.project.team_id:
            said = _("%(name)s is %(ids)s in this team.")
        else:
            said = _("%(name)s is known as %(ids)s.")
        ask = _("Make another agent of this name with the ID %(id)s?") % {"id": agent_id}
        self.errors["agent_id"] = f"{said % {'name': name, 'ids': ', '.join(filter(None, ids))}} {ask}"

    def _ask_which(self, name: str) -> None:
        """Ask for the ID where several agents have the name, which alone would make one more of them."""
        ids = agents.list_ids_of_name(self.project, name)
        if ids and person_key(name) != person_key(self.seen["agent_name"]):
            known = {"name": " ".join(name.split()), "ids": ", ".join(ids)}
            said = _("%(name)s is the name of agents with these IDs: %(ids)s. Give the ID of one of them.")
            self.errors["agent_name"] = said % known

    def follow(self, call: Call, overtaken: Sequence[str]) -> None:
        """Take over what somebody else changed since; what was typed stays, next to what is there now."""
        current = metadata.write_texts(call)
        for name in overtaken:
            now = show_text(name, current[name])
            if self._is_changed(name) and flatten(self.typed[name]) != flatten(now):
                shown = DIRECTIONS.get(now, now) if name == "direction" else now
                self.errors[name] = _("Now: %(value)s") % {"value": shown or _("empty")}
        for name, text in current.items():
            if not self._is_changed(name):
                self.typed[name] = show_text(name, text)
        self.seen, self.is_overtaken = current, True

    def list_inputs(self, known: Sequence[Agent]) -> list[DetailsInput]:
        """Return the fields in their order, with these agents to choose from."""
        suggestions = {
            "agent_name": [(each.name, each.external_id) for each in known],
            "agent_id": [(each.external_id, each.name) for each in known if each.external_id],
        }
        return [
            DetailsInput(
                name,
                label,
                FIELDS[name].kind,
                self.seen[name],
                self.typed[name],
                self.errors.get(name, ""),
                suggestions.get(name, ()),
            )
            for name, label in LABELS.items()
        ]

    def _is_changed(self, name: str) -> bool:
        typed = flatten(self.typed[name])
        if FIELDS[name].kind == "moment" and len(typed) == len("2026-03-31T14:05:00"):
            typed = typed.removesuffix(":00")  # as some browsers write it
        return typed != flatten(show_text(name, self.seen[name]))


def show_text(name: str, text: str) -> str:
    """Return a text of metadata.write_texts() as its field shows it: a moment in the server's time zone."""
    if FIELDS[name].kind != "moment":
        return text
    try:
        local = timezone.localtime(dt.datetime.fromisoformat(text), metadata.server_zone())
    except (ValueError, OverflowError):  # from a form that somebody made up
        return text
    return f"{local:%Y-%m-%dT%H:%M:%S}" if local.second else f"{local:%Y-%m-%dT%H:%M}"


def flatten(text: str) -> str:
    """Return a text as a field of one line holds it."""
    return text.replace("\r", "").replace("\n", "").strip()
