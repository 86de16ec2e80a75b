"""Retry what failed: one task, or everything in some projects. Rules: docs/api.md, "Tasks".

A retry locks the project's row first, as every writer of the pipeline does, and looks again
under that lock. So of two who retry the same file at once one queues it, and the other finds
nothing that failed.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import ANY_FAILED, ANY_OPEN, RESULT_COLUMNS, STATE_FIELDS, CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.db import clock
from callscope.db.chunks import chunked
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message, MessageError
from callscope.pipeline.files import results
from callscope.pipeline.files.prospects import Prospect, judge_failure, judge_failures
from callscope.pipeline.files.regrouping import request_regrouping
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs, notifier
from callscope.pipeline.queue.breakers.needs import find_needs_of_job
from callscope.projects.locking import get_locked_project, lock_project
from callscope.projects.models import Project

FILES_AT_ONCE = 200  # of one transaction: uploads and workers of the project wait for it


class ContentRemoved(MessageError):
    """What the task would work on was removed by the project's retention."""


class TaskNotFailed(Exception):
    """The task has not failed, so there is nothing to retry."""

    def __init__(self, job: Job) -> None:
        super().__init__(f'The task is "{job.state}". Only a failed task can be tried again.')


@dataclass(frozen=True, slots=True)
class RetryCounts:
    """How many files were queued again, and how many failed ones were left as they are."""

    transcriptions: int = 0
    analyses: int = 0
    left: int = 0  # of another reason, or another try would end alike, or their recording is gone
    hopeless: Mapping[str, int] = field(default_factory=dict)  # why another try would end alike → files
    replaced: int = 0  # failed files that are left because a later upload of their call counts

    @property
    def retried(self) -> int:
        return self.transcriptions + self.analyses


def retry_task(job_id: uuid.UUID, by: User | None = None) -> Job:
    """Requeue a failed task, with a full number of attempts, and return the job.

    The task of a file covers all stages: if the transcription is done but the
    analysis failed, the analysis is retried. Raise TaskNotFailed, ContentRemoved, and
    Job.DoesNotExist for an unknown id.
    """
    with transaction.atomic():
        project = get_locked_project(Job.objects.values_list("project_id", flat=True).get(pk=job_id))
        job = Job.objects.select_for_update(of=("self",)).get(pk=job_id)
        # Sweeps and mails come again by themselves; replays, re-scorings and probes are asked for again.
        if job.kind not in (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE, Job.Kind.REGROUP):
            raise TaskNotFailed(job)
        has_failed = job.state == Job.State.FAILED
        if job.kind == Job.Kind.REGROUP:
            if not has_failed:
                raise TaskNotFailed(job)
            request_regrouping([project], by)
            return Job.objects.get(kind=job.kind, subject_id=job.subject_id, state__in=jobs.OPEN_STATES)
        is_transcription = has_failed and job.kind == Job.Kind.TRANSCRIBE
        requeue = _requeue_transcriptions if is_transcription else _requeue_analyses
        queued = requeue(project, [job.subject_id], by)
        if not queued:
            _refuse_removed_content(job.subject_id, is_transcription=is_transcription)
            raise TaskNotFailed(job)
        return queued[0]


def _refuse_removed_content(file_id: int, *, is_transcription: bool) -> None:
    """Raise ContentRemoved where retention took away what the job would work on."""
    file = UploadedFile.objects.filter(pk=file_id).first()
    if file is None:
        return
    if is_transcription and file.content_removed_at:
        raise ContentRemoved(Message("content_removed"))
    if not is_transcription and file.transcript_removed_at:
        raise ContentRemoved(Message("transcript_removed"))


def retry_failed(projects: Iterable[Project], *, reason: str = "", by: User | None = None) -> RetryCounts:
    """Requeue all failed transcriptions and analyses of these projects; return how many files that were.

    Of a call only the newest file counts. `reason` chooses: an error_reason of the interface, or
    words of the sentence that says why. Without it, files that would fail again are left.
    """
    transcriptions = analyses = left = 0
    hopeless: Counter[str] = Counter()
    for project in projects:
        every = failed_transcriptions(project)
        named = Q(error_reason=reason) | Q(error_detail__icontains=reason)
        files = list(every.filter(named).order_by("pk").values_list("pk", flat=True))
        if not reason:
            files = _list_hopeful(every)
        transcriptions += _in_chunks(project, files, lambda held, ids: _requeue_transcriptions(held, ids, by))

        judged = failed_analyses(project).only("file_id", "errors", *STATE_FIELDS.values())
        files = [
            each.file_id
            for each in judged.order_by("file_id")
            if any(reason.casefold() in sentence.casefold() for sentence in each.list_errors().values())
            and (reason or judge_failures((each.errors or {}).values()) is not Prospect.NONE)
        ]
        analyses += _in_chunks(project, files, lambda held, ids: _requeue_analyses(held, ids, by))
        left += count_failed(project)
        hopeless += Counter() if reason else count_hopeless([project])
    return RetryCounts(
        transcriptions, analyses, left, dict(sorted(hopeless.items(), key=lambda each: (-each[1], each[0])))
    )


