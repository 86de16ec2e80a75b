"""Erase files, calls and projects: rows, results and bytes, each in a transaction with its audit event.

Deleting a file erases its recording, its transcript and its analyses. Its call
returns to the previous file, or is erased with its last file. Rules: docs/api.md, "Files".
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q, QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls import agents, erasure
from callscope.calls.models import Agent, AgentUser, Call, ManifestRow, UploadedFile
from callscope.calls.reviewed_agents import COLUMNS
from callscope.contact_reasons.following import follow_reviews
from callscope.db.chunks import chunked
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.erasure import cleaning, selection, traces
from callscope.pipeline.erasure.receipt import Receipt
from callscope.pipeline.models import Job
from callscope.processes import crash_points
from callscope.projects import services
from callscope.projects.locking import get_locked_project, lock_project
from callscope.projects.models import Project
from callscope.reviews import removal as reviews
from callscope.reviews.placements import agents as placements
from callscope.transcription.models import Transcript

CALLS_AT_ONCE = 200  # erased in one transaction


def delete_file(file: UploadedFile, by: User | None = None) -> Receipt:
    """Erase one file; reports are updated in the same transaction, the bytes go once it commits."""
    receipt = Receipt("file")

    def erase() -> None:
        project = get_locked_project(file.project_id)
        row = UploadedFile.objects.select_for_update(of=("self",)).filter(pk=file.pk).first()
        if row is None:  # another request was faster
            return
        rest = UploadedFile.objects.filter(call=row.call_id).exclude(pk=row.pk).order_by("-pk")
        previous = rest.first() if row.call_id else None
        if row.call_id and previous is None:
            counts = erase_calls(project, [row.call_id])
        else:
            counts = erase_file(project, row, previous)
        _record(receipt, by, "file.deleted", f"file {row.pk}", project, counts)
        crash_points.reach_point("erase_rows")

    run_in_transaction(erase)
    return _finish(receipt)


def delete_project(project: Project, by: User | None = None) -> Receipt:
    """Erase a project with all its files, results and recordings."""
    receipt = Receipt("project")

    def erase() -> None:
        locked = Project.objects.select_for_update().filter(pk=project.pk).first()
        if locked is None:
            return
        files = UploadedFile.objects.filter(project=locked)
        counts = _count_files(Q(project=locked), Q(file__project=locked))
        counts["projects"] = 1
        counts["calls"] = Call.objects.filter(project=locked).count()
        counts["manifest_rows"] = ManifestRow.objects.filter(project=locked).count()
        counts["agent_users"] = AgentUser.objects.filter(project=locked).delete()[0]
        erasure.erase_when_committed(_storage_keys(files), now=timezone.now())
        cleaning.request_cleaning()
        Call.objects.filter(project=locked).delete()
        counts["agents"] = agents.forget_unused(locked)
        receipt.add(services.delete_project(locked, by, erased=_shown(counts)), counts)

    run_in_transaction(erase)
    return _finish(receipt)


def erase_call(call: Call, by: User | None = None) -> Receipt:
    """Erase one call with all its files."""
    receipt = Receipt("call")
    _erase_in_portions(receipt, by, "call.erased", {call.project_id: [call.pk]}, {})
    return _finish(receipt, cleaning.UNLIMITED_S)


def erase_chosen(project: Project, call_ids: Sequence[int], by: User | None = None) -> Receipt:
    """Erase these calls of a project with all their files."""
    receipt = Receipt("call")
    _erase_in_portions(receipt, by, "calls.erased", {project.pk: call_ids}, {})
    return _finish(receipt)


def erase_caller(number: str, project_id: int | None = None, by: User | None = None) -> Receipt:
    """Erase the calls and waiting manifest rows of a caller number, in one project or in all."""
    receipt = Receipt("caller")
    calls = selection.find_calls_of_caller(number, project_id)
    rows = selection.find_rows_of_caller(number, project_id)
    _erase_in_portions(receipt, by, "caller.erased", calls, rows)
    return _finish(receipt, cleaning.UNLIMITED_S)


def erase_agent(project: Project, agent: Agent, by: User | None = None) -> Receipt:
    """Erase the calls that an agent has in a project, and the agent with the last call anywhere."""
    receipt = Receipt("agent")
    calls = list(
        Call.objects.filter(project=project, agent=agent).order_by("pk").values_list("pk", flat=True)
    )
    rows = selection.find_rows_of_agent(project, agent)
    _erase_in_portions(receipt, by, "agent.erased", {project.pk: calls}, {project.pk: rows})
    run_in_transaction(lambda: _forget_reviewed_agent(receipt, project, agent, by))
    return _finish(receipt, cleaning.UNLIMITED_S)


def _forget_reviewed_agent(receipt: Receipt, project: Project, agent: Agent, by: User | None) -> None:
    """Take the agent out of what reviews say of calls that are, or were, somebody else's."""
    if lock_project(project.pk) is not None and placements.forget_agent(project.pk, agent):
        counts = Counter({"agents": agents.forget_unused(project)})
        _record(receipt, by, "agent.erased", f"project {project.pk}", project, counts)


