"""Prepare the agent and the contact reason of a call for its review: two lists to choose from."""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from callscope.calls.models import Call
from callscope.calls.namesakes import label_agents, label_known
from callscope.calls.reviewed_agents import read_placed
from callscope.contact_reasons import reviewed
from callscope.reviews.models import Review
from callscope.reviews.placements.agents import list_agents
from callscope.reviews.placements.answers import NOBODY
from callscope.reviews.placements.listing import AgentRow, ReasonRow
from callscope.reviews.placements.records import ReviewPlacement

Kind = ReviewPlacement.Kind
NAMES: dict[str, Promise] = {
    Kind.AGENT: gettext_lazy("Agent"),
    Kind.REASON: gettext_lazy("Contact reason"),
}
BY_NAME = "name:"  # in front of a code that no call has had yet, so that it has no number


class Place(NamedTuple):
    """One agent or reason to choose."""

    value: str
    label: str | Promise


@dataclass(slots=True)
class PlaceInput:
    """The agent or the contact reason in the form, with what was chosen and what is wrong with it."""

    kind: str
    machine: str | Promise  # what the call has without the review; "" where it is hidden
    places: list[Place]
    answer: str = ""  # "": as it is
    error: str = ""

    @property
    def name(self) -> str | Promise:
        return NAMES[self.kind]

    def read(self, sent: str) -> None:
        """Take what was sent, and note what is wrong with it."""
        self.answer = sent
        if sent and sent not in {place.value for place in self.places}:
            self.error = _("This is no longer in the list. Choose again.")

    def as_sent(self) -> int | str | None:
        """Return the answer as the API takes it."""
        if not self.answer:
            return None
        return int(self.answer) if self.answer.isdigit() else self.answer.removeprefix(BY_NAME)


def list_places(call: Call, draft: Review | None, shows_machine: bool) -> list[PlaceInput]:
    """Return the two lists with what the draft says; one without anything to choose is left out."""
    placed = read_placed([call.pk]).get(call.pk)
    agents = list_agents(call.project_id)
    labels = label_agents(agents)
    own = placed.own if placed else call.agent_id
    agent = PlaceInput(
        Kind.AGENT,
        labels.get(own or 0, pgettext("an agent", "none")) if shows_machine else "",
        [*(Place(str(pk), label) for pk, label in labels.items()), Place(NOBODY, gettext_lazy("no agent"))],
    )
    reason = PlaceInput(
        Kind.REASON,
        (reviewed.find_own_name(call.pk) or pgettext("a contact reason", "none")) if shows_machine else "",
        [
            Place(str(pk) if pk is not None else BY_NAME + name, name)
            for pk, name in reviewed.list_choices(call.project)
        ],
    )
    for row in draft.placements.all() if draft else []:
        if row.is_agent:
            agent.answer = NOBODY if row.is_nobody else str(row.agent_id or "")
        else:
            same = {str(row.reason_id), BY_NAME + row.reason_name}  # by its number, whatever its name is now
            reason.answer = next((p.value for p in reason.places if p.value in same), "")
    return [each for each, found in ((agent, agents), (reason, reason.places)) if found]


def list_replaced(agent: AgentRow | None, reason: ReasonRow | None) -> list[Promise]:
    """Return what was set otherwise since the review."""
    rows = {Kind.AGENT: agent, Kind.REASON: reason}
    return [NAMES[kind] for kind, row in rows.items() if row is not None and row["is_outdated"]]


def compare_places(
    agent: AgentRow | None, reason: ReasonRow | None
) -> list[tuple[str | Promise, str | Promise, str | Promise]]:
    """Return (what, what the call had without the review, what the person says) where these differ."""
    found: list[tuple[str | Promise, str | Promise, str | Promise]] = []
    nobody = pgettext("an agent", "none")
    if agent is not None and agent["agent_id"] != agent["machine_agent_id"]:
        pairs = (agent["machine_agent_id"], agent["machine_name"]), (agent["agent_id"], agent["name"])
        labels = label_known({pk: name for pk, name in pairs if pk is not None})
        before, after = (labels.get(pk or 0, name) or nobody for pk, name in pairs)
        found.append((NAMES[Kind.AGENT], before, after))
    if reason is not None and reason["name"] != reason["machine_name"]:
        found.append(
            (
                NAMES[Kind.REASON],
                reason["machine_name"] or pgettext("a contact reason", "none"),
                reason["name"] or "…",
            )
        )
    return found
