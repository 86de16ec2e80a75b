"""Find, rename and make agents.

An agent belongs to the project's team, or to its owner when there is none.
`agent_id` identifies; a name beside it renames that agent. A name alone finds
the one agent of that name, else makes one. Rules: docs/api.md, "Agents".
"""

from collections.abc import Iterable

from django.db.models import Q

from callscope.calls.models import Agent, Call
from callscope.calls.names import holds_unstorable, person_key
from callscope.projects.models import Project

MAX_NAME = 255


class Directory:
    """The agents of one project's team or owner, read once for many calls.

    Answers in the order of asking, so that a later row sees what an earlier one
    made or renamed. Use inside a transaction.
    """

    def __init__(self, project: Project) -> None:
        self._owner = {"team_id": project.team_id} if project.team_id else {"owner_id": project.owner_id}
        self._by_id: dict[str, Agent] = {}
        self._by_key: dict[str, dict[int, Agent]] = {}  # name key → primary key → agent
        self._found: dict[tuple[str, str], Agent] = {}  # answers that still hold: nobody was made or renamed

    def preload(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Read and make all agents of these (agent_id, agent_name) pairs in a few statements."""
        pairs = [pair for pair in dict.fromkeys(wanted) if any(pair) and pair not in self._found]
        ids = {agent_id for agent_id, _ in pairs if agent_id} - self._by_id.keys()
        keys = {person_key(name) for _, name in pairs if name} - self._by_key.keys()
        if not ids and not keys:
            return
        self._read(ids, keys)
        self._make_missing(pairs)

    def _make_missing(self, pairs: list[tuple[str, str]]) -> None:
        by_id = {agent_id: name for agent_id, name in pairs if agent_id and agent_id not in self._by_id}
        if by_id:
            self._make([self._new(agent_id, name or agent_id) for agent_id, name in sorted(by_id.items())])
            self._read(set(by_id), set())
        taken = {person_key(name) for agent_id, name in pairs if agent_id and name}
        # Reversed, so that the first spelling of a name is the one that stays.
        by_key = {person_key(name): name for agent_id, name in reversed(pairs) if not agent_id}
        missing = {key for key in by_key if not self._by_key[key] and key not in taken}
        if missing:
            self._make([self._new("", by_key[key]) for key in sorted(missing)])
            self._read(set(), missing)

    def find(self, agent_id: str, name: str, *, current: Agent | None = None) -> Agent:
        """Return the agent that the two texts identify, made or renamed as needed; one must be filled.

        A name alone that the call's `current` agent bears means that agent, whoever else bears it.
        """
        if current is not None and not agent_id:
            self.preload([("", name)])
            kept = self._by_key[person_key(name)].get(current.pk)
            if kept is not None:
                return kept
        found = self._found.get((agent_id, name))
        if found is None:
            found = self._find(agent_id, name)
            self._found[agent_id, name] = found
        return found

    def _find(self, agent_id: str, name: str) -> Agent:
        name = " ".join(name.split())[:MAX_NAME]
        self.preload([(agent_id, name)])
        if not agent_id:
            return self._named(name)
        agent = self._by_id[agent_id]
        if name and agent.name != name:
            self._rename(agent, name)
        return agent

    def _named(self, name: str) -> Agent:
        """Prefer the agent that is known by name alone; two people with ids may share a name."""
        key = person_key(name)
        found = list(self._by_key.get(key, {}).values())
        without_id = [agent for agent in found if not agent.external_id]
        if without_id or len(found) == 1:
            return (without_id or found)[0]
        self._make([self._new("", name)])
        self._read(set(), {key})
        return next(a for a in self._by_key[key].values() if not a.external_id)

    def _rename(self, agent: Agent, name: str) -> None:
        self._found.clear()
        self._by_key.get(agent.name_key, {}).pop(agent.pk, None)
        agent.name, agent.name_key = name, person_key(name)
        agent.save(update_fields=["name", "name_key"])
        if agent.name_key not in self._by_key:
            self._read(set(), {agent.name_key})
        self._by_key[agent.name_key][agent.pk] = agent

    def _new(self, agent_id: str, name: str) -> Agent:
        name = " ".join(name.split())[:MAX_NAME]
        return Agent(**self._owner, external_id=agent_id, name=name, name_key=person_key(name))

    def _make(self, agents: list[Agent]) -> None:
        self._found.clear()
        # Another transaction may make the same agent: then its row is read back instead.
        Agent.objects.bulk_create(agents, ignore_conflicts=True, batch_size=500)

    def _read(self, ids: set[str], keys: set[str]) -> None:
        for key in keys:
            self._by_key.setdefault(key, {})
        for agent in _in_portions(self._owner, "external_id__in", ids) + _in_portions(
            self._owner, "name_key__in", keys
        ):
            if agent.external_id:
                agent = self._by_id.setdefault(agent.external_id, agent)
            if agent.name_key in self._by_key:
                self._by_key[agent.name_key].setdefault(agent.pk, agent)


def _in_portions(owner: dict[str, int], lookup: str, values: set[str]) -> list[Agent]:
    ordered = sorted(values)
    found: list[Agent] = []
    for start in range(0, len(ordered), 500):  # databases bound the parameters of one statement
        found += Agent.objects.filter(Q(**owner), **{lookup: ordered[start : start + 500]}).order_by("pk")
    return found


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
    if not name or holds_unstorable(name):
        call.agent, call.agent_source = None, ""
    else:
        call.agent = Directory(call.project).find("", name)
        call.agent_source = Call.AgentSource.LLM
    return before != (call.agent_id, call.agent_source)
