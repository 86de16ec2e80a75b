"""The way of a file through Callscope, in order. Read this first.

    upload → transcribe_file → analyze_call → (the project is quiet) regroup_project

Each stage is one job: it loads its rows, calls one slow function outside any
transaction, then writes the result, what follows from it and the next job in one
fenced transaction. Heavy rooms are imported inside the stages, because only the
process that runs them needs speech and language engines.
"""

import logging
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from callscope.calls.models import UploadedFile
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.pipeline import analysis_results, jobs, ledger, regrouping
from callscope.pipeline.models import Job
from callscope.projects.models import Project
from callscope.transcription.models import Transcript

if TYPE_CHECKING:
    from callscope.analysis.findings import EngineUse

logger = logging.getLogger(__name__)


class HandlerEnded(Exception):
    """The process that ran the stage hung or crashed; str() is the sentence to show."""


def transcribe_file(job: Job) -> None:
    """Turn an uploaded file into a transcript; the analysis of a call comes next."""
    from callscope.transcription import transcribe

    file = UploadedFile.objects.filter(pk=job.subject_id).first()
    if file is None:
        jobs.finish(job)
        return

    draft = transcribe.transcribe(
        file, job.project.configuration, on_measured=partial(transcribe.note_duration, file)
    )

    with transaction.atomic():
        _hold_project(job)
        jobs.finish(job)
        file = UploadedFile.objects.select_for_update().get(pk=file.pk)
        transcribe.store(file, draft)
        ledger.record_transcription(file, draft)
        if file.call_id:
            jobs.enqueue(Job.Kind.ANALYZE, job.project, file.pk, turn=job.turn)


def analyze_call(job: Job) -> None:
    """Judge a transcript; the first completed analysis of a file puts its call into the reports."""
    from callscope.analysis import analyze

    transcript = Transcript.objects.select_related("file").filter(file=job.subject_id).first()
    if transcript is None or transcript.file.call_id is None:
        jobs.finish(job)
        return

    config, version = job.project.configuration, job.project.config_version
    findings = analyze.analyze(transcript, config, config_version=version)

    with transaction.atomic():
        _hold_project(job)
        jobs.finish(job)
        analysis_results.store(transcript.file, findings, config, version=version)
        ledger.record_analysis(transcript.file, findings.usage)
        regrouping.request_when_quiet(job.project)


def regroup_project(job: Job) -> None:
    """Group the topics of a project anew."""
    from callscope.contact_reasons import grouping
    from callscope.reports import facts

    if not regrouping.is_open_ended(job.project):
        regrouping.finish(job)
        return

    plan = grouping.propose(job.project)

    with transaction.atomic():
        _hold_project(job)
        regrouping.finish(job)
        facts.refresh(grouping.apply(plan))
        regrouping.request_when_quiet(job.project)


STAGES = {
    Job.Kind.TRANSCRIBE: transcribe_file,
    Job.Kind.ANALYZE: analyze_call,
    Job.Kind.REGROUP: regroup_project,
}


def run(job: Job) -> None:
    """Run the stage of a claimed job to its end: done, queued for another try, or failed."""
    try:
        STAGES[Job.Kind(job.kind)](job)
    except jobs.LostLease as error:
        logger.warning("%s", error)
    except Exception as error:
        settle(job, error)


def mark_started(job: Job) -> None:
    """Show that work on the subject began. Belongs into the transaction of the claim."""
    if job.kind == Job.Kind.TRANSCRIBE:
        UploadedFile.objects.filter(pk=job.subject_id).update(status=UploadedFile.Status.TRANSCRIBING)
    elif job.kind == Job.Kind.ANALYZE:
        analysis_results.mark_processing(job.subject_id)


def settle(job: Job, error: Exception) -> None:
    """Decide what an error means for a claimed job: another attempt later, or the end."""
    from callscope.transcription.private_engine import PrivateEngineBusy
    from callscope.transcription.transcribe import TranscriptionFailed

    reason = error.reason if isinstance(error, TranscriptionFailed | PrivateEngineBusy) else ""
    is_final = isinstance(error, TranscriptionFailed | EngineRejected | BadOutput)
    if isinstance(error, EngineUnavailable) and error.usage:
        _record_unfinished(job, error.usage)
    try:
        if is_final or job.attempts >= jobs.MAX_ATTEMPTS:
            logger.warning("Job %s (%s %s) failed: %s", job.pk, job.kind, job.subject_id, error)
            give_up(job, _sentence(job, error), reason=reason)
        else:
            _log_attempt(job, error)
            jobs.try_again(job, _sentence(job, error), retry_after_s=getattr(error, "retry_after_s", None))
    except jobs.LostLease as lost:
        logger.warning("%s", lost)


def _record_unfinished(job: Job, usage: list["EngineUse"]) -> None:
    """Enter what an attempt cost that came to no result: it is spent, whoever goes on."""
    file = UploadedFile.objects.filter(pk=job.subject_id).first()
    if file is not None:
        ledger.record_analysis(file, usage)


def give_up(job: Job, sentence: str, *, reason: str = "") -> None:
    """Fail a claimed job and everything that waits for it. Raises LostLease."""
    with transaction.atomic():
        _hold_project(job)
        jobs.fail(job, sentence)
        if job.kind == Job.Kind.TRANSCRIBE:
            UploadedFile.objects.filter(pk=job.subject_id).update(
                status=UploadedFile.Status.FAILED,
                error_reason=reason,
                error_detail="" if reason else sentence,
            )
        if job.kind == Job.Kind.REGROUP:
            regrouping.forget(job.project)
        else:
            analysis_results.mark_failed(job.subject_id, sentence)
            regrouping.request_when_quiet(job.project)


def _hold_project(job: Job) -> None:
    """Lock the project's row, first as everywhere, so that no two transactions wait for each other."""
    Project.objects.select_for_update(no_key=True).filter(pk=job.project_id).first()


def _log_attempt(job: Job, error: Exception) -> None:
    expected = isinstance(error, EngineUnavailable | HandlerEnded)
    logger.warning(
        "Attempt %d of job %s (%s %s) failed: %s",
        job.attempts,
        job.pk,
        job.kind,
        job.subject_id,
        error,
        exc_info=None if expected else error,
    )


def _sentence(job: Job, error: Exception) -> str:
    """Return what to tell the user: our own errors speak for themselves, others only by name."""
    from callscope.transcription.transcribe import TranscriptionFailed

    if isinstance(error, TranscriptionFailed):
        return error.detail
    if isinstance(error, EngineUnavailable | EngineRejected | BadOutput | HandlerEnded):
        return str(error)
    work = {"transcribe": "transcription", "analyze": "analysis", "regroup": "regrouping"}[job.kind]
    return f"The {work} met an unexpected {type(error).__name__}. The log of the workers says more."
