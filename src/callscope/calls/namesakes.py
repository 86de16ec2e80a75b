"""Agents who may be taken for each other: those of one name, and those whom a call named by a part of it.

A name alone means the agent of just this name (docs/api.md, "Agents"), since there may be another Dana, and
a score counts for a person. So nobody is joined here; a page says who may be the same, and shows agents of
one name with the ids that clients gave them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import pgettext

from callscope.calls.models import Agent, Call
from callscope.calls.names import person_key
from callscope.db.chunks import chunked
from callscope.projects.models import Project

MOST_NAMED = 3
IDS_AT_ONCE = 5000  # of one query; SQLite allows 32,766 parameters


class Namesake(NamedTuple):
    """An agent of the same project whose name begins with the other one's."""

    id: int
    name: str
    label: str  # the name, with what tells the agent apart from others of the name
    heard_calls: int  # of the project, in which the name was said and nothing else named the agent


class Namesakes(NamedTuple):
    """Who an agent may be; the first of each by name."""

    heard_calls: int  # of the agent itself
    fuller: list[Namesake]  # none where the agent was named by more than its calls
    shorter: list[Namesake]  # those that were heard in calls


def find_namesakes(project: Project, agent: Agent) -> Namesakes:
    """Return the agents with calls in the project whose name begins with that of the agent, or begins it."""
    words = agent.name_key.split(" ")
    parts = [" ".join(words[:count]) for count in range(1, len(words))]
    of_project = Call.objects.filter(project=project, agent=OuterRef("pk"))
    heard = Q(calls__project=project, calls__agent_source=Call.AgentSource.LLM)
    found = (
        Agent.objects.filter(team=agent.team_id, owner=agent.owner_id)
        .filter(Q(pk=agent.pk) | Q(name_key__in=parts) | Q(name_key__startswith=f"{agent.name_key} "))
        .filter(Exists(of_project))
        .annotate(heard=Count("calls", filter=heard))
        .order_by("name_key", "pk")
        .values_list("pk", "name", "external_id", "name_key", "heard")
    )
    labels = label_names(row[:3] for row in found)
    own, fuller, shorter = 0, list[Namesake](), list[Namesake]()
    for pk, name, _external_id, key, calls in found:
        if pk == agent.pk:
            own = calls
        elif len(key) > len(agent.name_key):
            fuller.append(Namesake(pk, name, labels[pk], calls))
        elif calls:
            shorter.append(Namesake(pk, name, labels[pk], calls))
    return Namesakes(own, fuller[:MOST_NAMED] if own else [], shorter[:MOST_NAMED])


def label_agents(agents: Iterable[Agent | None]) -> dict[int, str]:
    """Return how to show each of these agents, who are shown together; None is no agent."""
    return label_names((each.pk, each.name, each.external_id) for each in agents if each is not None)


def label_names(agents: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """Return how to show each agent of (id, name, external id): the name, or what tells namesakes apart."""
    known = {pk: (name, external_id) for pk, name, external_id in agents}
    places = find_places({pk: (person_key(name), external_id) for pk, (name, external_id) in known.items()})
    return {pk: write_label(*each, places.get(pk)) for pk, each in known.items()}


def label_known(names: Mapping[int, str]) -> dict[int, str]:
    """Return how to show these agents of known names; ids are read only where names are shared."""
    counts = Counter(map(person_key, names.values()))
    shared = [pk for pk, name in names.items() if counts[person_key(name)] > 1]
    ids = dict(Agent.objects.filter(pk__in=shared).values_list("pk", "external_id")) if shared else {}
    return label_names((pk, name, ids.get(pk, "")) for pk, name in names.items())


def label_alone(project_id: int, agent_id: int) -> str:
    """Return how to show an agent without the others of the project; "" for one without a call in it."""
    of_name = Agent.objects.filter(pk=agent_id).values("name_key")
    has_calls = Exists(Call.objects.filter(project=project_id, agent=OuterRef("pk")))
    return label_agents(Agent.objects.filter(has_calls, name_key__in=of_name)).get(agent_id, "")


def find_places(agents: Mapping[int, tuple[str, str]]) -> dict[int, str]:
    """Return what tells those agents of (name key, external id) apart who have their name from another, too.

    "" where the id does, and else where the agent belongs: the team, without one the owner. Where two places
    are called alike, or unknown, the number of the agent stands with them.
    """
    names, counts = Counter(key for key, _external_id in agents.values()), Counter(agents.values())
    alike = [pk for pk, named in agents.items() if counts[named] > 1]
    places: dict[int, str] = {}
    for chunk in chunked(alike, IDS_AT_ONCE):  # none in most cases: agents of one team differ in their ids
        found = Agent.objects.filter(pk__in=chunk).values_list("pk", "team__name", "owner__email")
        places |= {pk: team or owner or "" for pk, team, owner in found}
    called = Counter((agents[pk], places.get(pk, "")) for pk in alike)
    for pk in alike:
        place = places.get(pk, "")
        places[pk] = place if place and called[agents[pk], place] == 1 else f"{place} #{pk}".strip()
    return {pk: places.get(pk, "") for pk, (key, _external_id) in agents.items() if names[key] > 1}


def write_label(name: str, external_id: str, place: str | None) -> str:
    """Return the name; for a shared one, which has a place, with the client's id, or that there is none."""
    if place is None:
        return name
    known = ", ".join(filter(None, (external_id or pgettext("an agent", "no ID"), place)))
    return f"{name} ({known})"
