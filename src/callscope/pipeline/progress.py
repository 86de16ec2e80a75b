"""How far the analyses of some projects are. Rules: docs/api.md, "Analysis status".

A client asks this again and again while it waits, so nothing here counts calls:
counts come from the report store, everything else from an index.
"""

import datetime as dt
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import TextField
from django.db.models.functions import Cast

from callscope.analysis.models import STATE_FIELDS, AnalysisState
from callscope.pipeline import jobs
from callscope.pipeline.analysis_results import OPEN_STATES
from callscope.pipeline.models import Job
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.projects.scope import Named
from callscope.reports import states, store
from callscope.reports.call_table import utc_text
from callscope.reports.snapshot import snapshot


def analysis_status(projects: Sequence[Project] | Sequence[Named]) -> dict[str, Any]:
    """Return the analysis status object of the interface for these call projects.

    The counts are of calls, by the state of their newest file. `in_progress` looks
    at older files of a call as well, so that it ends with the last result.
    """
    project_ids = [project.pk for project in projects]
    with snapshot():
        counts = _counts(project_ids)
        duplicates, is_open, is_regrouping, latest = _beside(project_ids)
        return {
            "analysis_status": counts,
            "analyzed_calls": store.calls(project_ids),
            "duplicate_uploads": duplicates,
            "in_progress": _any_open_count(counts) or is_open,
            "reclustering": is_regrouping,
            "last_analyzed_at": utc_text(latest) if latest else None,
        }


def _counts(project_ids: Sequence[int]) -> dict[str, dict[str, int]]:
    """Return type → state → calls: the enabled types, and those that older results still have."""
    texts = Project.objects.filter(pk__in=project_ids).values_list(Cast("config", TextField()), flat=True)
    enabled = {name for content in texts for name in _enabled_types(content)}
    zeros = {state.label: 0 for state in AnalysisState}
    counts = {name: dict(zeros) for name in STATE_FIELDS}
    for found, calls in states.counts(project_ids):
        for name, state in zip(STATE_FIELDS, found, strict=True):
            if state is not None:
                counts[name][str(AnalysisState(state).label)] += calls
    return {name: of_type for name, of_type in counts.items() if name in enabled or any(of_type.values())}


@lru_cache(maxsize=256)
def _enabled_types(content: str) -> tuple[str, ...]:
    """Return the analysis types that a configuration, given as JSON text, asks for."""
    from callscope.analysis.analyze import enabled_types

    return tuple(enabled_types(parse(json.loads(content))))


def _beside(project_ids: Sequence[int]) -> tuple[int, bool, bool, dt.datetime | None]:
    """Return duplicate uploads, whether a job is open, whether reasons are regrouped, and the latest result.

    Each file of a call project has an analysis, and each call one newest file: the others are duplicates.
    The latest result of a project is the last of its part of an index.
    """
    if not project_ids:
        return 0, False, False, None
    these = f"project_id IN ({', '.join(['%s'] * len(project_ids))})"
    latest = (
        "SELECT MAX(completed_at) AS at FROM analysis_callanalysis WHERE project_id = %s AND is_live = TRUE"
    )
    kinds, open_states = (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE), jobs.OPEN
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT (SELECT COUNT(*) FROM analysis_callanalysis WHERE {these} AND NOT is_newest),"  # noqa: S608
            f" EXISTS (SELECT 1 FROM pipeline_job WHERE {these} AND state IN (%s, %s) AND kind IN (%s, %s)),"
            f" EXISTS (SELECT 1 FROM contact_reasons_regrouping WHERE {these}),"
            f" (SELECT MAX(at) FROM ({' UNION ALL '.join([latest] * len(project_ids))}) AS of_projects)",
            [*project_ids, *project_ids, *open_states, *kinds, *project_ids, *project_ids],
        )
        duplicates, is_open, is_regrouping, at = cursor.fetchone()
    if isinstance(at, str):  # SQLite has no type for moments
        at = dt.datetime.fromisoformat(at).replace(tzinfo=dt.UTC)
    return duplicates, bool(is_open), bool(is_regrouping), at


def _any_open_count(counts: dict[str, dict[str, int]]) -> bool:
    return any(of_type[state.label] for of_type in counts.values() for state in OPEN_STATES)
