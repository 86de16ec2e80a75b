"""The job table: the truth about what is left to do.

A job is written in the transaction of what caused it. A worker claims one by a
conditional update that sets token, lease and attempt, and every later write is
fenced by that token: who lost the lease writes nothing. Design: docs/adr/0002.
"""

import datetime as dt
import random
import uuid
from collections.abc import Collection

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, Min, QuerySet
from django.utils import timezone

from callscope.pipeline import doorbell, worker_identity
from callscope.pipeline.models import Job
from callscope.projects.models import Project

LEASE_S = 30.0  # a worker that is silent this long has lost its job
HEARTBEAT_S = 8.0  # three beats may fail before the lease does
PAUSES_S = (1.0, 4.0, 16.0, 60.0)  # between the attempts
MAX_ATTEMPTS = len(PAUSES_S) + 1
MAX_RETRY_AFTER_S = 3600.0  # an engine may not ask for more
# Workers die for reasons of their own (updates, reboots), so that is no attempt; but a job that
# takes every worker down with it has to end some time.
MAX_INTERRUPTIONS = 25
DEADLINE_S = {Job.Kind.TRANSCRIBE: 4 * 3600.0, Job.Kind.ANALYZE: 1800.0, Job.Kind.REGROUP: 3600.0}
QUEUES = ("asr", "llm", "default")
QUEUE_OF = {Job.Kind.TRANSCRIBE: "asr", Job.Kind.ANALYZE: "llm", Job.Kind.REGROUP: "default"}
OPEN = (Job.State.QUEUED, Job.State.RUNNING)


class LostLease(Exception):
    """The job belongs to somebody else by now: nothing of this claim may be written."""


def enqueue(
    kind: str,
    project: Project,
    subject_id: int,
    *,
    queue: str = "",
    turn: int | None = None,
    delay_s: float = 0.0,
) -> Job:
    """Return the open job of this kind and subject, written now unless there is one.

    Call it in the transaction of what causes the job. `turn` hands on the place
    in the fair order from an earlier stage of the same file.
    """
    existing = Job.objects.filter(kind=kind, subject_id=subject_id, state__in=OPEN).first()
    if existing:
        return existing
    job = Job(
        kind=kind,
        project=project,
        subject_id=subject_id,
        queue=queue or QUEUE_OF[Job.Kind(kind)],
        turn=next_turn(project) if turn is None else turn,
        run_after=timezone.now() + dt.timedelta(seconds=delay_s),
    )
    try:
        with transaction.atomic():
            job.save(force_insert=True)
    except IntegrityError:  # somebody else wrote the open job in the same moment
        return Job.objects.get(kind=kind, subject_id=subject_id, state__in=OPEN)
    if not delay_s:
        doorbell.ring_on_commit(job)
    return job


def next_turn(project: Project) -> int:
    """Return the place in the fair order of one more job of this project.

    Each project's jobs stand one turn apart, starting where the order has got
    to: ten thousand files of one project delay a single file of another by one.
    """
    queued = Job.objects.filter(state=Job.State.QUEUED)
    present = queued.filter(run_after__lte=timezone.now()).aggregate(turn=Min("turn"))["turn"]
    if present is None:
        present = Job.objects.filter(state__in=OPEN).aggregate(turn=Max("turn"))["turn"] or 0
    own = [
        Job.objects.filter(project=project, state=state).aggregate(turn=Max("turn"))["turn"] for state in OPEN
    ]
    return int(max(present, *(turn + 1 for turn in own if turn is not None), 1))


def due(queues: Collection[str] = QUEUES) -> bool:
    """Return whether a job waits to be claimed. A plain read: polling locks nothing."""
    return _due(queues).exists()


