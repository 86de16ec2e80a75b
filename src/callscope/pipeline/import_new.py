"""Write the calls of an import that the project does not have yet, column by column."""

import datetime as dt

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls import bulk_rows
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.models import CallReason
from callscope.pipeline.import_batches import PreparedCall
from callscope.pipeline.import_run import PARTS, PROVENANCE, ImportRun, file_type
from callscope.reports import facts
from callscope.reports.scores import Criterion

# Looked up once: an enumeration takes as long to ask as a row takes to build.
COMPLETED = AnalysisState.COMPLETED.value
FROM_API = Call.DatetimeSource.API.value
FROM_UPLOAD = Call.DatetimeSource.UPLOAD_TIME.value
AGENT_FROM_API = Call.AgentSource.API.value


def create(run: ImportRun, lines: list[PreparedCall], criteria: list[Criterion]) -> None:
    """Write these calls with their facts; their agents and contact reasons are known to `run`."""
    if not lines:
        return
    call_ids = bulk_rows.new_ids(Call, len(lines))
    file_ids = bulk_rows.new_ids(UploadedFile, len(lines))
    uploaded = [line.uploaded_at or run.now for line in lines]
    agents = [_agent_id(run, line) for line in lines]
    _create_calls(run, lines, call_ids, file_ids, uploaded, agents)
    _create_files(run, lines, call_ids, file_ids, uploaded)
    _create_analyses(run, lines, call_ids, file_ids)
    _create_reasons(run, lines, call_ids)
    live = [
        (_source(line, run.project.pk, call_id, agent_id, at), line.score.packed)
        for line, call_id, agent_id, at in zip(lines, call_ids, agents, uploaded, strict=True)
        if line.has_results
    ]
    facts.add(
        run.project.pk, [source for source, _ in live], criteria, b"".join(packed for _, packed in live)
    )


def _create_calls(
    run: ImportRun,
    lines: list[PreparedCall],
    call_ids: list[int],
    file_ids: list[int],
    uploaded: list[dt.datetime],
    agents: list[int | None],
) -> None:
    bulk_rows.insert_columns(
        Call,
        len(lines),
        {
            "id": call_ids,
            "project_id": run.project.pk,
            "file_name": [line.file_name for line in lines],
            "name_stem": [line.name_stem for line in lines],
            "newest_file_id": file_ids,
            "call_datetime": [line.call_datetime or at for line, at in zip(lines, uploaded, strict=True)],
            "call_datetime_source": [_time_source(line) for line in lines],
            "agent_id": agents,
            "agent_source": [
                "" if agent is None else line.agent_source or AGENT_FROM_API
                for line, agent in zip(lines, agents, strict=True)
            ],
            "direction": [line.direction for line in lines],
            "caller_number": [line.caller_number for line in lines],
            "campaign": [line.campaign for line in lines],
            "uploaded_at": uploaded,
        },
    )


def _create_files(
    run: ImportRun,
    lines: list[PreparedCall],
    call_ids: list[int],
    file_ids: list[int],
    uploaded: list[dt.datetime],
) -> None:
    bulk_rows.insert_columns(
        UploadedFile,
        len(lines),
        {
            "id": file_ids,
            "project_id": run.project.pk,
            "call_id": call_ids,
            "uploaded_by_id": run.by.pk if run.by else None,
            "original_filename": [line.file_name for line in lines],
            "file_type": [file_type(line.file_name) for line in lines],
            "duration_us": [line.duration_us for line in lines],
            "status": UploadedFile.Status.TRANSCRIBED.value,
            "created_at": uploaded,
        },
    )


def _create_analyses(
    run: ImportRun, lines: list[PreparedCall], call_ids: list[int], file_ids: list[int]
) -> None:
    parts = {part: [getattr(line, part) for line in lines] for part in PARTS}
    states = {
        f"{part}_state": [None if result is None else COMPLETED for result in results]
        for part, results in parts.items()
    }
    bulk_rows.insert_columns(
        CallAnalysis,
        len(lines),
        {
            "file_id": file_ids,
            "call_id": call_ids,
            "project_id": run.project.pk,
            "is_newest": True,
            "is_live": [line.has_results for line in lines],
            "completed_at": [(line.analyzed_at or run.now) if line.has_results else None for line in lines],
            "provenance": PROVENANCE,
            **parts,
            **states,
        },
    )


def _create_reasons(run: ImportRun, lines: list[PreparedCall], call_ids: list[int]) -> None:
    with_reason = [
        (call_id, line.contact_reason)
        for line, call_id in zip(lines, call_ids, strict=True)
        if line.contact_reason
    ]
    bulk_rows.insert_columns(
        CallReason,
        len(with_reason),
        {
            "call_id": [call_id for call_id, _ in with_reason],
            "project_id": run.project.pk,
            "reason_id": [run.reasons[reason] for _, reason in with_reason],
        },
    )


def _agent_id(run: ImportRun, line: PreparedCall) -> int | None:
    if line.agent_id or line.agent_name:
        return run.directory.find(line.agent_id, line.agent_name).pk
    return None


def _time_source(line: PreparedCall) -> str:
    if line.call_datetime is None:
        return FROM_UPLOAD
    return line.call_datetime_source or FROM_API


def _source(
    line: PreparedCall, project_id: int, call_id: int, agent_id: int | None, uploaded_at: dt.datetime
) -> facts.Source:
    score = line.score
    return facts.Source(
        call_id=call_id,
        project_id=project_id,
        file_name=line.file_name,
        call_datetime=line.call_datetime or uploaded_at,
        has_real_time=_time_source(line) != FROM_UPLOAD,
        agent_id=agent_id,
        direction=line.direction,
        caller_number=line.caller_number,
        campaign=line.campaign,
        duration_us=line.duration_us,
        sentiment=line.sentiment,
        goal_reached=line.goal_reached,
        topic=line.topic,
        reason=line.contact_reason or "",
        mistakes=line.mistakes,
        missing_prompts=line.missing_prompts,
        has_answers=line.custom_questions is not None,
        points=score.points,
        max_points=score.max_points,
        counted_points=score.counted_points,
        score_bp=score.basis_points,
        critical=score.critical,
        error_classes=score.error_classes,
        plain_judged=score.plain_judged,
        plain_met=score.plain_met,
        entries=score.entries,
    )
