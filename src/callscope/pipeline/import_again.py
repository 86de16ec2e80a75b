"""Bring calls that the project has already to what the lines of an import say.

What differs becomes another file with other results; the former ones are kept,
superseded, as a re-upload keeps them. What does not differ is left alone.
"""

from typing import Any

from django.db.models import Q

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.models import CallReason
from callscope.pipeline.import_lines import ImportedCall
from callscope.pipeline.import_run import PARTS, PROVENANCE, ImportRun, file_type

CALL_FIELDS = (
    "newest_file",
    "call_datetime",
    "call_datetime_source",
    "agent",
    "agent_source",
    "agent_unlinked",
    "direction",
    "caller_number",
    "campaign",
    "uploaded_at",
)
Again = list[tuple[ImportedCall, Call]]


def replace(run: ImportRun, again: Again) -> list[int]:
    """Bring known calls to what their lines say; return the ids of those that changed."""
    if not again:
        return []
    former = _former(again)
    before = {call.pk: _described(call) for _, call in again}
    others = [(line, call) for line, call in again if _says_other_results(line, call, former.get(call.pk))]
    for _, call in others:
        call.uploaded_at = run.now
    for line, call in again:
        call.uploaded_at = line.uploaded_at or call.uploaded_at
        _describe(run, call, line)
    _swap_results(run, others, former)
    replaced = {call.pk for _, call in others}
    moved = _move_reasons(run, again, replaced)
    changed = replaced | moved | {c.pk for _, c in again if _described(c) != before[c.pk]}
    Call.objects.bulk_update([call for _, call in again if call.pk in changed], CALL_FIELDS)
    return sorted(changed)


def _former(again: Again) -> dict[int, CallAnalysis]:
    """Return call id → its live analysis, or its newest one where none is live."""
    rows = CallAnalysis.objects.filter(call__in=[call.pk for _, call in again]).select_related("file")
    wanted = rows.filter(Q(is_live=True) | Q(is_newest=True)).order_by("is_live")
    return {analysis.call_id: analysis for analysis in wanted}  # the live one comes last and stays


def _swap_results(run: ImportRun, others: Again, former: dict[int, CallAnalysis]) -> None:
    """Make new files with the results of these lines; what was live is kept, superseded."""
    if not others:
        return
    files = [_file(run, line, call) for line, call in others]
    UploadedFile.objects.bulk_create(files)
    superseded = []
    for (_, call), file in zip(others, files, strict=True):
        call.newest_file = file
        before = former.get(call.pk)
        if before and before.is_live:
            before.is_live, before.superseded_at = False, run.now
            before.superseded_by, before.superseded_by_file = run.by, file
            superseded.append(before)
    CallAnalysis.objects.filter(call__in=[call.pk for _, call in others], is_newest=True).update(
        is_newest=False
    )
    CallAnalysis.objects.bulk_update(
        superseded, ["is_live", "superseded_at", "superseded_by", "superseded_by_file"]
    )
    CallAnalysis.objects.bulk_create(
        [_analysis(run, line, call, file) for (line, call), file in zip(others, files, strict=True)]
    )


def _move_reasons(run: ImportRun, again: Again, replaced: set[int]) -> set[int]:
    """Bring the contact reasons to what the lines say; return the calls whose reason changed.

    New results leave nothing of the former ones: without a reason in the line, the call has none.
    """
    current = dict(
        CallReason.objects.filter(call__in=[call.pk for _, call in again]).values_list("call_id", "reason_id")
    )
    moved = [
        (line, call)
        for line, call in again
        if (line.contact_reason is not None or call.pk in replaced)
        and current.get(call.pk) != run.reasons.get(line.contact_reason or "")
    ]
    ids = {call.pk for _, call in moved}
    CallReason.objects.filter(call__in=ids).delete()
    CallReason.objects.bulk_create(
        [_reason(run, call, line.contact_reason) for line, call in moved if line.contact_reason]
    )
    return ids


def _describe(run: ImportRun, call: Call, line: ImportedCall) -> None:
    """Write into the call, unsaved, what the line tells about it; `uploaded_at` is set before."""
    if line.call_datetime is None:
        call.call_datetime = call.uploaded_at
        call.call_datetime_source = Call.DatetimeSource.UPLOAD_TIME
    else:
        call.call_datetime = line.call_datetime
        call.call_datetime_source = line.call_datetime_source or Call.DatetimeSource.API
    call.direction = line.direction
    call.caller_number = line.caller_number
    call.campaign = line.campaign
    if line.agent_id or line.agent_name:
        call.agent = run.directory.find(line.agent_id, line.agent_name)
        call.agent_source = line.agent_source or Call.AgentSource.API
    else:
        call.agent, call.agent_source = None, ""
    call.agent_unlinked = False


def _file(run: ImportRun, line: ImportedCall, call: Call) -> UploadedFile:
    return UploadedFile(
        project=run.project,
        call=call,
        uploaded_by=run.by,
        original_filename=line.file_name,
        file_type=file_type(line.file_name),
        duration_us=line.duration_us,
        status=UploadedFile.Status.TRANSCRIBED,
        created_at=call.uploaded_at,
    )


def _analysis(run: ImportRun, line: ImportedCall, call: Call, file: UploadedFile) -> CallAnalysis:
    results = {part: getattr(line, part) for part in PARTS}
    states = {
        f"{part}_state": None if result is None else AnalysisState.COMPLETED
        for part, result in results.items()
    }
    return CallAnalysis(
        file=file,
        call=call,
        project=run.project,
        is_live=line.has_results,
        completed_at=(line.analyzed_at or run.now) if line.has_results else None,
        provenance=PROVENANCE,
        **results,
        **states,
    )


def _reason(run: ImportRun, call: Call, name: str) -> CallReason:
    return CallReason(call=call, project=run.project, reason_id=run.reasons[name])


def _described(call: Call) -> tuple[Any, ...]:
    return tuple(
        getattr(call, name if name not in ("agent", "newest_file") else f"{name}_id") for name in CALL_FIELDS
    )


def _says_other_results(line: ImportedCall, call: Call, former: CallAnalysis | None) -> bool:
    """Whether the line carries results that differ from the former ones, or that are of another time."""
    if former is None:
        return True
    said = (
        (line.uploaded_at, call.uploaded_at),
        (line.analyzed_at if line.has_results else None, former.completed_at),
        (line.duration_us, former.file.duration_us),
    )
    return any(new is not None and new != old for new, old in said) or any(
        getattr(line, part) != getattr(former, part) for part in PARTS
    )