def _erase_in_portions(
    receipt: Receipt,
    by: User | None,
    action: str,
    calls: Mapping[int, Sequence[int]],
    rows: Mapping[int, Sequence[int]],
) -> None:
    """Erase calls and waiting manifest rows, given as project → ids; each portion has its own audit event."""
    for project_id in sorted(calls.keys() | rows.keys()):
        portions: list[list[int]] = [*chunked(calls.get(project_id, []), CALLS_AT_ONCE)]
        waiting = list(rows.get(project_id, []))
        for number, portion in enumerate(portions or ([[]] if waiting else [])):
            first_rows = waiting if number == 0 else []
            run_in_transaction(
                lambda project_id=project_id, portion=portion, first_rows=first_rows: _erase_portion(  # type: ignore[misc]
                    receipt, by, action, project_id, portion, first_rows
                )
            )


def _erase_portion(
    receipt: Receipt, by: User | None, action: str, project_id: int, call_ids: list[int], row_ids: list[int]
) -> None:
    project = lock_project(project_id)
    if project is None:
        return
    waiting = 0
    for chunk in chunked(row_ids, CALLS_AT_ONCE):
        waiting += ManifestRow.objects.filter(project=project, pk__in=chunk).delete()[0]
    counts = erase_calls(project, call_ids)
    counts["manifest_rows"] += waiting
    if counts.total():
        subject = f"call {call_ids[0]}" if action == "call.erased" else f"project {project.pk}"
        _record(receipt, by, action, subject, project, counts)


def erase_calls(project: Project, call_ids: Iterable[int]) -> Counter[str]:
    """Erase these calls of a project that the caller has locked, and return what that was."""
    from callscope.reports.store import facts

    calls = Call.objects.filter(project=project, pk__in=list(call_ids)).order_by("pk")
    names = dict(calls.select_for_update(of=("self",)).values_list("pk", "file_name"))
    if not names:
        cleaning.request_cleaning()
        return Counter()
    files = UploadedFile.objects.filter(call__in=names)
    counts = _count_files(Q(call__in=names), Q(file__call__in=names))
    topics = traces.read_topics(Q(call__in=list(names)))
    _delete_jobs(list(files.values_list("pk", flat=True)))
    erasure.erase_when_committed(_storage_keys(files), now=timezone.now())
    CallAnalysis.objects.filter(call__in=names).delete()
    facts.refresh(names)
    calls.delete()
    counts["calls"] = len(names)
    counts.update(traces.forget_calls(project, names=list(names.values()), topics=topics))
    cleaning.request_cleaning()
    return counts


