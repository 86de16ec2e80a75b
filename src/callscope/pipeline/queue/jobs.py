"""The job table: the truth about what is left to do.

A job is written in the transaction of what caused it. A worker claims one by a
conditional update that sets token, lease and attempt, and every later write is
fenced by that token: a worker that lost the lease writes nothing. Design: docs/adr/0002.
All moments go by the clock of the database: by its own, a machine that is half a minute ahead would
take every job from all others, and try each of them too soon.
"""

import datetime as dt
import random
import uuid
from collections.abc import Collection

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, Min, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from callscope.calls.models import UploadedFile
from callscope.db import clock
from callscope.pipeline.models import Job
from callscope.pipeline.queue import fair_choice, notifier, worker_identity
from callscope.pipeline.queue.breakers import needs as job_needs
from callscope.pipeline.queue.breakers import states
from callscope.projects.models import Project

LEASE_S = 30.0  # a worker that is silent this long has lost its job, by the clock of the database
HEARTBEAT_S = 8.0  # between two extensions of a lease; three may fail before the lease runs out
RETRY_PAUSES_S = (1.0, 4.0, 16.0, 60.0)  # between the attempts
MAX_ATTEMPTS = len(RETRY_PAUSES_S) + 1
MAX_LOCK_TRIES = 10  # a job that another worker is claiming is left to it
# Workers die for reasons of their own (updates, reboots), so that is no attempt; but a job that
# kills every worker has to end at some point.
MAX_INTERRUPTIONS = 25
# The kernel's out-of-memory killer takes the process of a job and leaves its worker. When it does so again
# and again it is for this job, which would keep the worker from all others until its interruptions are used.
MAX_FREE_KILLS = 3
DEADLINE_S = {
    Job.Kind.TRANSCRIBE: 4 * 3600.0,
    Job.Kind.ANALYZE: 1800.0,
    Job.Kind.REGROUP: 3600.0,
    Job.Kind.RETENTION: 4 * 3600.0,
    Job.Kind.REPLAY: 3600.0,  # of one portion
    Job.Kind.RESCORE: 3600.0,
    Job.Kind.PROBE: 3600.0,
    Job.Kind.MAIL: 900.0,
}
# More is no recording of less than 10 s: two channels of 96,000 samples a second, 24 bits each, are 5.8 MB.
MAX_SHORT_BYTES = 6_000_000
QUEUES = ("asr", "llm", "default")
QUEUE_OF = {
    Job.Kind.TRANSCRIBE: "asr",
    Job.Kind.ANALYZE: "llm",
    Job.Kind.REGROUP: "default",
    Job.Kind.RETENTION: "default",
    Job.Kind.REPLAY: "llm",
    Job.Kind.RESCORE: "llm",
    Job.Kind.PROBE: "llm",
    Job.Kind.MAIL: "default",
}
OPEN_STATES = (Job.State.QUEUED, Job.State.RUNNING)


class LostLease(Exception):
    """The claim is over: nothing that was done under it may be written."""


def enqueue(
    kind: str,
    project: Project,
    subject_id: int,
    *,
    queue: str = "",
    fair_position: int | None = None,
    delay_s: float = 0.0,
    file: UploadedFile | None = None,
) -> Job:
    """Return the open job of this kind and subject, written now unless there is one.

    Call it in the transaction of what causes the job. `fair_position` is that of an
    earlier stage of the same file; by default the project gets its next position.
    `file` is the one to be transcribed or analyzed.
    """
    existing = Job.objects.filter(kind=kind, subject_id=subject_id, state__in=OPEN_STATES).first()
    if existing:
        return existing
    job = Job(
        kind=kind,
        project=project,
        subject_id=subject_id,
        queue=queue or QUEUE_OF[Job.Kind(kind)],
        needs=job_needs.find_needs(kind, project, file),
        turn=next_position(project) if fair_position is None else fair_position,
        run_after=clock.read_now() + dt.timedelta(seconds=delay_s),
    )
    try:
        with transaction.atomic():
            job.save(force_insert=True)
    except IntegrityError:  # another transaction wrote the open job at the same moment
        return Job.objects.get(kind=kind, subject_id=subject_id, state__in=OPEN_STATES)
    if not delay_s:
        notifier.notify_on_commit(job)
    return job


def next_position(project: Project) -> int:
    """Return the position in the fair order of one more job of this project.

    The jobs of a project are one position apart, starting where the order has got
    to: ten thousand files of one project delay a single file of another by one.
    """
    queued = Job.objects.filter(state=Job.State.QUEUED)
    current = queued.filter(run_after__lte=Now()).aggregate(turn=Min("turn"))["turn"]
    if current is None:
        current = Job.objects.filter(state__in=OPEN_STATES).aggregate(turn=Max("turn"))["turn"] or 0
    # One indexed maximum per state is quicker than one over both, which reads the project's jobs.
    own = [
        Job.objects.filter(project=project, state=state).aggregate(turn=Max("turn"))["turn"]
        for state in OPEN_STATES
    ]
    return int(max(current, *(turn + 1 for turn in own if turn is not None), 1))


