"""The stages of a file, in order. Read this first.

    upload → transcribe_file → analyze_call → (the project is quiet) regroup_project

Each stage is one job: it loads its rows, calls one slow function outside any
transaction, then writes the result, what follows from it and the next job in one
fenced transaction. Heavy packages are imported inside the stages, because only the
process that runs them needs speech and language engines.
"""

import logging
import time
from functools import partial

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from callscope.accounts.mail import MailServerDown
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.calls.private_words import engines_for_file, engines_for_projects
from callscope.calls.room import SHARE_FOR_WORK, require_room
from callscope.db.transactions import run_in_transaction
from callscope.db.trouble import passes_by_itself
from callscope.engines.answers import listen_to_answers
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.messages.message import Message, MessageError
from callscope.pipeline.files import regrouping, results
from callscope.pipeline.ledger import engine_notes, trial_quota, usage
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers import engine_trouble
from callscope.pipeline.queue.breakers.states import record_answer
from callscope.processes import counters, crash_points, log_formats
from callscope.projects.locking import lock_project
from callscope.transcription.models import Transcript

logger = logging.getLogger(__name__)

ABOUT_A_FILE = (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE)
FULL_DISK_PAUSE_S = 30.0  # somebody has to make room, or bring the bucket back
BUSY_DATABASE_PAUSE_S = 2.0


class JobProcessEnded(MessageError):
    """The process that ran the stage hung or crashed; str() is a sentence for the user."""


def transcribe_file(job: Job) -> None:
    """Turn an uploaded file into a transcript, and enqueue the analysis if it belongs to a call."""
    from callscope.reports.search import spoken_words
    from callscope.transcription import transcribe

    file = UploadedFile.objects.filter(pk=job.subject_id).first()
    if file is None:
        jobs.finish(job)
        return

    if file.content_removed_at:
        fail_job(job, str(Message("content_removed")))
        return
    config = job.project.configuration
    engines = engines_for_file(file, config)
    engine_notes.note_transcription(file, engines)
    draft = transcribe.transcribe(
        file,
        config,
        engines,
        on_measured=partial(_record_duration, file),
        before_asking=partial(engine_trouble.park_before_asking, job),
    )

    with transaction.atomic():
        lock_project(job.project_id)
        jobs.finish(job)
        file = UploadedFile.objects.select_for_update().get(pk=file.pk)
        file.is_private = file.is_private or engines.is_private
        spoken_words.index_transcript(transcribe.store_transcript(file, draft))
        usage.record_transcription(file, draft)
        crash_points.reach_point("result_commit")
        if file.call_id:
            jobs.enqueue(Job.Kind.ANALYZE, job.project, file.pk, fair_position=job.turn, file=file)
        crash_points.reach_point("next_job_commit")


def analyze_call(job: Job) -> None:
    """Analyze a transcript; the first completed analysis of a file puts its call into the reports."""
    from callscope.analysis import analyze

    transcript = Transcript.objects.select_related("file").filter(file=job.subject_id).first()
    if transcript is None and UploadedFile.objects.filter(pk=job.subject_id).exists():
        fail_job(job, str(Message("transcript_removed")))
        return
    if transcript is None or transcript.file.call_id is None:
        jobs.finish(job)
        return

    config, version = job.project.configuration, job.project.config_version
    engines = engines_for_file(transcript.file, config)
    engine_notes.note_analysis(transcript.file, engines)
    findings = analyze.analyze(transcript, config, engines, config_version=version)

    with transaction.atomic():
        lock_project(job.project_id)
        jobs.finish(job)
        results.store_findings(transcript.file, findings, config, version=version)
        usage.record_analysis(transcript.file, findings.usage)
        crash_points.reach_point("result_commit")
        regrouping.request_if_idle(job.project)
        crash_points.reach_point("next_job_commit")
    if findings.errors:
        engine_notes.note_failure(transcript.file, stage="analyze", analyses=sorted(findings.errors))


def regroup_project(job: Job) -> None:
    """Group the topics of a project's calls into contact reasons again."""
    from callscope.contact_reasons import grouping
    from callscope.reports.store import facts

    if not regrouping.is_open_ended(job.project):
        regrouping.finish_regrouping(job)
        return

    engine_notes.note_regrouping(job.project, engines_for_projects(job.project))
    named = regrouping.name_reasons(grouping.propose_reasons(job.project))
    plan = named.plan
    crash_points.reach_point("reason_names")

    with transaction.atomic():
        lock_project(job.project_id)
        regrouping.finish_regrouping(job)
        usage.record_naming(job.project, named.uses)
        if grouping.is_outdated(plan):  # a person was faster, and what they did stays
            regrouping.repeat_regrouping(job.project)
        else:
            facts.refresh(grouping.apply_plan(plan))
        crash_points.reach_point("reason_swap")
        regrouping.request_if_idle(job.project)