def retry_calls(project: Project, call_ids: Sequence[int], *, by: User) -> int:
    """Requeue what failed of these calls; return how many files that were."""
    files = _list_hopeful(failed_transcriptions(project).filter(call__in=call_ids))
    count = _in_chunks(project, files, lambda held, ids: _requeue_transcriptions(held, ids, by))
    judged = failed_analyses(project).filter(call__in=call_ids).order_by("file_id")
    files = list(judged.values_list("file_id", flat=True))
    return count + _in_chunks(project, files, lambda held, ids: _requeue_analyses(held, ids, by))


def retry_files(project: Project, file_ids: Sequence[int], *, by: User) -> RetryCounts:
    """Requeue what failed of these files; of a call only the newest file counts."""
    heard = failed_transcriptions(project).filter(pk__in=file_ids)
    judged = failed_analyses(project).filter(file__in=file_ids).order_by("file_id")
    failed = heard.count() + judged.count()
    hopeful, files = _list_hopeful(heard), list(judged.values_list("file_id", flat=True))
    counts = RetryCounts(
        _in_chunks(project, hopeful, lambda held, ids: _requeue_transcriptions(held, ids, by)),
        _in_chunks(project, files, lambda held, ids: _requeue_analyses(held, ids, by)),
    )
    return replace(
        counts, left=failed - counts.retried, replaced=_find_replaced(project).filter(pk__in=file_ids).count()
    )


def failed_transcriptions(project: Project) -> QuerySet[UploadedFile]:
    """Return the files that could not be transcribed, without those that a newer upload replaced."""
    newest = Q(call__isnull=True) | Q(call__newest_file=F("pk"))
    return UploadedFile.objects.filter(newest, project=project, status=UploadedFile.Status.FAILED)


def _find_replaced(project: Project) -> QuerySet[UploadedFile]:
    """Return the files that failed, in part or as a whole, and that a newer upload replaced."""
    judged = CallAnalysis.objects.filter(ANY_FAILED, project=project).values("file")
    failed = Q(status=UploadedFile.Status.FAILED) | Q(pk__in=judged)
    older = UploadedFile.objects.filter(failed, project=project, call__isnull=False)
    return older.exclude(call__newest_file=F("pk"))


def failed_analyses(project: Project) -> QuerySet[CallAnalysis]:
    """Return the analyses of newest files that were transcribed and of which some analysis failed.

    Where another analysis of the file is still to come, its job is open and nothing can be queued again.
    """
    return CallAnalysis.objects.filter(
        ANY_FAILED, ~ANY_OPEN, project=project, is_newest=True, file__status=UploadedFile.Status.TRANSCRIBED
    ).defer(*RESULT_COLUMNS)


def count_failed(project: Project) -> int:
    """Return how many files of the project failed in part or as a whole."""
    return failed_transcriptions(project).count() + failed_analyses(project).count()


def count_prospects(project: Project) -> Counter[Prospect]:
    """Return how many failed files of the project come to what if all are tried again.

    Files whose recording or transcript is gone count as such that would fail again: they are left.
    """
    counts: Counter[Prospect] = Counter()
    heard = failed_transcriptions(project).filter(content_removed_at=None).exclude(storage_key="")
    for reason, sentence, files in _count_by(heard, "error_reason", "error_detail"):
        counts[judge_failure(reason, sentence)] += files
    judged = failed_analyses(project).filter(file__transcript_removed_at=None, file__transcript__isnull=False)
    for errors, files in _count_by(judged, "errors"):
        counts[judge_failures((errors or {}).values())] += files
    counts[Prospect.NONE] += count_failed(project) - counts.total()
    return counts


def _count_by(failed: QuerySet[Any], *columns: str) -> list[tuple[Any, ...]]:
    return list(failed.order_by().values_list(*columns).annotate(Count("pk")))


def count_retryable() -> tuple[int, int]:
    """Return how many transcriptions and analyses of all projects failed and may end better next time."""
    newest = Q(call__isnull=True) | Q(call__newest_file=F("pk"))
    heard = UploadedFile.objects.filter(newest, status=UploadedFile.Status.FAILED, content_removed_at=None)
    hopeful = heard.count() - sum(_count_hopeless(heard).values())
    judged = CallAnalysis.objects.filter(
        ANY_FAILED, ~ANY_OPEN, is_newest=True, file__status=UploadedFile.Status.TRANSCRIBED
    )
    return hopeful, judged.count()