def has_due(queues: Collection[str] = QUEUES) -> bool:
    """Return True if a job can be claimed. A plain read, so polling locks nothing."""
    return _claimable_jobs(queues, states.read_gate()).exists()


def claim_next(queues: Collection[str] = QUEUES, *, waiting: Job | None = None) -> Job | None:
    """Claim the next job in the fair order; return None if none is due. Call it in a transaction.

    With `waiting`, a running job that waits for its engine: only a job that may run next to it.
    """
    gate = states.read_gate()
    for pk in fair_choice.order_jobs(_claimable_jobs(queues, gate), gate, waiting=waiting)[:MAX_LOCK_TRIES]:
        locked = Job.objects.filter(pk=pk, state=Job.State.QUEUED).select_for_update(
            skip_locked=True, of=("self",)
        )
        job = locked.first()
        if job is not None and states.take_probes(gate.probes.get(job.needs, []), job):
            return _claim(job)
    return None


def claim_expired(patience_s: float) -> Job | None:
    """Claim a job that has waited for its engine for too long; None if there is none. In a transaction."""
    blocked = states.find_blocked_for(patience_s)
    if not blocked:
        return None
    before = Now() - dt.timedelta(seconds=patience_s)
    waiting = Job.objects.filter(state=Job.State.QUEUED, needs__in=blocked, run_after__lte=before)
    job = waiting.select_for_update(skip_locked=True, of=("self",)).first()
    return _claim(job) if job else None


def _claim(job: Job) -> Job | None:
    """Set token, lease, attempt and deadline of a queued job; return None if another claim was quicker."""
    job.state = Job.State.RUNNING
    job.token = uuid.uuid4()
    job.worker = worker_identity.current_identity()
    job.attempts += 1
    job.claimed_at = clock.read_now()
    # By the clock of this machine, whose supervisor alone compares it.
    job.deadline_at = timezone.now() + dt.timedelta(seconds=DEADLINE_S[Job.Kind(job.kind)])
    # SQLite has no row locks, so the condition on the state is what makes one of two claimants lose.
    is_claimed = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(
        state=job.state,
        token=job.token,
        worker=job.worker,
        attempts=job.attempts,
        claimed_at=job.claimed_at,
        lease_until=Now() + dt.timedelta(seconds=LEASE_S),
        deadline_at=job.deadline_at,
    )
    return job if is_claimed else None


def extend_lease(job: Job) -> bool:
    """Extend the lease of a claimed job; return False if the claim is over."""
    return bool(_claimed(job).update(lease_until=Now() + dt.timedelta(seconds=LEASE_S)))


def finish(job: Job) -> None:
    """Set a claimed job to done; the first line of the transaction that writes its result.

    Raise LostLease, which rolls that transaction back, if the claim is over.
    """
    _end_claim(job, state=Job.State.DONE, error="", finished_at=Now())


def fail(job: Job, reason: str) -> None:
    """Set a claimed job to failed, with a sentence that says why. Raise LostLease."""
    _end_claim(job, state=Job.State.FAILED, error=reason, finished_at=Now())


def schedule_retry(job: Job, reason: str) -> None:
    """Requeue a claimed job for its next attempt, after a pause. Raise LostLease."""
    # The jitter keeps jobs that failed together from coming back together.
    pause_s = RETRY_PAUSES_S[min(job.attempts, len(RETRY_PAUSES_S)) - 1] * random.uniform(0.75, 1.25)  # noqa: S311
    run_after = clock.in_seconds(pause_s * settings.RETRY_PAUSE)
    _end_claim(job, state=Job.State.QUEUED, error=reason, run_after=run_after)


def park(job: Job, reason: str, *, pause_s: float = 0.0) -> None:
    """Requeue a claimed job as if it had not been claimed, to wait for what it needs. Raise LostLease.

    It keeps its place and time: it is claimed when its engine works again, or to try it. With a pause,
    not before that is over.
    """
    seconds = max(pause_s * settings.RETRY_PAUSE, states.MIN_PAUSE_S)
    run_after = clock.in_seconds(seconds)
    _end_claim(
        job,
        state=Job.State.QUEUED,
        attempts=job.attempts - 1,
        error=reason,
        run_after=run_after if pause_s else job.run_after,
        needs=job_needs.find_needs_of_job(job),
        parked_at=job.parked_at or Now(),
    )


def has_waited_enough(job: Job) -> bool:
    """Return True if a job that is in trouble again has to be given up.

    It is when it has waited for the patience since it first met trouble, also where its engine answered
    others meanwhile: an engine may refuse a single request as too much each time.
    """
    if job.parked_at is None:
        return False
    return (clock.read_now() - job.parked_at).total_seconds() >= settings.ENGINE_PATIENCE


