"""Which of the versions that changed a rubric judged calls of a report: only these explain its figures."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from callscope.analysis.models import CallAnalysis
from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.projects.rubric_changes import RubricChange
from callscope.reports.window import ALL_TIME, Window

PROJECTS_AT_ONCE = 200  # of one query: each has conditions of its own


class Judged(NamedTuple):
    """Which changes of a rubric judged calls of a window, and how many of the scored ones the last did."""

    judged_changes: list[RubricChange]
    used_changes: list[RubricChange]
    judged_calls: int
    previous_judged_calls: int  # of the window before; 0 without one


def read_judged(changes: Sequence[RubricChange], window: Window, agent_id: int | None = None) -> Judged:
    """Return what judged a window; no query without a change, at most five with some."""
    judged, before = choose_judged(changes, window, agent_id), window.previous()
    return Judged(
        judged,
        choose_used(judged, window, agent_id),
        count_judged(judged, window, agent_id),
        count_judged(judged, before, agent_id) if before else 0,
    )


def choose_judged(
    changes: Sequence[RubricChange], window: Window, agent_id: int | None = None
) -> list[RubricChange]:
    """Return the changes by whose version, or a later one, live calls of the window were judged.

    No query without a change; one where calls were judged by the last version of each project, else two.
    """
    judged: dict[int, int] = {}
    last = {change.project_id: change for change in changes}  # the earliest come first
    for chunk in chunked(last, PROJECTS_AT_ONCE):
        latest = _find_judged_by({project: last[project] for project in chunk}, window, agent_id)
        judged |= {project: last[project].version for project in latest}
    first = {change.project_id: change for change in reversed(changes) if change.project_id not in judged}
    for chunk in chunked(first, PROJECTS_AT_ONCE):
        rows = _select({project: first[project] for project in chunk}, window, agent_id)
        judged |= dict(rows.values_list("project_id").annotate(last=Max("config_version")))
    return [change for change in changes if change.version <= judged.get(change.project_id, 0)]


def choose_used(
    judged: Sequence[RubricChange], window: Window, agent_id: int | None = None
) -> list[RubricChange]:
    """Return those of the judged changes in whose state of the rubric calls were judged.

    Not a version that was followed by another before it judged a call, or whose calls were all scored again.
    One query where a project has several, else none.
    """
    by_project: dict[int, list[RubricChange]] = {}
    for change in judged:
        by_project.setdefault(change.project_id, []).append(change)
    several = {project: changes for project, changes in by_project.items() if len(changes) > 1}
    dropped: set[tuple[int, int]] = set()
    for chunk in chunked(several, PROJECTS_AT_ONCE):
        rows = _select({project: several[project][0] for project in chunk}, window, agent_id)
        used = set(rows.values_list("project_id", "config_version").distinct())
        for project in chunk:
            for change, following in pairwise(several[project]):
                versions = range(change.version, following.version)
                if not any((project, version) in used for version in versions):
                    dropped.add((project, change.version))
    return [change for change in judged if (change.project_id, change.version) not in dropped]


def count_judged(changes: Sequence[RubricChange], window: Window, agent_id: int | None = None) -> int:
    """Return how many scored calls of the window the last version of each project judged, or a later one.

    `changes` name the versions. One query where there are any.
    """
    last = {change.project_id: change for change in changes}
    return sum(
        _select({project: last[project] for project in chunk}, window, agent_id)
        .filter(call__fact__max_points__isnull=False)
        .count()
        for chunk in chunked(last, PROJECTS_AT_ONCE)
    )


def find_judged_from(change: RubricChange | None, window: Window, agent_id: int | None = None) -> int | None:
    """Return the day, an ordinal, from which on the version of a change judged all scored calls.

    That is not the day of its publication where calls of some days before were scored again. None where there
    is no such day, and without a change, for which nothing is asked; else two queries.
    """
    if change is None:
        return None
    first, last = window.days
    live = CallAnalysis.objects.filter(
        project=change.project_id,
        is_live=True,
        call__fact__max_points__isnull=False,
        call__fact__day__gte=first,
        call__fact__day__lte=last,
    )
    live = (live if agent_id is None else live.filter(call__fact__agent_id=agent_id)).order_by()
    earlier = live.filter(Q(config_version__lt=change.version) | Q(config_version=None))
    latest = earlier.aggregate(day=Max("call__fact__day"))["day"]
    later = live if latest is None else live.filter(call__fact__day__gt=latest)
    found: int | None = later.aggregate(day=Min("call__fact__day"))["day"]
    return found


def _find_judged_by(changes: Mapping[int, RubricChange], window: Window, agent_id: int | None) -> set[int]:
    """Return the projects of which some call was judged by this version or a later one."""
    found = _select(changes, window, agent_id).filter(project=OuterRef("pk"))
    projects = Project.objects.filter(Exists(found), pk__in=list(changes))
    return set(projects.order_by().values_list("pk", flat=True))


def _select(
    changes: Mapping[int, RubricChange], window: Window, agent_id: int | None
) -> QuerySet[CallAnalysis]:
    """Return the live results of these versions and later ones, by project.

    They were completed after the version was published: an index leads past all that is older.
    """
    late = Q()
    for project, change in changes.items():
        late |= Q(project=project, completed_at__gte=change.published_at, config_version__gte=change.version)
    results = CallAnalysis.objects.filter(
        late,
        is_live__in=[True],  # SQLite looks up no `is_live` alone in an index
        project__in=list(changes),
        completed_at__gte=min(change.published_at for change in changes.values()),
    )
    if window != ALL_TIME:
        first, last = window.days
        results = results.filter(call__fact__day__gte=first, call__fact__day__lte=last)
    return (results if agent_id is None else results.filter(call__fact__agent_id=agent_id)).order_by()
