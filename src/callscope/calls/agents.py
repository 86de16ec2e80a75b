"""Find, rename and create agents.

An agent belongs to the project's team, or to its owner when there is none.
`agent_id` identifies; a name next to it renames that agent. A name alone finds
the one agent of that name, or creates one. Rules: docs/api.md, "Agents".
"""

from collections.abc import Iterable

from django.db.models import Q

from callscope.calls.models import Agent, Call
from callscope.calls.names import person_key
from callscope.db.chunks import chunked
from callscope.db.limits import is_storable
from callscope.projects.models import Project

MAX_NAME = 255
# An agent without a call, also without one that only a review gives to somebody else.
UNUSED = Q(calls__isnull=True, reviewed_away__isnull=True)
CHUNK = 500  # values of one statement: databases bound its parameters


class AgentResolver:
    """The agents of one project's team or owner, read once for many calls.

    Calls are resolved in order, so that a later row sees what an earlier one
    created or renamed. Use inside a transaction.
    """

    def __init__(self, project: Project) -> None:
        self._owner = _owner_of(project)
        self._by_id: dict[str, Agent] = {}  # by external id
        self._by_key: dict[str, dict[int, Agent]] = {}  # name key → primary key → agent
        # (agent_id, name) → agent, emptied whenever an agent is created or renamed.
        self._resolved: dict[tuple[str, str], Agent] = {}

    def preload(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Read or create all agents of these (agent_id, agent_name) pairs in a few statements."""
        unresolved = [pair for pair in dict.fromkeys(pairs) if any(pair) and pair not in self._resolved]
        ids = {agent_id for agent_id, _ in unresolved if agent_id} - self._by_id.keys()
        keys = {person_key(name) for _, name in unresolved if name} - self._by_key.keys()
        if not ids and not keys:
            return
        self._read(ids, keys)
        new_ids = {
            agent_id: name for agent_id, name in unresolved if agent_id and agent_id not in self._by_id
        }
        if new_ids:
            self._create(
                [self._build(agent_id, name or agent_id) for agent_id, name in sorted(new_ids.items())]
            )
            self._read(set(new_ids), set())
        named_by_id = {person_key(name) for agent_id, name in unresolved if agent_id and name}
        # Reversed, so that the first spelling of a name is the one that stays.
        by_key = {person_key(name): name for agent_id, name in reversed(unresolved) if not agent_id}
        new_keys = {key for key in by_key if not self._by_key[key] and key not in named_by_id}
        if new_keys:
            self._create([self._build("", by_key[key]) for key in sorted(new_keys)])
            self._read(set(), new_keys)

    def resolve(self, agent_id: str, name: str, *, current: Agent | None = None) -> Agent:
        """Return the agent that the two texts identify, created or renamed as needed; one must be filled.

        A name alone that the call's `current` agent has means that agent, even where others have it too.
        """
        if current is not None and not agent_id:
            self.preload([("", name)])
            namesake = self._by_key[person_key(name)].get(current.pk)
            if namesake is not None:
                return namesake
        agent = self._resolved.get((agent_id, name))
        if agent is not None:
            return agent
        clean_name = " ".join(name.split())[:MAX_NAME]
        self.preload([(agent_id, clean_name)])
        if not agent_id:
            agent = self._resolve_name(clean_name)
        else:
            agent = self._by_id[agent_id]
            if clean_name and agent.name != clean_name:
                self._rename(agent, clean_name)
        self._resolved[agent_id, name] = agent
        return agent

    def _resolve_name(self, name: str) -> Agent:
        """Prefer the agent that is known by name alone; two people with ids may share a name."""
        key = person_key(name)
        namesakes = list(self._by_key.get(key, {}).values())
        without_id = [agent for agent in namesakes if not agent.external_id]
        if without_id or len(namesakes) == 1:
            return (without_id or namesakes)[0]
        self._create([self._build("", name)])
        self._read(set(), {key})
        return next(agent for agent in self._by_key[key].values() if not agent.external_id)

    def _rename(self, agent: Agent, name: str) -> None:
        self._resolved.clear()
        self._by_key.get(agent.name_key, {}).pop(agent.pk, None)
        agent.name, agent.name_key = name, person_key(name)
        agent.save(update_fields=["name", "name_key"])
        if agent.name_key not in self._by_key:
            self._read(set(), {agent.name_key})
        self._by_key[agent.name_key][agent.pk] = agent

    def _build(self, agent_id: str, name: str) -> Agent:
        name = " ".join(name.split())[:MAX_NAME]
        return Agent(**self._owner, external_id=agent_id, name=name, name_key=person_key(name))

    def _create(self, agents: list[Agent]) -> None:
        self._resolved.clear()
        # Another transaction may create the same agent: then its row is read back instead.
        Agent.objects.bulk_create(agents, ignore_conflicts=True, batch_size=CHUNK)

    def _read(self, ids: set[str], keys: set[str]) -> None:
        """Read the agents with these external ids, and those with these name keys."""
        for key in keys:
            self._by_key.setdefault(key, {})
        agents: list[Agent] = []
        for lookup, values in (("external_id__in", sorted(ids)), ("name_key__in", sorted(keys))):
            for start in range(0, len(values), CHUNK):
                chunk = {lookup: values[start : start + CHUNK]}
                agents += Agent.objects.filter(Q(**self._owner), **chunk).order_by("pk")
        for agent in agents:
            if agent.external_id:
                agent = self._by_id.setdefault(agent.external_id, agent)
            if agent.name_key in self._by_key:
                self._by_key[agent.name_key].setdefault(agent.pk, agent)


def link_extracted(call: Call, name: str) -> bool:
    """Link the agent whose name the analysis heard; return whether the call changed.

    Only where no agent came by API or manifest, and never after an explicit
    unlink. A blank name takes back what an earlier analysis linked. The caller
    holds the call's row and saves `agent` and `agent_source`.
    """
    if call.agent_unlinked or call.agent_source in (Call.AgentSource.API, Call.AgentSource.MANIFEST):
        return False
    name = " ".join(name.split())[:MAX_NAME]
    before = (call.agent_id, call.agent_source)
    if not name or not is_storable(name):
        call.agent, call.agent_source = None, ""
    else:
        call.agent = AgentResolver(call.project).resolve("", name)
        call.agent_source = Call.AgentSource.LLM
    return before != (call.agent_id, call.agent_source)


def find_own(project: Project, pk: int) -> Agent | None:
    """Return the agent of this number, if it is of the project's team or owner, and hold its row."""
    return Agent.objects.select_for_update(no_key=True).filter(**_owner_of(project), pk=pk).first()


def list_meant(project: Project, agent_id: str, name: str) -> dict[int, str]:
    """Return the names, by number, of the agents there are whom an id and a name may mean."""
    by_id = Q(external_id=agent_id) if agent_id else Q(pk__in=())
    by_name = Q(name_key=person_key(name)) if name else Q(pk__in=())
    return dict(Agent.objects.filter(by_id | by_name, **_owner_of(project)).values_list("pk", "name"))


def forget_made(pk: int) -> None:
    """Erase an agent that was made by mistake, unless a call or a user has it by now."""
    Agent.objects.filter(UNUSED, pk=pk, users__isnull=True).delete()


def find_identified(project: Project, agent_id: str) -> Agent | None:
    """Return the agent of the project's team or owner that this identifier of a client means."""
    found = Agent.objects.filter(**_owner_of(project), external_id=agent_id).order_by("pk")
    return found.first() if agent_id and is_storable(agent_id) else None


def list_all_ids(project: Project, name: str) -> list[str]:
    """Return the external id of each agent of this name, "" for one that has none."""
    if not name.strip() or not is_storable(name):
        return []
    namesakes = Agent.objects.filter(**_owner_of(project), name_key=person_key(name))
    return sorted(namesakes.values_list("external_id", flat=True))


def list_ids_of_name(project: Project, name: str) -> list[str]:
    """Return the external ids of several agents whom a name alone means none of; [] where it means one."""
    ids = list_all_ids(project, name)
    return ids if len(ids) > 1 and all(ids) else []


def is_name_of_another(agent: Agent, name: str) -> bool:
    """Return whether another agent of the same team or owner has this name, ignoring case and spaces."""
    owner = {"team_id": agent.team_id, "owner_id": agent.owner_id}
    namesakes = Agent.objects.filter(**owner, name_key=person_key(name))
    return is_storable(name) and person_key(name) != agent.name_key and namesakes.exists()


def forget_unused(project: Project) -> int:
    """Erase the agents of the project's team or owner who have no call, and return how many."""
    unused = Agent.objects.filter(UNUSED, **_owner_of(project)).order_by("pk").values_list("pk", flat=True)
    erased = 0
    for chunk in chunked(list(unused), CHUNK):
        # Another project of the team may link one of them now: it waits for this lock, or has been seen.
        list(Agent.objects.select_for_update().filter(pk__in=chunk).order_by("pk").values_list("pk"))
        erased += Agent.objects.filter(UNUSED, pk__in=chunk).delete()[1].get("calls.Agent", 0)
    return erased


def _owner_of(project: Project) -> dict[str, int]:
    return {"team_id": project.team_id} if project.team_id else {"owner_id": project.owner_id}
