"""How far the analyses of some projects are. Rules: docs/api.md, "Analysis status"."""

from typing import Any

from django.db.models import Count, Max

from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.models import Regrouping
from callscope.pipeline import jobs
from callscope.pipeline.analysis_results import OPEN_STATES
from callscope.pipeline.models import Job
from callscope.projects.models import Project


def analysis_status(projects: list[Project]) -> dict[str, Any]:
    """Return the analysis status object of the interface for these call projects.

    The counts are of calls, by the state of their newest file. `in_progress` looks
    at older files of a call as well, so that it ends with the last result.
    """
    counts = _counts(projects)
    results = CallAnalysis.objects.filter(project__in=projects, is_live=True)
    live = results.aggregate(calls=Count("pk"), latest=Max("completed_at"))
    files = UploadedFile.objects.filter(project__in=projects).count()  # in call projects each has a call
    latest = live["latest"]
    return {
        "analysis_status": counts,
        "analyzed_calls": live["calls"],
        "duplicate_uploads": files - Call.objects.filter(project__in=projects).count(),
        "in_progress": _any_open_count(counts) or _any_open_job(projects),
        "reclustering": Regrouping.objects.filter(project__in=projects).exists(),
        "last_analyzed_at": latest.isoformat() if latest else None,
    }


def _counts(projects: list[Project]) -> dict[str, dict[str, int]]:
    """Return type → state → calls: the enabled types, and those that older results still have."""
    from callscope.analysis.analyze import enabled_types

    enabled = {name for project in projects for name in enabled_types(project.configuration)}
    zeros = {state.label: 0 for state in AnalysisState}
    counts = {name: dict(zeros) for name in STATE_FIELDS}
    newest = CallAnalysis.objects.filter(project__in=projects, is_newest=True)
    for row in newest.values(*STATE_FIELDS.values()).annotate(calls=Count("pk")).order_by():
        for name, field in STATE_FIELDS.items():
            if row[field] is not None:
                counts[name][str(AnalysisState(row[field]).label)] += row["calls"]
    return {name: states for name, states in counts.items() if name in enabled or any(states.values())}


def _any_open_count(counts: dict[str, dict[str, int]]) -> bool:
    return any(states[state.label] for states in counts.values() for state in OPEN_STATES)


def _any_open_job(projects: list[Project]) -> bool:
    analyses = Job.objects.filter(project__in=projects, kind__in=[Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE])
    return analyses.filter(state__in=jobs.OPEN).exists()
