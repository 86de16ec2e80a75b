"""Which criteria each agent earns: a map of the agents with most calls and the criteria of the scorecard.

It is read from sums of its own: no call is read, and reports that show no map read nothing of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.calls.namesakes import write_label
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.projects.owners import Owners
from callscope.reports.models import CriterionSeen
from callscope.reports.overview.loader import read_sums
from callscope.reports.overview.schemas import Report
from callscope.reports.overview.scorecard import find_costly
from callscope.reports.store import version
from callscope.reports.store.aggregates import AgentCriterionCounts, Aggregates
from callscope.reports.store.exact_figures import ExactMean, join_millionths
from callscope.reports.window import Window

AGENTS, CRITERIA = 25, 15  # at most; more are no picture any more
# Not in the interface: pages and the PDF alone show or need them.
NOT_IN_MAP = ("external_id", "place", "projects", "criteria_waiting")


class RowName(NamedTuple):
    """What makes one row of the scorecard."""

    criterion_id: str
    name: str


@dataclass(frozen=True, slots=True)
class MapCell:
    """A criterion in the calls of an agent to which it applies."""

    calls: int
    met_pct: float | None  # points over possible points: for yes and no, the share of calls that met it
    not_met: int  # calls that earned no points for it

    @property
    def is_kept_back(self) -> bool:
        """Whether it would tell of a call that waits for the reader's review: see kept_back."""
        return self.met_pct is None and self.calls > 0


@dataclass(frozen=True, slots=True)
class MapAgent:
    agent: str
    agent_id: int
    calls: int
    cells: list[MapCell]  # one for each criterion of the map
    external_id: str = ""
    place: str | None = None

    @property
    def label(self) -> str:
        """Return the name as the report shows it; see AgentRow."""
        return write_label(self.agent, self.external_id, self.place)


@dataclass(frozen=True, slots=True)
class AgentMap:
    """The agents with most calls, most first; the criteria that cost most points, in the rubric's order."""

    criteria: list[RowName]
    agents: list[MapAgent]
    agents_in_all: int
    criteria_in_all: int
    projects: list[frozenset[int]] = field(default_factory=list)  # that each criterion is of
    criteria_waiting: int = 0  # for the reader's review, and so left out; not of the interface


def build_agent_map(
    report: Report,
    projects: Sequence[Project],
    window: Window,
    agent_id: int | None = None,
    *,
    is_whole: bool = False,
) -> AgentMap:
    """Return the map next to a report of the same projects and days.

    With `agent_id`, over the calls that this agent has in one project; `is_whole`: all agents and criteria.
    """
    shown = report.agents if is_whole else report.agents[:AGENTS]
    if not shown or not projects:
        return AgentMap([], [], len(report.agents), len(report.scorecard))
    version.ensure_current()
    ids = [project.pk for project in projects]
    with snapshot():
        sums = read_sums(ids, window, ("agent_criteria",), agent_id)
        means, not_met, homes = add_up(projects, sums, [row.agent_id for row in shown])
    judged = [row for row in report.scorecard if row.average_pct is not None]
    shown_rows = judged if is_whole or len(judged) <= CRITERIA else find_costly(judged, CRITERIA)
    chosen = {id(row) for row in shown_rows}
    criteria = [RowName(row.criterion_id, row.name) for row in judged if id(row) in chosen]
    agents = []
    for row in shown:
        cells = []
        for name in criteria:
            mean = means.get((row.agent_id, name), ExactMean())
            cells.append(MapCell(mean.calls, mean.percent(), not_met.get((row.agent_id, name), 0)))
        named = row.agent, row.agent_id, row.calls
        agents.append(MapAgent(*named, cells, row.external_id, row.place))
    waiting = sum(row.is_kept_back for row in report.scorecard)
    owned = [frozenset(homes.get(each, ())) for each in criteria]
    return AgentMap(criteria, agents, len(report.agents), len(judged), owned, waiting)


