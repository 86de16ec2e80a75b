"""Write the calls of an import that the project does not have yet, column by column."""

import datetime as dt

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.fields import PLAIN_COLUMNS, CallDetails
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.models import CallReason
from callscope.db import bulk_insert
from callscope.pipeline.transfer.context import PARTS, PROVENANCE, ImportContext, guess_file_type
from callscope.pipeline.transfer.prepare import PreparedCall
from callscope.reports.store import facts
from callscope.reports.store.scores import CriterionKey

# Looked up once: an enumeration takes as long to ask as a row takes to build.
COMPLETED = AnalysisState.COMPLETED.value
FROM_API = Call.DatetimeSource.API.value
FROM_UPLOAD = Call.DatetimeSource.UPLOAD_TIME.value
AGENT_FROM_API = Call.AgentSource.API.value


def insert_calls(context: ImportContext, lines: list[PreparedCall], criteria: list[CriterionKey]) -> None:
    """Write these calls with their facts; their agents and contact reasons are known to `context`."""
    if not lines:
        return
    # Ids are drawn first, because calls and files name each other.
    call_ids = bulk_insert.new_ids(Call, len(lines))
    file_ids = bulk_insert.new_ids(UploadedFile, len(lines))
    uploaded = [line.uploaded_at or context.now for line in lines]
    details = [line.details for line in lines]
    agents = [context.resolve_agent(each) for each in details]
    bulk_insert.insert_columns(
        Call,
        len(lines),
        {
            "id": call_ids,
            "project_id": context.project.pk,
            "file_name": [line.file_name for line in lines],
            "name_stem": [line.name_stem for line in lines],
            "newest_file_id": file_ids,
            "call_datetime": [each.call_datetime or at for each, at in zip(details, uploaded, strict=True)],
            "call_datetime_source": [_datetime_source(each) for each in details],
            "agent_id": agents,
            "agent_source": [
                "" if agent is None else each.agent_source or AGENT_FROM_API
                for each, agent in zip(details, agents, strict=True)
            ],
            "uploaded_at": uploaded,
            **{name: [getattr(each, name) for each in details] for name in PLAIN_COLUMNS},
        },
    )
    _insert_files(context, lines, call_ids, file_ids, uploaded)
    _insert_analyses(context, lines, call_ids, file_ids)
    with_results = [
        (_build_fact_input(context, line, call_id, agent_id, at), line.packed_entries)
        for line, call_id, agent_id, at in zip(lines, call_ids, agents, uploaded, strict=True)
        if line.has_results
    ]
    packed_entries = b"".join(packed for _, packed in with_results)
    facts.add_imported(context.project.pk, [fact for fact, _ in with_results], criteria, packed_entries)


def _insert_files(
    context: ImportContext,
    lines: list[PreparedCall],
    call_ids: list[int],
    file_ids: list[int],
    uploaded: list[dt.datetime],
) -> None:
    file_names = [line.file_name for line in lines]
    bulk_insert.insert_columns(
        UploadedFile,
        len(lines),
        {
            "id": file_ids,
            "project_id": context.project.pk,
            "call_id": call_ids,
            "uploaded_by_id": context.by.pk if context.by else None,
            "original_filename": file_names,
            "file_type": [guess_file_type(name) for name in file_names],
            "duration_us": [line.figures.duration_us for line in lines],
            "status": UploadedFile.Status.TRANSCRIBED.value,
            "created_at": uploaded,
            "is_private": context.is_private,
        },
    )


def _insert_analyses(
    context: ImportContext, lines: list[PreparedCall], call_ids: list[int], file_ids: list[int]
) -> None:
    """Write the results of these calls, and their contact reasons."""
    parts = {part: [getattr(line, part) for line in lines] for part in PARTS}
    states = {
        f"{part}_state": [None if result is None else COMPLETED for result in results]
        for part, results in parts.items()
    }
    bulk_insert.insert_columns(
        CallAnalysis,
        len(lines),
        {
            "file_id": file_ids,
            "call_id": call_ids,
            "project_id": context.project.pk,
            "is_newest": True,
            "is_live": [line.has_results for line in lines],
            "completed_at": [
                (line.analyzed_at or context.now) if line.has_results else None for line in lines
            ],
            "provenance": PROVENANCE,
            **parts,
            **states,
        },
    )
    reasons = {
        call_id: context.reason_ids[line.contact_reason]
        for line, call_id in zip(lines, call_ids, strict=True)
        if line.contact_reason
    }
    bulk_insert.insert_columns(
        CallReason,
        len(reasons),
        {
            "call_id": list(reasons),
            "project_id": context.project.pk,
            "reason_id": list(reasons.values()),
            "is_fixed": False,
        },
    )


def _datetime_source(details: CallDetails) -> str:
    if details.call_datetime is None:
        return FROM_UPLOAD
    return details.call_datetime_source or FROM_API


def _build_fact_input(
    context: ImportContext, line: PreparedCall, call_id: int, agent_id: int | None, uploaded_at: dt.datetime
) -> facts.FactInput:
    details = line.details
    return facts.FactInput(
        call_id=call_id,
        project_id=context.project.pk,
        file_name=line.file_name,
        call_datetime=details.call_datetime or uploaded_at,
        has_real_time=_datetime_source(details) != FROM_UPLOAD,
        agent_id=agent_id,
        direction=details.direction,
        caller_number=details.caller_number,
        campaign=details.campaign,
        reason=line.contact_reason or "",
        figures=line.figures,
        is_set_aside=line.contact_reason in context.set_aside,
    )
