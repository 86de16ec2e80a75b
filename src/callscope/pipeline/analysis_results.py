"""Write findings where the reports read them.

A file's analyses complete together. The first time they do, the row becomes the
live one of its call and what was live before is kept, superseded, in the same
transaction. Rules: docs/api.md, "What counts".
"""

import datetime as dt
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone

from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.projects.configuration import Configuration

if TYPE_CHECKING:
    from callscope.analysis.analyze import Findings

# Analysis type → the column of its result; STATE_FIELDS has the column of its state.
RESULT_FIELDS = {name: name.removeprefix("calls_analysis_") for name in STATE_FIELDS}
OPEN_STATES = (AnalysisState.QUEUED, AnalysisState.PROCESSING)


def any_open() -> Q:
    """Return the condition for rows in which some analysis is queued or processing."""
    condition = Q()
    for field in STATE_FIELDS.values():
        condition |= Q(**{f"{field}__in": OPEN_STATES})
    return condition


def mark_processing(file_id: int) -> None:
    """Set the queued analyses of a file to processing."""
    _move(file_id, (AnalysisState.QUEUED,), AnalysisState.PROCESSING)


def mark_failed(file_id: int, sentence: str) -> None:
    """Set the open analyses of a file to failed, each with the reason."""
    for analysis in CallAnalysis.objects.select_for_update().filter(file=file_id):
        for name, field in STATE_FIELDS.items():
            if getattr(analysis, field) in OPEN_STATES:
                setattr(analysis, field, AnalysisState.FAILED)
                analysis.errors[name] = sentence
        analysis.save(update_fields=[*STATE_FIELDS.values(), "errors"])


def mark_queued_again(file_id: int) -> None:
    """Set the failed analyses of a file back to queued."""
    _move(file_id, (AnalysisState.FAILED,), AnalysisState.QUEUED)
    CallAnalysis.objects.filter(file=file_id).update(errors={})


def store(file: UploadedFile, findings: "Findings", config: Configuration, *, version: int) -> None:
    """Store the findings of a file in the caller's transaction; the reports follow at once."""
    from callscope.analysis.analyze import enabled_types

    now = timezone.now()
    call = Call.objects.select_for_update().get(files=file)
    analysis = CallAnalysis.objects.select_for_update().get(file=file)
    enabled = enabled_types(config)
    for name, field in STATE_FIELDS.items():
        result = getattr(findings, RESULT_FIELDS[name])
        setattr(analysis, RESULT_FIELDS[name], result)
        setattr(analysis, field, _state(result, is_enabled=name in enabled))
    analysis.errors = dict(findings.errors)
    analysis.provenance = findings.provenance
    analysis.config_version = version
    if any(getattr(analysis, field) == AnalysisState.COMPLETED for field in STATE_FIELDS.values()):
        analysis.completed_at = now
        _put_live(call, analysis, file, now)
    analysis.save()
    if analysis.is_live:
        _tell_the_other_rooms(call, analysis, config)


def _state(result: object, *, is_enabled: bool) -> AnalysisState | None:
    if result is not None:
        return AnalysisState.COMPLETED
    return AnalysisState.FAILED if is_enabled else None


def _put_live(call: Call, analysis: CallAnalysis, file: UploadedFile, now: dt.datetime) -> None:
    """Make this row the live one of its call, unless a newer file's results are live already."""
    live = (
        CallAnalysis.objects.select_for_update()
        .filter(call=call, is_live=True)
        .exclude(pk=analysis.pk)
        .first()
    )
    if live is None:
        _begin_to_live(call, analysis, file)
    elif live.file_id > file.pk:
        newer = UploadedFile.objects.get(pk=live.file_id)
        _supersede(analysis, newer, now)
    else:
        _supersede(live, file, now)
        live.save(update_fields=["is_live", "superseded_at", "superseded_by", "superseded_by_file"])
        _begin_to_live(call, analysis, file)


def _begin_to_live(call: Call, analysis: CallAnalysis, file: UploadedFile) -> None:
    analysis.is_live = True
    if call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME:
        call.call_datetime = file.created_at
        call.save(update_fields=["call_datetime"])


def _supersede(analysis: CallAnalysis, by_file: UploadedFile, now: dt.datetime) -> None:
    analysis.is_live = False
    analysis.superseded_at = now
    analysis.superseded_by_id = by_file.uploaded_by_id
    analysis.superseded_by_file_id = by_file.pk


def _tell_the_other_rooms(call: Call, analysis: CallAnalysis, config: Configuration) -> None:
    from callscope.calls import agents
    from callscope.contact_reasons import grouping
    from callscope.reports import facts

    if agents.link_extracted(call, str((analysis.insights or {}).get("agent_name") or "")):
        call.save(update_fields=["agent", "agent_source"])
    grouping.classify_arrival(call, analysis.insights, config)
    facts.refresh([call.pk])


def _move(file_id: int, from_states: tuple[AnalysisState, ...], to_state: AnalysisState) -> None:
    for field in STATE_FIELDS.values():
        CallAnalysis.objects.filter(file=file_id, **{f"{field}__in": from_states}).update(**{field: to_state})
