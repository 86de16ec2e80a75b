"""Which calls a caller or an agent has."""

import re

from django.db.models import Q

from callscope.calls.models import Agent, Call, ManifestRow
from callscope.projects.models import Project

MIN_DIGITS = 5  # with fewer, a text is compared as it is and not as a telephone number


def normalize_number(number: str) -> str:
    """Return the form in which two spellings of a telephone number are the same: digits without 00 or +."""
    digits = re.sub(r"[^0-9]", "", number)
    return digits.removeprefix("00") if len(digits) >= MIN_DIGITS else " ".join(number.split()).casefold()


def find_calls_of_caller(number: str, project_id: int | None = None) -> dict[int, list[int]]:
    """Return project → ids of the calls with this caller number, in any spelling."""
    calls = Call.objects.exclude(caller_number="")
    if project_id is not None:
        calls = calls.filter(project=project_id)
    wanted = normalize_number(number)
    found: dict[int, list[int]] = {}
    rows = calls.order_by("pk").values_list("pk", "project_id", "caller_number")
    for pk, project, given in rows.iterator(chunk_size=5000):
        if normalize_number(given) == wanted:
            found.setdefault(project, []).append(pk)
    return found


def find_rows_of_caller(number: str, project_id: int | None = None) -> dict[int, list[int]]:
    """Return project → ids of the manifest rows that wait with this caller number."""
    rows = ManifestRow.objects.filter(**({} if project_id is None else {"project": project_id}))
    wanted = normalize_number(number)
    found: dict[int, list[int]] = {}
    for row in rows.order_by("pk").iterator(chunk_size=2000):
        if normalize_number(str(row.values.get("caller_number", ""))) == wanted:
            found.setdefault(row.project_id, []).append(row.pk)
    return found


def find_agent(project: Project, given: str) -> Agent | None:
    """Return the agent with this agent_id; without one, the agent of this number in the call list."""
    owner = Q(team_id=project.team_id) if project.team_id else Q(owner_id=project.owner_id)
    agents = Agent.objects.filter(owner)
    by_id = agents.filter(external_id=given).first()
    if by_id is None and given.isascii() and given.isdigit() and len(given) < 19:
        return agents.filter(pk=int(given)).first()
    return by_id


def find_rows_of_agent(project: Project, agent: Agent) -> list[int]:
    """Return the ids of the project's manifest rows that wait with this agent's id or name."""
    found = []
    for row in ManifestRow.objects.filter(project=project).order_by("pk").iterator(chunk_size=2000):
        given = str(row.values.get("agent_id", ""))
        is_named = not given and row.values.get("agent_name") == agent.name
        if (given and given == agent.external_id) or is_named:
            found.append(row.pk)
    return found
