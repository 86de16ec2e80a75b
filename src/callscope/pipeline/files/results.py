"""Store findings where the reports read them.

The analyses of a file complete together. The first time they do, the row becomes
the live one of its call, and in the same transaction the row that was live before
is marked as superseded. Rules: docs/api.md, "What counts".
"""

import datetime as dt
from collections.abc import Collection
from typing import TYPE_CHECKING

from callscope.analysis.models import OPEN_ANALYSES, RESULT_FIELDS, STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.db import clock
from callscope.projects.configuration import Configuration

if TYPE_CHECKING:
    from callscope.analysis.analyze import Findings


def mark_processing(file_id: int) -> None:
    """Set the queued analyses of a file to processing."""
    _change_states([file_id], (AnalysisState.QUEUED,), AnalysisState.PROCESSING)


def mark_failed(file_id: int, sentence: str) -> None:
    """Set the open analyses of a file to failed, each with this sentence as its error."""
    for analysis in CallAnalysis.objects.select_for_update().filter(file=file_id):
        for name, field in STATE_FIELDS.items():
            if getattr(analysis, field) in OPEN_ANALYSES:
                setattr(analysis, field, AnalysisState.FAILED)
                analysis.errors[name] = sentence
        analysis.save(update_fields=[*STATE_FIELDS.values(), "errors"])


def requeue_failed(file_ids: Collection[int]) -> None:
    """Set the failed analyses of these files back to queued."""
    _change_states(file_ids, (AnalysisState.FAILED,), AnalysisState.QUEUED)
    CallAnalysis.objects.filter(file__in=file_ids).update(errors={})


def store_findings(file: UploadedFile, findings: "Findings", config: Configuration, *, version: int) -> None:
    """Store the findings of a file, and update the reports in the same transaction, the caller's."""
    from callscope.analysis.analyze import enabled_types

    now = clock.read_now()  # a regrouping asks whether calls were completed since it was claimed
    call = Call.objects.select_for_update().get(files=file)
    analysis = CallAnalysis.objects.select_for_update().get(file=file)
    enabled = enabled_types(config)
    errors = dict(findings.errors)
    analysis.restore_machine_results()  # what is found now replaces the machine's result, not a person's
    for name, field in STATE_FIELDS.items():
        result = getattr(findings, RESULT_FIELDS[name])
        if result is None and name in enabled and getattr(analysis, field) == AnalysisState.COMPLETED:
            errors.pop(name, None)  # a retry for the sake of another part loses nothing
            continue
        setattr(analysis, RESULT_FIELDS[name], result)
        missing = AnalysisState.FAILED if name in enabled else None
        setattr(analysis, field, missing if result is None else AnalysisState.COMPLETED)
    analysis.errors = errors
    analysis.provenance = findings.provenance
    analysis.config_version = version
    if any(getattr(analysis, field) == AnalysisState.COMPLETED for field in STATE_FIELDS.values()):
        analysis.completed_at = now
        _activate(call, analysis, file, now)
    analysis.save()
    if analysis.is_live:
        _update_dependents(call, analysis, config)


def _activate(call: Call, analysis: CallAnalysis, file: UploadedFile, now: dt.datetime) -> None:
    """Make this the live row of its call, unless the results of a newer file are live already."""
    live = (
        CallAnalysis.objects.select_for_update()
        .filter(call=call, is_live=True)
        .exclude(pk=analysis.pk)
        .first()
    )
    if live is None:
        _mark_live(call, analysis, file)
    elif live.file_id > file.pk:
        newer = UploadedFile.objects.get(pk=live.file_id)
        _supersede(analysis, newer, now)
    else:
        _supersede(live, file, now)
        live.save(update_fields=["is_live", "superseded_at", "superseded_by", "superseded_by_file"])
        _mark_live(call, analysis, file)


def _mark_live(call: Call, analysis: CallAnalysis, file: UploadedFile) -> None:
    analysis.is_live = True
    if call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME:
        call.call_datetime = file.created_at
        call.save(update_fields=["call_datetime"])


def _supersede(analysis: CallAnalysis, by_file: UploadedFile, now: dt.datetime) -> None:
    analysis.is_live = False
    analysis.superseded_at = now
    analysis.superseded_by_id = by_file.uploaded_by_id
    analysis.superseded_by_file_id = by_file.pk


def _update_dependents(call: Call, analysis: CallAnalysis, config: Configuration) -> None:
    from callscope.calls import agents
    from callscope.calls.reviewed_agents import COLUMNS
    from callscope.contact_reasons.assignment import assign_reason
    from callscope.contact_reasons.following import follow_reviews
    from callscope.reports.store import facts

    with follow_reviews([call.pk]):
        call.refresh_from_db(fields=COLUMNS)
        if agents.link_extracted(call, str((analysis.insights or {}).get("agent_name") or "")):
            call.save(update_fields=["agent", "agent_source"])
        assign_reason(call, analysis.insights, config)
    facts.refresh([call.pk])


def _change_states(
    file_ids: Collection[int], from_states: tuple[AnalysisState, ...], to_state: AnalysisState
) -> None:
    analyses = CallAnalysis.objects.filter(file__in=file_ids)
    for field in STATE_FIELDS.values():
        analyses.filter(**{f"{field}__in": from_states}).update(**{field: to_state})