def sweep_project(job: Job) -> None:
    """Remove what the project keeps no longer."""
    from callscope.pipeline.erasure import retention

    retention.sweep_project(job.project, now=timezone.now())

    with transaction.atomic():
        lock_project(job.project_id)
        jobs.finish(job)
        regrouping.request_if_idle(job.project)


def replay_draft(job: Job) -> None:
    """Judge the next calls of a replay by its draft."""
    from callscope.pipeline.rubric_changes.replays.judging import replay_portion

    replay_portion(job)


def rescore_calls(job: Job) -> None:
    """Judge the next calls again by the configuration of today."""
    from callscope.pipeline.rubric_changes.replays.rescoring import rescore_portion

    rescore_portion(job)


def probe_calls(job: Job) -> None:
    """Judge the next calls of a probe, or copies of them."""
    from callscope.pipeline.rubric_changes.probes.judging import probe_portion

    probe_portion(job)


def mail_report(job: Job) -> None:
    """Send somebody the report of a project."""
    from callscope.pipeline.report_mail.sending import send_report

    send_report(job, now=timezone.now())


STAGES = {
    Job.Kind.TRANSCRIBE: transcribe_file,
    Job.Kind.ANALYZE: analyze_call,
    Job.Kind.REGROUP: regroup_project,
    Job.Kind.RETENTION: sweep_project,
    Job.Kind.REPLAY: replay_draft,
    Job.Kind.RESCORE: rescore_calls,
    Job.Kind.PROBE: probe_calls,
    Job.Kind.MAIL: mail_report,
}


CRASHES = {
    Job.Kind.TRANSCRIBE: "transcription_crashed",
    Job.Kind.ANALYZE: "analysis_crashed",
    Job.Kind.REGROUP: "regrouping_crashed",
    Job.Kind.RETENTION: "sweep_crashed",
    Job.Kind.REPLAY: "replay_crashed",
    Job.Kind.RESCORE: "rescore_crashed",
    Job.Kind.PROBE: "probe_crashed",
    Job.Kind.MAIL: "mail_crashed",
}


def run_stage(job: Job) -> None:
    """Run the stage of a claimed job, which is then done, queued for a retry, or failed."""
    file = job.subject_id if job.kind in ABOUT_A_FILE else None
    began = time.monotonic()
    outcome = "done"
    with log_formats.note(job=str(job.pk), kind=job.kind, file=file, project=job.project_id):
        try:
            if job.kind != Job.Kind.RETENTION:  # which makes room
                require_room(share=SHARE_FOR_WORK)
            with listen_to_answers(record_answer, partial(engine_trouble.record_refusal, job)):
                STAGES[Job.Kind(job.kind)](job)
        except jobs.LostLease as error:
            outcome = "lost"
            logger.warning("%s", error)
        except Exception as error:
            outcome = "not done"
            handle_failure(job, error)
        finally:
            counters.count("callscope_job_runs_total", kind=job.kind, outcome=outcome)
            counters.observe("callscope_job_seconds", time.monotonic() - began, kind=job.kind)


def mark_started(job: Job) -> None:
    """Set the subject to in progress. Call it in the transaction of the claim."""
    if job.kind == Job.Kind.TRANSCRIBE:
        UploadedFile.objects.filter(pk=job.subject_id).update(status=UploadedFile.Status.TRANSCRIBING)
    elif job.kind == Job.Kind.ANALYZE:
        results.mark_processing(job.subject_id)


