"""How far the analyses of some projects are. Rules: docs/api.md, "Analysis status".

Clients poll this while they wait, so nothing here counts calls: counts come from
the report store, everything else from an index.
"""

import datetime as dt
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypedDict

from django.db import connection
from django.db.models import TextField
from django.db.models.functions import Cast

from callscope.analysis.models import OPEN_ANALYSES, STATE_FIELDS, AnalysisState
from callscope.calls.moments import utc_text
from callscope.db import raw_sql
from callscope.db.snapshot import snapshot
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers import waits
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.projects.scope import ProjectRef
from callscope.reports.store import reader, status_counts
from callscope.reports.store.cache import LRUCache

# A version of a project's row on PostgreSQL → the analysis types that it enables.
_types_of_versions: LRUCache[tuple[str, ...]] = LRUCache(1024)


class AnalysisStatus(TypedDict):
    """The analysis status object of the interface."""

    analysis_status: dict[str, dict[str, int]]  # type → state → calls
    analyzed_calls: int
    duplicate_uploads: int
    in_progress: bool
    reclustering: bool
    last_analyzed_at: str | None
    waiting_for: list[dict[str, object]]  # an addition: engines in trouble, with the files that wait


class OpenWork(NamedTuple):
    """What is known of some projects besides their counts."""

    duplicates: int  # files that a newer file of their call replaced
    has_open_jobs: bool
    is_regrouping: bool
    latest_result_at: dt.datetime | None


def load_analysis_status(projects: Sequence[Project] | Sequence[ProjectRef]) -> AnalysisStatus:
    """Return the analysis status of these call projects.

    Calls are counted by the state of their newest file. `in_progress` covers the
    older files of a call as well, so it ends with the last result.
    """
    project_ids = [project.pk for project in projects]
    with snapshot():
        counts = _count_states(project_ids)
        work = _load_open_work(project_ids)
        has_open_calls = any(states[state.label] for states in counts.values() for state in OPEN_ANALYSES)
        return {
            "analysis_status": counts,
            "analyzed_calls": reader.count_calls(project_ids),
            "duplicate_uploads": work.duplicates,
            "in_progress": has_open_calls or work.has_open_jobs,
            "reclustering": work.is_regrouping,
            "last_analyzed_at": utc_text(work.latest_result_at) if work.latest_result_at else None,
            "waiting_for": _list_waits(project_ids) if work.has_open_jobs else [],
        }


def _list_waits(project_ids: Sequence[int]) -> list[dict[str, object]]:
    return [
        {
            "engine": wait.kind,
            "address": wait.address,
            "reason": wait.reason,
            "since": utc_text(wait.since),
            "until": utc_text(wait.until),
            "files": wait.files,
        }
        for wait in waits.list_waits(project_ids)
    ]


def _count_states(project_ids: Sequence[int]) -> dict[str, dict[str, int]]:
    """Return type → state → calls, for enabled types and for those that older results still have."""
    enabled = _find_enabled_types(project_ids)
    zeros = {state.label: 0 for state in AnalysisState}
    counts = {name: dict(zeros) for name in STATE_FIELDS}
    for found, calls in status_counts.count_by_status(project_ids):
        for name, state in zip(STATE_FIELDS, found, strict=True):
            if state is not None:
                counts[name][str(AnalysisState(state).label)] += calls
    return {name: of_type for name, of_type in counts.items() if name in enabled or any(of_type.values())}


def _find_enabled_types(project_ids: Sequence[int]) -> set[str]:
    """Return the analysis types that any of these projects enables."""
    if connection.vendor != "postgresql":
        texts = Project.objects.filter(pk__in=project_ids).values_list(Cast("config", TextField()), flat=True)
        return {name for content in texts for name in _enabled_types(content)}
    if not project_ids:
        return set()
    # PostgreSQL takes longer to write configurations as text than all else takes here. Transaction and place
    # tell the versions of a row apart: a configuration is read when it has changed.
    statement = (
        "SELECT id, CAST(xmin AS TEXT), CAST(ctid AS TEXT) FROM projects_project"  # noqa: S608
        f" WHERE id IN ({', '.join(['%s'] * len(project_ids))})"
    )
    versions = raw_sql.fetch_prepared(statement, project_ids)
    known = {row[0]: _types_of_versions.get(row) for row in versions}
    unknown = [pk for pk, types in known.items() if types is None]
    if unknown:
        for pk, config in Project.objects.filter(pk__in=unknown).values_list("pk", "config"):
            known[pk] = _enabled_types(json.dumps(config))
        for row in versions:
            _types_of_versions.put(row, known[row[0]] or ())
    return {name for types in known.values() for name in types or ()}


@lru_cache(maxsize=256)
def _enabled_types(content: str) -> tuple[str, ...]:
    """Return the analysis types that a configuration, given as JSON text, enables."""
    from callscope.analysis.analyze import enabled_types

    return tuple(enabled_types(parse(json.loads(content))))


def _load_open_work(project_ids: Sequence[int]) -> OpenWork:
    """Return duplicates, open jobs, regroupings and the latest result, in one query.

    Each file of a call project has an analysis, and each call has one newest file; the others are
    duplicates. The latest result of a project is the last entry of its part of an index.
    """
    if not project_ids:
        return OpenWork(0, has_open_jobs=False, is_regrouping=False, latest_result_at=None)
    places = ", ".join(["%s"] * len(project_ids))
    these = f"project_id IN ({places})"
    # For each project by itself, as the end of its part of an index. One statement in another: PostgreSQL
    # plans it once, and not for each project.
    latest = "SELECT MAX(completed_at) FROM analysis_callanalysis WHERE project_id = p.id AND is_live = TRUE"
    kinds, open_states = (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE), jobs.OPEN_STATES
    statement = (
        f"SELECT (SELECT COUNT(*) FROM analysis_callanalysis WHERE {these} AND NOT is_newest),"  # noqa: S608
        f" EXISTS (SELECT 1 FROM pipeline_job WHERE {these} AND state IN (%s, %s) AND kind IN (%s, %s)),"
        f" EXISTS (SELECT 1 FROM contact_reasons_regrouping WHERE {these}),"
        f" (SELECT MAX(({latest})) FROM projects_project p WHERE p.id IN ({places}))"
    )
    parameters = [*project_ids, *project_ids, *open_states, *kinds, *project_ids, *project_ids]
    [(duplicates, has_open_jobs, is_regrouping, at)] = raw_sql.fetch_prepared(statement, parameters)
    if isinstance(at, str):  # SQLite has no type for moments
        at = dt.datetime.fromisoformat(at).replace(tzinfo=dt.UTC)
    return OpenWork(duplicates, bool(has_open_jobs), bool(is_regrouping), at)