def postpone(job: Job, reason: str, *, pause_s: float) -> None:
    """Requeue a claimed job for after a pause, as if it had not been claimed. Raise LostLease."""
    run_after = clock.in_seconds(pause_s * settings.RETRY_PAUSE)
    _end_claim(job, state=Job.State.QUEUED, attempts=job.attempts - 1, error=reason, run_after=run_after)


def hold(job: Job) -> None:
    """Extend the lease of a claimed job, in a transaction that writes a part of its work. Raise LostLease."""
    if not extend_lease(job):
        raise LostLease(f"The claim of job {job.pk} is over; nothing was written.")


def continue_later(job: Job) -> None:
    """Requeue a claimed job that has done a portion of its work, behind what waits now. Raise LostLease."""
    _end_claim(
        job,
        state=Job.State.QUEUED,
        attempts=0,
        interruptions=0,
        parked_at=None,
        turn=next_position(job.project),
        run_after=Now(),
        error="",
    )
    notifier.notify_on_commit(job)


def release(job: Job) -> None:
    """Requeue a claimed job as if it had not been claimed, as a stopping worker does. Raise LostLease."""
    _end_claim(job, state=Job.State.QUEUED, attempts=job.attempts - 1, run_after=Now())
    notifier.notify_on_commit(job)


def requeue_interrupted(job: Job) -> None:
    """Requeue a claimed job whose process was killed from outside. Raise LostLease."""
    _end_claim(
        job,
        state=Job.State.QUEUED,
        attempts=job.attempts - 1,
        interruptions=job.interruptions + 1,
        run_after=Now(),
        error="Its worker ended before it did.",
    )
    notifier.notify_on_commit(job)


def cancel_queued(kind: str, subject_id: int) -> None:
    """Set the queued job of this kind and subject to done; one that runs is left to its worker."""
    waiting = Job.objects.filter(kind=kind, subject_id=subject_id, state=Job.State.QUEUED)
    waiting.update(state=Job.State.DONE, error="", finished_at=Now())


def find_abandoned() -> list[Job]:
    """Return the running jobs whose lease ran out or whose worker process has exited."""
    is_late = Q(lease_until=None) | Q(lease_until__lt=Now())
    running = Job.objects.filter(state=Job.State.RUNNING).annotate(is_late=is_late).select_related("project")
    return [job for job in running if job.is_late or worker_identity.has_exited(job.worker)]


def find_queue(job_id: str) -> str | None:
    """Return the queue of a job; None if the job no longer exists."""
    return Job.objects.filter(pk=job_id).values_list("queue", flat=True).first()


def count_open(queues: Collection[str] = QUEUES, *, without: Collection[str] = ()) -> int:
    """Return how many jobs are queued or running, also those that wait for a retry.

    `without`: queued ones with these needs are not counted.
    """
    found = Job.objects.filter(state__in=OPEN_STATES, queue__in=queues)
    return found.exclude(state=Job.State.QUEUED, needs__in=without).count() if without else found.count()


def was_ended(job: Job) -> bool:
    """Return True if the worker of this claim ended it itself, so that no other one took the job over."""
    own = Job.objects.filter(pk=job.pk, claimed_at=job.claimed_at, interruptions=job.interruptions)
    return own.exclude(state=Job.State.RUNNING).exists()


def _claimable_jobs(queues: Collection[str], gate: states.Gate) -> QuerySet[Job]:
    waiting = Job.objects.filter(state=Job.State.QUEUED, run_after__lte=Now())
    if gate.blocked:
        waiting = waiting.exclude(Q(needs__in=gate.blocked) & ~_to_be_measured(gate))
    return waiting if set(queues) >= set(QUEUES) else waiting.filter(queue__in=queues)


def _to_be_measured(gate: states.Gate) -> Q:
    """Return the jobs that a paused recognizer does not hold back yet.

    A recording that is too short to be a call fails right after its upload, whatever the engines do.
    Each that can be so short is measured once; then it waits as others do.
    """
    if job_needs.FILE in gate.blocked:
        return Q(pk__in=[])
    small = UploadedFile.objects.filter(size__lte=MAX_SHORT_BYTES)
    return Q(
        needs__in=(job_needs.SPEECH, job_needs.PRIVATE_SPEECH),
        parked_at=None,
        subject_id__in=small.values("pk"),
    )


def _claimed(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, token=job.token)


def _end_claim(job: Job, **values: object) -> None:
    """End the claim by the conditional update that fences every write of a worker. Raise LostLease."""
    with transaction.atomic():
        if not _claimed(job).update(token=None, lease_until=None, deadline_at=None, worker="", **values):
            raise LostLease(f"The claim of job {job.pk} is over; nothing was written.")
