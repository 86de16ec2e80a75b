"""Try a failed task again. Rules: docs/api.md, "Tasks"."""

import uuid

from django.db import transaction
from django.utils import timezone

from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.pipeline import analysis_results, doorbell, jobs
from callscope.pipeline.models import Job
from callscope.pipeline.regrouping import request_regrouping


class NotFailed(Exception):
    """The task has not failed, so there is nothing to try again; str() names its state."""


def retry(job_id: uuid.UUID) -> Job:
    """Queue a failed task again, with all its attempts, and return the job.

    A file's task is its way through all stages: where the transcription is done
    but the analysis failed, the analysis is tried again. Raises NotFailed, and
    Job.DoesNotExist for an unknown id.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update(of=("self",)).select_related("project").get(pk=job_id)
        if job.kind == Job.Kind.REGROUP:
            return _regroup_again(job)
        if job.state == Job.State.FAILED and job.kind == Job.Kind.TRANSCRIBE:
            return _queue_again(job)
        return _analyze_again(job)


def _regroup_again(job: Job) -> Job:
    _refuse_unless(job.state == Job.State.FAILED, job)
    request_regrouping([job.project])
    return Job.objects.get(kind=Job.Kind.REGROUP, subject_id=job.subject_id, state__in=jobs.OPEN)


def _queue_again(job: Job) -> Job:
    """Put the job back as if it were new; its file and analyses with it."""
    is_open = Job.objects.filter(kind=job.kind, subject_id=job.subject_id, state__in=jobs.OPEN).exists()
    _refuse_unless(not is_open and UploadedFile.objects.filter(pk=job.subject_id).exists(), job)
    job.state = Job.State.QUEUED
    job.attempts = job.interruptions = 0
    job.turn = jobs.next_turn(job.project)
    job.run_after = timezone.now()
    job.finished_at = None
    job.error = ""
    job.save()
    if job.kind == Job.Kind.TRANSCRIBE:
        UploadedFile.objects.filter(pk=job.subject_id).update(
            status=UploadedFile.Status.UPLOADED, error_reason="", error_detail=""
        )
    analysis_results.mark_queued_again(job.subject_id)
    doorbell.ring_on_commit(job)
    return job


def _analyze_again(job: Job) -> Job:
    """Queue the analysis of the job's file again, if some of it failed."""
    latest = (
        Job.objects.filter(kind=Job.Kind.ANALYZE, subject_id=job.subject_id).order_by("-created_at").first()
    )
    _refuse_unless(latest is not None and latest.state not in jobs.OPEN and _some_failed(job.subject_id), job)
    assert latest is not None
    latest.project = job.project
    return _queue_again(latest)


def _some_failed(file_id: int) -> bool:
    analysis = CallAnalysis.objects.filter(file=file_id).first()
    states = [getattr(analysis, field) for field in STATE_FIELDS.values()] if analysis else []
    return AnalysisState.FAILED in states


def _refuse_unless(condition: bool, job: Job) -> None:
    if not condition:
        raise NotFailed(f'The task is "{job.state}". Only a failed task can be tried again.')