def erase_file(project: Project, row: UploadedFile, previous: UploadedFile | None) -> Counter[str]:
    """Erase a file without a call, or one whose call has a previous file."""
    from callscope.reports.store import facts

    counts = _count_files(Q(pk=row.pk), Q(file=row))
    _delete_jobs([row.pk])
    erasure.erase_when_committed([row.storage_key, row.playback_key], now=timezone.now())
    if previous is not None and row.call_id:
        call = Call.objects.select_for_update(of=("self",)).get(pk=row.call_id)
        analyses = CallAnalysis.objects.filter(file=row)
        topics = traces.read_topics(Q(file=row))
        was_live = analyses.filter(is_live=True).exists()
        analyses.delete()
        reviews.move_reviews(row, previous)
        row.delete()
        newest = UploadedFile.objects.filter(call=call).order_by("-pk")[0]
        with follow_reviews([call.pk]):
            call.refresh_from_db(fields=COLUMNS)
            _restore_previous_file(call, newest, project, revive=was_live)
        facts.refresh([call.pk])
        counts.update(traces.forget_calls(project, names=[], topics=topics))
    else:
        row.delete()
    cleaning.request_cleaning()
    return counts


def _count_files(of_files: Q, of_parts: Q) -> Counter[str]:
    """Count files and what belongs to them; the second condition is that of transcripts and analyses."""
    keys = UploadedFile.objects.filter(of_files).values_list("storage_key", "playback_key")
    counts: Counter[str] = Counter()
    for pair in keys.iterator(chunk_size=2000):
        counts["files"] += 1
        counts["recordings"] += sum(map(bool, pair))
    counts["transcripts"] = Transcript.objects.filter(of_parts).count()
    counts["analyses"] = CallAnalysis.objects.filter(of_parts).count()
    return counts


def _storage_keys(files: QuerySet[UploadedFile]) -> list[str]:
    return [key for pair in files.values_list("storage_key", "playback_key") for key in pair]


def _delete_jobs(file_ids: list[int]) -> None:
    """Delete the jobs of files; a worker that is busy with one loses its claim, and writes nothing."""
    kinds = [Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE]
    for chunk in chunked(file_ids, 500):
        Job.objects.filter(kind__in=kinds, subject_id__in=chunk).delete()


def _record(
    receipt: Receipt, by: User | None, action: str, subject: str, project: Project, counts: Counter[str]
) -> None:
    event = audit.record(by, action, subject, project=project.pk, erased=_shown(counts))
    receipt.add(event, counts)


def _shown(counts: Counter[str]) -> dict[str, int]:
    return {name: number for name, number in sorted(counts.items()) if number}


def _finish(receipt: Receipt, budget_s: float = cleaning.AT_ONCE_S) -> Receipt:
    receipt.is_cleaned = cleaning.clean_if_due(budget_s)
    return receipt


def _restore_previous_file(call: Call, previous: UploadedFile, project: Project, *, revive: bool) -> None:
    """Make the previous file the newest of its call; its results are live again if the erased ones were."""
    call.newest_file = previous
    call.uploaded_at = previous.created_at
    if call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME:
        call.call_datetime = previous.created_at
    call.save(update_fields=["newest_file", "uploaded_at", "call_datetime"])
    CallAnalysis.objects.filter(call=call, is_newest=True).exclude(file=previous).update(is_newest=False)
    CallAnalysis.objects.filter(file=previous).update(is_newest=True)
    if not revive:
        return
    from callscope.contact_reasons.assignment import assign_reason
    from callscope.contact_reasons.models import CallReason

    CallReason.objects.filter(call=call).delete()
    latest = CallAnalysis.objects.filter(call=call, completed_at__isnull=False).order_by("-file_id").first()
    if latest is not None:
        latest.is_live = True
        latest.superseded_at = latest.superseded_by = latest.superseded_by_file = None
        latest.save(update_fields=["is_live", "superseded_at", "superseded_by", "superseded_by_file"])
        if agents.link_extracted(call, str((latest.insights or {}).get("agent_name") or "")):
            call.save(update_fields=["agent", "agent_source"])
        assign_reason(call, latest.insights, project.configuration)