def describe_criteria(found: AgentMap, write_count: Callable[[int], str]) -> str:
    """Return which criteria the map shows, where these are not all; "" for all."""
    shown, said = len(found.criteria), list[str]()
    if found.criteria_in_all > shown:
        counts = {"shown": write_count(shown), "all": write_count(found.criteria_in_all)}
        text = ngettext(
            "The only criterion (of %(all)s) that costs points.",
            "The %(shown)s criteria (of %(all)s) that cost points.",
            shown,
        )
        if shown == CRITERIA:  # others may cost points, too
            text = _("The %(shown)s criteria (of %(all)s) that cost the most points.")
        said.append(text % counts)
    if found.criteria_waiting:
        text = ngettext(
            "%(count)s criterion waits for your review and is not in the map.",
            "%(count)s criteria wait for your review and are not in the map.",
            found.criteria_waiting,
        )
        said.append(text % {"count": write_count(found.criteria_waiting)})
    return " ".join(said)


def split_map(found: AgentMap, owners: Owners) -> list[tuple[str, AgentMap]]:
    """Return a map for each project with its name, of its own criteria and of the agents with calls for them.

    Criteria that several projects share have a map of their own. One project alone has one map, named "".
    """
    owned = [owners.name_by_criterion(key.criterion_id, key.name) for key in found.criteria]
    parts = []
    for owner in dict.fromkeys(owned):
        places = [place for place, each in enumerate(owned) if each == owner]
        agents = [replace(each, cells=[each.cells[place] for place in places]) for each in found.agents]
        if len(places) < len(owned):
            agents = [each for each in agents if any(cell.calls for cell in each.cells)]
        if agents:
            criteria = [found.criteria[place] for place in places]
            owned_here = [found.projects[place] for place in places] if found.projects else []
            parts.append((owner, replace(found, criteria=criteria, agents=agents, projects=owned_here)))
    return parts


def add_up(
    projects: Sequence[Project], sums: Aggregates, agent_ids: Sequence[int]
) -> tuple[dict[tuple[int, RowName], ExactMean], dict[tuple[int, RowName], int], dict[RowName, set[int]]]:
    """Return the mean share of points, and the calls without any, by agent and row of the scorecard.

    And the projects that each row is of.
    """
    table = sums.table("agent_criteria")
    rows = table[np.isin(table[:, 0], agent_ids)].tolist()
    seen = {
        pk: (project, RowName(criterion_id, name), most)
        for pk, project, criterion_id, name, most in CriterionSeen.objects.filter(
            project__in=[project.pk for project in projects]
        ).values_list("pk", "project", "criterion_id", "name", "max_points")
    }
    # As in the scorecard: by the name in the rubric, else by the one that was seen last.
    names: dict[tuple[int, str], str] = {}
    for criterion in sorted({row[1] for row in rows}):
        project_id, key, _most = seen[criterion]
        names[project_id, key.criterion_id] = key.name
    for project in projects:
        for _section, each in project.configuration.rubric.criteria():
            names[project.pk, each.id] = each.name
    means: dict[tuple[int, RowName], ExactMean] = {}
    not_met: dict[tuple[int, RowName], int] = {}
    homes: dict[RowName, set[int]] = {}
    for agent, criterion, *counted in rows:
        project_id, key, most = seen[criterion]
        counts = AgentCriterionCounts._make(counted)
        place = agent, RowName(key.criterion_id, names[project_id, key.criterion_id])
        means.setdefault(place, ExactMean()).add(
            most, join_millionths(counts.points_hi, counts.points_lo), counts.judged
        )
        not_met[place] = not_met.get(place, 0) + counts.not_met
        homes.setdefault(place[1], set()).add(project_id)
    return means, not_met, homes


def agent_map_json(found: AgentMap) -> dict[str, object]:
    """Return the map as the interface shows it, ready for json.dumps."""
    return {
        "criteria": [key._asdict() for key in found.criteria],
        "agents": [
            {
                "agent": each.agent,
                "agent_id": each.agent_id,
                "calls": each.calls,
                "cells": [
                    {"calls": cell.calls, "met_pct": cell.met_pct, "not_met": cell.not_met}
                    for cell in each.cells
                ],
            }
            for each in found.agents
        ],
        "agents_in_all": found.agents_in_all,
        "criteria_in_all": found.criteria_in_all,
    }
