"""When the rubrics of projects changed, and which criteria: what reports mark where figures are compared.

Only what may change an answer or a score counts: not the rubric's name, the order of its criteria,
or the section that one stands in.
"""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from callscope.projects.models import ConfigVersion, Project
from callscope.projects.versions import Document, list_criteria, read_document

Kind = Literal["added", "removed", "changed"]
WITHOUT_EFFECT = ("name", "sections")  # of a rubric; its criteria are compared one by one


@dataclass(frozen=True, slots=True)
class RubricChange:
    """A version of a project's configuration that changed its rubric."""

    project_id: int
    project_name: str
    version: int
    published_at: dt.datetime
    criteria: Mapping[str, Kind] = field(
        hash=False
    )  # by id; empty where only settings of the whole rubric changed


def list_rubric_changes(
    projects: Collection[Project], first_at: dt.datetime, after: dt.datetime
) -> list[RubricChange]:
    """Return the changes of these rubrics from one moment to before another, the earliest first.

    One query, and none where no project has a second version; a process reads each version once.
    """
    changed = {project.pk: project.name for project in projects if project.config_version > 1}
    if not changed:
        return []
    rows = ConfigVersion.objects.filter(
        project__in=changed, number__gt=1, created_at__gte=first_at, created_at__lt=after
    ).values_list("created_at", "project_id", "number")
    found = []
    for published_at, project_id, number in sorted(rows):
        criteria = _compare_with_last(project_id, number, published_at)
        if criteria is not None:
            found.append(RubricChange(project_id, changed[project_id], number, published_at, criteria))
    return found


@lru_cache(maxsize=1024)  # a version never changes; the moment tells it from one of another database
def _compare_with_last(project_id: int, number: int, _published_at: dt.datetime) -> Mapping[str, Kind] | None:
    """Return what a version changed in the criteria before it; None where it left the rubric as it was."""
    versions = ConfigVersion.objects.filter(project=project_id, number__in=(number - 1, number))
    rubrics = [
        read_document(row.project, row).get("rubric") or {}
        for row in versions.select_related("project").order_by("number")
    ]
    if len(rubrics) < 2:
        return None
    former, new = (_drop(rubric, *WITHOUT_EFFECT) for rubric in rubrics)
    before, after = (
        {name: _drop(criterion, "section") for name, criterion in list_criteria(rubric).items()}
        for rubric in rubrics
    )
    criteria: dict[str, Kind] = {name: "added" for name in after if name not in before}
    criteria |= {name: "removed" for name in before if name not in after}
    criteria |= {name: "changed" for name in after if name in before and before[name] != after[name]}
    return criteria if criteria or former != new else None


def _drop(settings: Document, *names: str) -> Document:
    return {name: value for name, value in settings.items() if name not in names}