def count_hopeless(projects: Iterable[Project]) -> Counter[str]:
    """Return how many files could not be transcribed and never can be, by why that is."""
    found: Counter[str] = Counter()
    for project in projects:
        found += _count_hopeless(failed_transcriptions(project))
    return found


def _count_hopeless(failed: QuerySet[UploadedFile]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for reason, sentence, files in _count_by(failed, "error_reason", "error_detail"):
        if judge_failure(reason, sentence) is Prospect.NONE:
            counts[reason or sentence] += files
    return counts


def _list_hopeful(failed: QuerySet[UploadedFile]) -> list[int]:
    """Return those of the failed files that may end better next time."""
    rows = failed.order_by("pk").values_list("pk", "error_reason", "error_detail")
    return [pk for pk, reason, sentence in rows if judge_failure(reason, sentence) is not Prospect.NONE]


def _in_chunks(
    project: Project, file_ids: Sequence[int], requeue: Callable[[Project, list[int]], list[Job]]
) -> int:
    """Requeue the files chunk by chunk, each in a transaction of its own; return how many were queued."""
    count = 0
    for chunk in chunked(file_ids, FILES_AT_ONCE):

        def write(ids: list[int] = chunk) -> list[Job]:
            locked = lock_project(project.pk)
            return requeue(locked, ids) if locked else []

        count += len(run_in_transaction(write))
    return count


def _requeue_transcriptions(project: Project, file_ids: Sequence[int], by: User | None) -> list[Job]:
    """Queue those of the files again whose transcription failed; the caller holds the project's lock."""
    files = UploadedFile.objects.select_for_update(of=("self",)).filter(
        pk__in=file_ids, project=project, status=UploadedFile.Status.FAILED, content_removed_at=None
    )
    failed = {file.pk: file for file in files.exclude(storage_key="").order_by("pk")}
    queued = _requeue(project, Job.Kind.TRANSCRIBE, list(failed), by)
    for job in queued:
        if failed[job.subject_id].task_id != job.pk:  # its former task is gone
            UploadedFile.objects.filter(pk=job.subject_id).update(task_id=job.pk)
    return queued


def _requeue_analyses(project: Project, file_ids: Sequence[int], by: User | None) -> list[Job]:
    """Queue those of the files again of which an analysis failed; the caller holds the project's lock."""
    analyses = CallAnalysis.objects.select_for_update(of=("self",)).filter(
        ANY_FAILED,
        file__in=file_ids,
        project=project,
        file__status=UploadedFile.Status.TRANSCRIBED,
        file__transcript_removed_at=None,
    )
    # Without a transcript the job would do nothing, and the analysis stay queued.
    with_transcript = analyses.filter(file__transcript__isnull=False).order_by("file_id")
    return _requeue(project, Job.Kind.ANALYZE, list(with_transcript.values_list("file_id", flat=True)), by)


def _requeue(project: Project, kind: str, file_ids: Sequence[int], by: User | None) -> list[Job]:
    """Reset the latest job of each file, the file and its analyses to queued; skip files with an open job."""
    rows = list(Job.objects.filter(kind=kind, subject_id__in=file_ids).order_by("created_at"))
    latest = {job.subject_id: job for job in rows}
    is_open = {job.subject_id for job in rows if job.state in jobs.OPEN_STATES}
    queued = []
    position = jobs.next_position(project)
    due = clock.read_now()
    for file_id in file_ids:
        if file_id in is_open:
            continue
        job = latest.get(file_id)
        if job is None:
            job = jobs.enqueue(kind, project, file_id, fair_position=position)
        job.state = Job.State.QUEUED
        job.attempts = job.interruptions = 0
        job.turn = position
        job.run_after = due
        job.finished_at = job.parked_at = None
        job.project = project
        job.needs = find_needs_of_job(job)
        job.error = ""
        position += 1
        queued.append(job)
    fields = ["state", "attempts", "interruptions", "turn", "run_after", "finished_at", "error"]
    fields += ["parked_at", "needs"]
    Job.objects.bulk_update(queued, fields)
    again = [job.subject_id for job in queued]
    if kind == Job.Kind.TRANSCRIBE:
        UploadedFile.objects.filter(pk__in=again).update(
            status=UploadedFile.Status.UPLOADED, error_reason="", error_detail=""
        )
    results.requeue_failed(again)
    for job in queued:
        notifier.notify_on_commit(job)
    now, detail = timezone.now(), {"project": project.pk, "stage": str(kind)}
    actor = by.pk if by else None
    events = [audit.Draft(now, actor, "file.retried", f"file {file_id}", detail) for file_id in again]
    if events:
        audit.append_events(audit.lock_head(), events)
    return queued
