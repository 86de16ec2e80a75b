"""Read what a report needs: the sums of its calls, and the words that stand behind their keys."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from callscope.calls.models import Agent
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reports import premises, store
from callscope.reports.models import CriterionSeen, Topic
from callscope.reports.remembered import Memory
from callscope.reports.snapshot import snapshot
from callscope.reports.sums import Sums
from callscope.reports.window import Window

PREVIOUS_TABLES = ("criteria", "hours", "hour_scores")  # what is compared with the window before

_configurations: Memory[Configuration] = Memory(256)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion as results carry it."""

    project: int
    criterion_id: str
    name: str
    section: str
    max_points: int


@dataclass(slots=True)
class Material:
    """Everything that a report is rendered from, of one moment."""

    projects: list[Project]
    window: Window
    sums: Sums
    previous: Sums | None  # of the window before; None when there is no such window
    total_calls_all_time: int
    criteria: dict[int, Criterion] = field(default_factory=dict)
    topics: dict[int, str] = field(default_factory=dict)
    agents: dict[int, tuple[str, str]] = field(default_factory=dict)  # name, and the form it sorts by
    configurations: dict[int, Configuration] = field(default_factory=dict)


def read(projects: list[Project], window: Window) -> Material:
    """Return the material of one report; all of it belongs to the same moment."""
    ids = [project.pk for project in projects]
    premises.ensure()
    with snapshot():
        previous = window.previous()
        material = Material(
            projects=projects,
            window=window,
            sums=store.sums(ids, window),
            previous=None if previous is None else store.sums(ids, previous, PREVIOUS_TABLES),
            total_calls_all_time=store.calls(ids),
        )
        _name_keys(material)
    material.configurations = {project.pk: _configuration(project) for project in projects}
    return material


def _configuration(project: Project) -> Configuration:
    """Return the project's configuration, parsed once for each content."""
    content = json.dumps(project.config)
    known = _configurations.get(content)
    if known is None:
        known = project.configuration
        _configurations.put(content, known)
    return known


def _name_keys(material: Material) -> None:
    ids = [project.pk for project in material.projects]
    material.criteria = {
        row[0]: Criterion(*row[1:])
        for row in CriterionSeen.objects.filter(project__in=ids).values_list(
            "pk", "project_id", "criterion_id", "name", "section", "max_points"
        )
    }
    topics = [row[0] for row in material.sums.rows("topics")]
    agents = [row[0] for row in material.sums.rows("agents")]
    for some in _batches(topics):
        material.topics.update(Topic.objects.filter(pk__in=some).values_list("pk", "text"))
    for some in _batches(agents):
        rows = Agent.objects.filter(pk__in=some).values_list("pk", "name", "name_key")
        material.agents.update({pk: (name, key) for pk, name, key in rows})


def _batches(ids: list[int], size: int = 5000) -> Iterator[list[int]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