def handle_failure(job: Job, error: Exception) -> None:
    """Schedule a retry of a claimed job, park it, or fail it.

    It fails if the error is final or all attempts are used. Trouble of an engine or of the storage,
    a full disk or a busy database are no verdict: the job waits for as long as that lasts. What the
    attempt cost is entered in any case, because it was spent.
    """
    from callscope.analysis.analyze import AnalysisTooLong
    from callscope.transcription.gates import TranscriptionFailed
    from callscope.transcription.private_retry import PrivateEngineBusy

    reason = error.reason if isinstance(error, TranscriptionFailed | PrivateEngineBusy) else ""
    is_final = isinstance(error, TranscriptionFailed | EngineRejected | BadOutput | AnalysisTooLong)
    if isinstance(error, EngineUnavailable) and error.usage and job.kind in ABOUT_A_FILE:
        file = UploadedFile.objects.filter(pk=job.subject_id).first()
        if file is not None:
            usage.record_analysis(file, error.usage)
    try:
        if (wait := engine_trouble.record_engine_trouble(job, error)) is not None:
            _park_or_give_up(job, wait, reason)
        elif passes_by_itself(error):
            logger.warning("Job %s (%s %s) waits: %s", job.pk, job.kind, job.subject_id, error)
            is_busy = isinstance(error, OperationalError | InterfaceError)
            pause_s = BUSY_DATABASE_PAUSE_S if is_busy else FULL_DISK_PAUSE_S
            jobs.postpone(job, str(Message("server_trouble")), pause_s=pause_s)
        elif is_final or job.attempts >= jobs.MAX_ATTEMPTS:
            logger.warning("Job %s (%s %s) failed: %s", job.pk, job.kind, job.subject_id, error)
            fail_job(job, _describe_error(job, error), reason=reason)
        else:
            is_expected = isinstance(error, EngineUnavailable | JobProcessEnded | MailServerDown)
            logger.warning(
                "Attempt %d of job %s (%s %s) failed: %s",
                job.attempts,
                job.pk,
                job.kind,
                job.subject_id,
                error,
                exc_info=None if is_expected else error,
            )
            jobs.schedule_retry(job, _describe_error(job, error))
    except jobs.LostLease as lost_lease:
        logger.warning("%s", lost_lease)


def give_up_waiting(job: Job) -> None:
    """Fail a claimed job whose engine did not work for as long as work may wait. Raise LostLease."""
    problem = engine_trouble.describe_latest_trouble(job)
    fail_job(
        job, engine_trouble.describe_giving_up(problem), reason=engine_trouble.find_reason_of_giving_up(job)
    )


def _park_or_give_up(job: Job, wait: engine_trouble.Wait, reason: str) -> None:
    if jobs.has_waited_enough(job):
        logger.warning("Job %s (%s %s) is given up: %s", job.pk, job.kind, job.subject_id, wait.trouble)
        fail_job(job, engine_trouble.describe_giving_up(wait.trouble), reason=reason)
        return
    logger.warning("Job %s (%s %s) waits: %s", job.pk, job.kind, job.subject_id, wait.trouble)
    jobs.park(job, str(wait.trouble), pause_s=wait.pause_s)


def fail_job(job: Job, sentence: str, *, reason: str = "") -> None:
    """Fail a claimed job and everything that waits for it. Raise LostLease.

    `reason` is the error_reason of the file, "" if the sentence says it all.
    """
    with transaction.atomic():
        lock_project(job.project_id)
        jobs.fail(job, sentence)
        if job.kind == Job.Kind.TRANSCRIBE:
            UploadedFile.objects.filter(pk=job.subject_id).update(
                status=UploadedFile.Status.FAILED,
                error_reason=reason,
                error_detail="" if reason else sentence,
            )
        if job.kind == Job.Kind.REGROUP:
            regrouping.follow_up(job)
        elif job.kind in ABOUT_A_FILE:
            results.mark_failed(job.subject_id, sentence)
        if job.kind != Job.Kind.REGROUP:
            regrouping.request_if_idle(job.project)
    file = UploadedFile.objects.filter(pk=job.subject_id).first() if job.kind in ABOUT_A_FILE else None
    if file is not None:
        analysis = CallAnalysis.objects.filter(file=file).first()
        failed = sorted(analysis.list_errors()) if analysis else ()
        engine_notes.note_failure(file, stage=str(job.kind), reason=reason, analyses=failed)


def _record_duration(file: UploadedFile, seconds: float) -> None:
    """Store how long a recording was found to be, and charge its user's quota for just that."""
    from callscope.transcription import transcribe

    def write() -> None:
        trial_quota.correct_charge(file, seconds)
        transcribe.record_duration(file, seconds)

    run_in_transaction(write)


def _describe_error(job: Job, error: Exception) -> str:
    """Return a sentence for the user; of an unexpected error only the type, as its text may be private."""
    from callscope.analysis.analyze import AnalysisTooLong
    from callscope.transcription.gates import TranscriptionFailed

    engine_errors = EngineUnavailable | EngineRejected | BadOutput
    ours = TranscriptionFailed | AnalysisTooLong | engine_errors | JobProcessEnded | MailServerDown
    if isinstance(error, ours):
        return str(error)
    return str(Message(CRASHES[Job.Kind(job.kind)], value=type(error).__name__))