def claim(queues: Collection[str] = QUEUES) -> Job | None:
    """Take the next job in the fair order; None when none is due. Call it in a transaction."""
    job = (
        _due(queues).order_by("turn", "created_at").select_for_update(skip_locked=True, of=("self",)).first()
    )
    if job is None:
        return None
    now = timezone.now()
    job.state = Job.State.RUNNING
    job.token = uuid.uuid4()
    job.worker = worker_identity.own()
    job.attempts += 1
    job.claimed_at = now
    job.lease_until = now + dt.timedelta(seconds=LEASE_S)
    job.deadline_at = now + dt.timedelta(seconds=DEADLINE_S[Job.Kind(job.kind)])
    taken = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(
        state=job.state,
        token=job.token,
        worker=job.worker,
        attempts=job.attempts,
        claimed_at=job.claimed_at,
        lease_until=job.lease_until,
        deadline_at=job.deadline_at,
    )
    return job if taken else None


def heartbeat(job: Job) -> bool:
    """Extend the lease of a claimed job; False when it is no longer ours."""
    lease_until = timezone.now() + dt.timedelta(seconds=LEASE_S)
    return bool(_mine(job).update(lease_until=lease_until))


def finish(job: Job) -> None:
    """Set a claimed job to done; first line of the transaction that writes its result.

    Raises LostLease, which rolls that transaction back, when the job is no longer ours.
    """
    _end(job, state=Job.State.DONE, error="", finished_at=timezone.now())


def fail(job: Job, reason: str) -> None:
    """End a claimed job for good, with a sentence why. Raises LostLease."""
    _end(job, state=Job.State.FAILED, error=reason, finished_at=timezone.now())


def try_again(job: Job, reason: str, *, retry_after_s: float | None = None) -> None:
    """Queue a claimed job for its next attempt, after its pause. Raises LostLease."""
    pause_s = PAUSES_S[min(job.attempts, len(PAUSES_S)) - 1] * random.uniform(0.75, 1.25)  # noqa: S311
    pause_s *= settings.ENVIRONMENT.retry_pause
    if retry_after_s is not None:
        pause_s = max(pause_s, min(retry_after_s, MAX_RETRY_AFTER_S))
    run_after = timezone.now() + dt.timedelta(seconds=pause_s)
    _end(job, state=Job.State.QUEUED, error=reason, run_after=run_after)


def release(job: Job) -> None:
    """Give a claimed job back untouched, as a worker does that is told to stop. Raises LostLease."""
    _end(job, state=Job.State.QUEUED, attempts=job.attempts - 1, run_after=timezone.now())
    doorbell.ring_on_commit(job)


def interrupted(job: Job) -> None:
    """Give a claimed job back whose handler was killed from outside. Raises LostLease."""
    _end(
        job,
        state=Job.State.QUEUED,
        attempts=job.attempts - 1,
        interruptions=job.interruptions + 1,
        run_after=timezone.now(),
        error="Its worker ended before it did.",
    )
    doorbell.ring_on_commit(job)


def lost() -> list[Job]:
    """Return the jobs whose worker is gone: the lease ran out, or the process is no more."""
    now = timezone.now()
    running = Job.objects.filter(state=Job.State.RUNNING).select_related("project")
    return [
        j
        for j in running
        if j.lease_until is None or j.lease_until < now or worker_identity.is_gone(j.worker)
    ]


def queue_of(job_id: str) -> str | None:
    """Return the queue of a job; None when there is no such job any more."""
    return Job.objects.filter(pk=job_id).values_list("queue", flat=True).first()


def left(queues: Collection[str] = QUEUES) -> int:
    """Return how many jobs are not over, those in a pause and those of other workers included."""
    return Job.objects.filter(state__in=OPEN, queue__in=queues).count()


def _due(queues: Collection[str]) -> QuerySet[Job]:
    waiting = Job.objects.filter(state=Job.State.QUEUED, run_after__lte=timezone.now())
    return waiting if set(queues) >= set(QUEUES) else waiting.filter(queue__in=queues)


def _mine(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, token=job.token)


def _end(job: Job, **values: object) -> None:
    """Leave the claim: the conditional update that fences every write of a worker."""
    with transaction.atomic():
        if not _mine(job).update(token=None, lease_until=None, deadline_at=None, worker="", **values):
            raise LostLease(f"Job {job.pk} is no longer ours; nothing of it was written.")
