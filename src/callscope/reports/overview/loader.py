"""Load what a report is built from: the aggregates of its calls, and the names of their keys."""

import json
from dataclasses import dataclass
from typing import NamedTuple

from callscope.analysis.models import ANY_FAILED, CallAnalysis
from callscope.calls.models import Agent
from callscope.db.chunks import chunked
from callscope.db.snapshot import snapshot
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reports.models import CallFact, CriterionSeen, Topic
from callscope.reports.store import reader, version
from callscope.reports.store.aggregates import Aggregates
from callscope.reports.store.cache import LRUCache
from callscope.reports.window import Window

PREVIOUS_TABLES = ("criteria", "hours", "hour_scores")  # what is compared with the window before
IDS_AT_ONCE = 5000  # of one query; SQLite allows 32,766 parameters

# Parsed once for each content: Project.configuration checks the whole document at each access.
_configurations: LRUCache[Configuration] = LRUCache(256)


class ScoredCriterion(NamedTuple):
    """A criterion as results have it; its fields are columns of models.CriterionSeen."""

    project_id: int
    criterion_id: str
    name: str
    section: str
    max_points: int  # millionths


class AgentName(NamedTuple):
    """How an agent is shown, and the form that the name sorts by."""

    name: str
    name_key: str


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that a report is built from, of one moment."""

    projects: list[Project]
    configurations: dict[int, Configuration]  # by project
    window: Window
    aggregates: Aggregates
    previous: Aggregates | None  # of the window before; None when there is no such window
    total_calls_all_time: int
    criteria: dict[int, ScoredCriterion]
    topics: dict[int, str]
    agents: dict[int, AgentName]
    half_heard_calls: int = 0  # in the window
    failed_calls: int = 0  # in the window


def load_report_data(projects: list[Project], window: Window) -> ReportData:
    """Return the data of one report; all that is counted belongs to the same moment."""
    ids = [project.pk for project in projects]
    previous = window.previous()
    version.ensure_current()
    with snapshot():
        aggregates = reader.read_aggregates(ids, window)
        criteria = CriterionSeen.objects.filter(project__in=ids).values_list("pk", *ScoredCriterion._fields)
        topics: dict[int, str] = {}
        for chunk in chunked((row[0] for row in aggregates.rows("topics")), IDS_AT_ONCE):
            topics.update(Topic.objects.filter(pk__in=chunk).values_list("pk", "text"))
        agents: dict[int, AgentName] = {}
        for chunk in chunked((row[0] for row in aggregates.rows("agents")), IDS_AT_ONCE):
            rows = Agent.objects.filter(pk__in=chunk).values_list("pk", *AgentName._fields)
            agents.update({pk: AgentName(name, name_key) for pk, name, name_key in rows})
        return ReportData(
            projects=projects,
            configurations={project.pk: _parse_configuration(project) for project in projects},
            window=window,
            aggregates=aggregates,
            previous=None if previous is None else reader.read_aggregates(ids, previous, PREVIOUS_TABLES),
            total_calls_all_time=reader.count_calls(ids),
            criteria={pk: ScoredCriterion._make(fields) for pk, *fields in criteria},
            topics=topics,
            agents=agents,
            half_heard_calls=_count_half_heard(ids, window),
            failed_calls=_count_failed(ids, window),
        )


def _count_half_heard(project_ids: list[int], window: Window) -> int:
    """Return how many calls of the window are half heard; an index holds them alone."""
    first, last = window.days
    facts = CallFact.objects.filter(project__in=project_ids, half_heard=True)
    return facts.filter(day__gte=first, day__lte=last).count()


def _count_failed(project_ids: list[int], window: Window) -> int:
    """Return how many calls of the window have a failed analysis; an index holds those of all time."""
    first, after = window.moments
    failed = CallAnalysis.objects.filter(ANY_FAILED, project__in=project_ids, is_newest=True)
    return failed.filter(call__call_datetime__gte=first, call__call_datetime__lt=after).count()


def _parse_configuration(project: Project) -> Configuration:
    """Return the project's configuration, parsed once for each content."""
    content = json.dumps(project.config)
    configuration = _configurations.get(content)
    if configuration is None:
        configuration = project.configuration
        _configurations.put(content, configuration)
    return configuration
