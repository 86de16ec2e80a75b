"""When the rubrics of projects changed, and which criteria: what reports mark where figures are compared.

Only what may change an answer or a score counts: not the rubric's name, the order of its criteria,
or the section that one stands in.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from callscope.projects.models import ConfigVersion, Project
from callscope.projects.versions import Document, list_criteria, read_document

Kind = Literal["added", "removed", "changed"]
MOST_READ = 10  # versions before one, of which one may have the same rubric
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
    repeats: int | None = None  # the latest version before with the same rubric, of the MOST_READ before


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
        compared = _compare_with_last(project_id, number, published_at)
        if compared is not None:
            criteria, repeats = compared
            name = changed[project_id]
            found.append(RubricChange(project_id, name, number, published_at, criteria, repeats))
    return found


def list_unused_changes(
    changes: Sequence[RubricChange], judged: Collection[RubricChange]
) -> list[RubricChange]:
    """Return the changes, the earliest first, by whose rubric no call was judged, where `judged` are those by
    which, or after which, calls were.

    None of a project whose last version has the rubric again that judged before these changes.
    """
    unused, first, last_judged = [], dict[int, RubricChange](), dict[int, int]()
    for change in changes:
        if change in judged:
            last_judged[change.project_id] = change.version
        else:
            unused.append(change)
            first.setdefault(change.project_id, change)
    last = {change.project_id: change for change in unused}
    restored = {
        project
        for project, change in last.items()
        if change.repeats is not None
        and last_judged.get(project, 0) <= change.repeats < first[project].version
    }
    return [change for change in unused if change.project_id not in restored]


@lru_cache(maxsize=1024)  # a version never changes; the moment tells it from one of another database
def _compare_with_last(
    project_id: int, number: int, _published_at: dt.datetime
) -> tuple[Mapping[str, Kind], int | None] | None:
    """Return what a version changed in the criteria before it, and which earlier one has the same rubric.

    None where it left the rubric as it was.
    """
    versions = ConfigVersion.objects.filter(
        project=project_id, number__lte=number, number__gte=number - MOST_READ
    )
    numbered = [
        (row.number, read_document(row.project, row).get("rubric") or {})
        for row in versions.select_related("project").order_by("-number")
    ]
    if [at for at, _rubric in numbered[:2]] != [number, number - 1]:
        return None
    (former, before), (new, after) = (_split(rubric) for _at, rubric in reversed(numbered[:2]))
    repeats = next((at for at, rubric in numbered[1:] if _split(rubric) == (new, after)), None)
    criteria: dict[str, Kind] = {name: "added" for name in after if name not in before}
    criteria |= {name: "removed" for name in before if name not in after}
    criteria |= {name: "changed" for name in after if name in before and before[name] != after[name]}
    return (criteria, repeats) if criteria or former != new else None


def _split(rubric: Document) -> tuple[Document, dict[str, Document]]:
    """Return what may change an answer or a score: settings of the whole rubric, and its criteria by id."""
    criteria = {name: _drop(each, "section") for name, each in list_criteria(rubric).items()}
    return _drop(rubric, *WITHOUT_EFFECT), criteria


def _drop(settings: Document, *names: str) -> Document:
    return {name: value for name, value in settings.items() if name not in names}
