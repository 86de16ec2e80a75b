"""Read what a report needs: the sums of its calls, and the words that stand behind their keys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from django.db import models

from callscope.calls.models import Agent
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reports.counting import FACT_FIELDS, FactRow, count_facts
from callscope.reports.models import CallFact, CriterionSeen, Topic
from callscope.reports.snapshot import snapshot
from callscope.reports.sums import TABLES, Sums, total
from callscope.reports.window import Window

CHUNK = 20_000  # facts counted at once: about 10 MB
PREVIOUS_TABLES = ("criteria", "hours", "hour_scores")  # what is compared with the window before


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
    with snapshot():
        previous = window.previous()
        material = Material(
            projects=projects,
            window=window,
            sums=sums_of_facts(facts_in(ids, window)),
            previous=None
            if previous is None
            else sums_of_facts(facts_in(ids, previous), only=PREVIOUS_TABLES),
            total_calls_all_time=CallFact.objects.filter(project__in=ids).count(),
        )
        _name_keys(material)
    material.configurations = {project.pk: project.configuration for project in projects}
    return material


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


def facts_in(project_ids: list[int], window: Window) -> "models.QuerySet[CallFact]":
    """Return the facts of these projects on the days of the window."""
    facts = CallFact.objects.filter(project__in=project_ids)
    first, last = window.days
    if window.start is not None:
        facts = facts.filter(day__gte=first)
    if window.end is not None:
        facts = facts.filter(day__lte=last)
    return facts


def sums_of_facts(facts: "models.QuerySet[CallFact]", only: Sequence[str] = tuple(TABLES)) -> Sums:
    """Return the sums over these facts, counted row by row."""
    return total(_counted_chunks(iter(facts.values_list(*FACT_FIELDS).iterator(chunk_size=CHUNK))), only)


def _counted_chunks(rows: Iterator[FactRow]) -> Iterator[Sums]:
    while chunk := list(islice(rows, CHUNK)):
        yield count_facts(chunk)
