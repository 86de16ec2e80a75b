"""Bring calls that the project has already to what the lines of an import say.

What differs becomes another file with other results; the former ones are kept,
superseded, as a re-upload keeps them. What does not differ is left alone.
"""

from django.db.models import Q

from callscope.analysis.models import MACHINE_COLUMNS, AnalysisState, CallAnalysis
from callscope.calls.fields import PLAIN_COLUMNS
from callscope.calls.metadata import WRITTEN_COLUMNS
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.models import CallReason
from callscope.pipeline.transfer.context import PARTS, PROVENANCE, ImportContext, guess_file_type
from callscope.pipeline.transfer.line_parser import ImportedCall

UPDATED_COLUMNS = (*WRITTEN_COLUMNS, "newest_file_id", "uploaded_at")
Updates = list[tuple[ImportedCall, Call]]  # lines with the calls that they replace


def update_calls(context: ImportContext, updates: Updates) -> list[int]:
    """Bring known calls to what their lines say; return the ids of those that changed."""
    if not updates:
        return []
    analyses = CallAnalysis.objects.filter(call__in=[call.pk for _, call in updates]).select_related("file")
    # By call: the live one comes last and stays; where none is live, the newest.
    latest = {
        analysis.call_id: analysis
        for analysis in analyses.filter(Q(is_live=True) | Q(is_newest=True)).order_by("is_live")
    }
    before = {call.pk: _column_values(call) for _, call in updates}
    replacements = [
        (line, call) for line, call in updates if _has_other_results(line, call, latest.get(call.pk))
    ]
    # A re-upload is of now, unless its line says otherwise.
    for _, call in replacements:
        call.uploaded_at = context.now
    for line, call in updates:
        call.uploaded_at = line.uploaded_at or call.uploaded_at
        _write_details(context, call, line)
    _replace_results(context, replacements, latest)
    replaced = {call.pk for _, call in replacements}
    moved = _move_reasons(context, updates, replaced)
    changed = replaced | moved | {call.pk for _, call in updates if _column_values(call) != before[call.pk]}
    Call.objects.bulk_update([call for _, call in updates if call.pk in changed], UPDATED_COLUMNS)
    return sorted(changed)


def _column_values(call: Call) -> tuple[object, ...]:
    return tuple(getattr(call, name) for name in UPDATED_COLUMNS)


def _has_other_results(line: ImportedCall, call: Call, latest: CallAnalysis | None) -> bool:
    """Return True if the line carries results that differ from the latest, or that are of another time."""
    if latest is None:
        return True
    pairs = (
        (line.uploaded_at, call.uploaded_at),
        (line.analyzed_at if line.has_results else None, latest.completed_at),
        (line.duration_us, latest.file.duration_us),
    )
    if any(new is not None and new != old for new, old in pairs):
        return True
    if any(_has_other_result(line, latest, part) for part in MACHINE_COLUMNS):
        return True
    return bool(line.custom_questions != latest.custom_questions)


def _has_other_result(line: ImportedCall, latest: CallAnalysis, part: str) -> bool:
    """Return True if the machine said something else: what people said is compared review by review."""
    machine = getattr(line, MACHINE_COLUMNS[part])
    if machine is not None:
        return bool(machine != latest.read_machine(part))
    return getattr(line, part) not in (getattr(latest, part), latest.read_machine(part))


def _write_details(context: ImportContext, call: Call, line: ImportedCall) -> None:
    """Write into the call, unsaved, what the line says about it; `uploaded_at` is set before."""
    details = line.details
    if details.call_datetime is None:
        call.call_datetime = call.uploaded_at
        call.call_datetime_source = Call.DatetimeSource.UPLOAD_TIME
    else:
        call.call_datetime = details.call_datetime
        call.call_datetime_source = details.call_datetime_source or Call.DatetimeSource.API
    for name in PLAIN_COLUMNS:
        setattr(call, name, getattr(details, name))
    call.agent_id = context.resolve_agent(details)
    call.agent_source = "" if call.agent_id is None else details.agent_source or Call.AgentSource.API
    call.agent_unlinked = False


def _replace_results(context: ImportContext, replacements: Updates, latest: dict[int, CallAnalysis]) -> None:
    """Make new files with the results of these lines; what was live is kept, superseded."""
    if not replacements:
        return
    files = [
        UploadedFile(
            project=context.project,
            call=call,
            uploaded_by=context.by,
            original_filename=line.file_name,
            file_type=guess_file_type(line.file_name),
            duration_us=line.duration_us,
            status=UploadedFile.Status.TRANSCRIBED,
            created_at=call.uploaded_at,
            is_private=context.is_private,
        )
        for line, call in replacements
    ]
    UploadedFile.objects.bulk_create(files)
    superseded = []
    for (_, call), file in zip(replacements, files, strict=True):
        call.newest_file = file
        former = latest.get(call.pk)
        if former and former.is_live:
            former.is_live, former.superseded_at = False, context.now
            former.superseded_by, former.superseded_by_file = context.by, file
            superseded.append(former)
    call_ids = [call.pk for _, call in replacements]
    CallAnalysis.objects.filter(call__in=call_ids, is_newest=True).update(is_newest=False)
    CallAnalysis.objects.bulk_update(
        superseded, ["is_live", "superseded_at", "superseded_by", "superseded_by_file"]
    )
    CallAnalysis.objects.bulk_create(
        [_build_analysis(context, line, file) for (line, _), file in zip(replacements, files, strict=True)]
    )


def _build_analysis(context: ImportContext, line: ImportedCall, file: UploadedFile) -> CallAnalysis:
    results = {part: getattr(line, part) for part in PARTS}
    states = {
        f"{part}_state": None if result is None else AnalysisState.COMPLETED
        for part, result in results.items()
    }
    return CallAnalysis(
        file=file,
        call=file.call,
        project=context.project,
        is_live=line.has_results,
        completed_at=(line.analyzed_at or context.now) if line.has_results else None,
        provenance=PROVENANCE,
        **results,
        **states,
    )


def _move_reasons(context: ImportContext, updates: Updates, replaced: set[int]) -> set[int]:
    """Bring the contact reasons to what the lines say; return the calls whose reason changed.

    New results leave nothing of the former ones: without a reason in the line, the call has none.
    """
    call_ids = [call.pk for _, call in updates]
    current = dict(CallReason.objects.filter(call__in=call_ids).values_list("call_id", "reason_id"))
    moved = {
        call.pk: context.reason_ids.get(line.contact_reason or "")
        for line, call in updates
        if line.contact_reason is not None or call.pk in replaced
    }
    moved = {call_id: reason_id for call_id, reason_id in moved.items() if current.get(call_id) != reason_id}
    CallReason.objects.filter(call__in=moved).delete()
    CallReason.objects.bulk_create(
        [
            CallReason(call_id=call_id, project=context.project, reason_id=reason_id)
            for call_id, reason_id in moved.items()
            if reason_id is not None
        ]
    )
    return set(moved)
