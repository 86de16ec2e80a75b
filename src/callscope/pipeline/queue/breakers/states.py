"""The circuit breaker of each engine and bucket, kept in the database for all workers of all hosts.
Its moments go by the clock of the database.

working → paused      when it is in trouble itself, or fails for several jobs
paused → probing      when its pause is over: one job is claimed and tries it
probing → working     when it answers anything; what waits is claimed at once
probing → paused      when it fails again, for longer
"""

import datetime as dt
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from callscope.db import clock
from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue.breakers import needs, site

PAUSES_S = (1.0, 4.0, 16.0, 60.0)  # between two tries of a paused engine; the last one repeats
MIN_PAUSE_S = 0.2  # also where CALLSCOPE_RETRY_PAUSE is 0
MAX_RETRY_AFTER_S = 3600.0  # an engine may not ask for more
FAILING = "failing"
# So many failures, of more than one job, without an answer in between are the engine's and not a call's.
MIN_FAILURES, MIN_FAILED_JOBS = 3, 2
MAX_DETAIL = 1000  # characters
OF_THE_SETTINGS = (Trouble.KEY, Trouble.QUOTA, Trouble.MODEL, Trouble.ADDRESS)
NEEDS_A_PERSON = (*OF_THE_SETTINGS, Trouble.MISSING)


@dataclass(frozen=True, slots=True)
class Gate:
    """Which work may be claimed now."""

    blocked: frozenset[str] = frozenset()  # needs of which no job is claimed
    probes: Mapping[str, Sequence[EngineState]] = field(default_factory=dict)  # needs → what one job may try


def read_gate() -> Gate:
    """Return what is blocked by the state of this process's engines; one query while all of them work."""
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING).annotate(
        is_due=Q(probe_at=None) | Q(probe_at__lte=Now())
    )
    by_id = {EngineId(row.kind, row.address): row for row in rows}
    if not by_id:
        return Gate()
    due = {engine for engine, row in by_id.items() if row.is_due or _was_left_untried(row)}
    blocked, probes = set(), {}
    for name in needs.NAMES:
        engines = [engine for engine in needs.list_engines(name) if engine in by_id]
        if not due.issuperset(engines):
            blocked.add(name)
        elif engines:
            probes[name] = [by_id[engine] for engine in engines]
    return Gate(frozenset(blocked), probes)


def take_probes(rows: Iterable[EngineState], job: Job) -> bool:
    """Let this job try these engines; return False if another job was quicker. Call it in a transaction."""
    until = Now() + dt.timedelta(seconds=settings.ENVIRONMENT.engine_timeout + 60)
    for row in rows:
        taken = EngineState.objects.filter(pk=row.pk, state=row.state, probe_at=row.probe_at).update(
            state=EngineState.State.PROBING, probe_at=until, latest_job=job.pk
        )
        if not taken:
            return False
    return True


def record_answer(engine: EngineId) -> None:
    """Note that an engine answered; a paused one works again, unless it asked to wait longer."""
    in_trouble = Q(failures__gt=0) | ~Q(state=EngineState.State.WORKING)
    rows = EngineState.objects.filter(in_trouble, kind=engine.kind, address=engine.address)
    row = rows.annotate(is_early=Q(probe_at__gt=Now())).first()
    if row is None:
        return
    if row.is_early and row.state == EngineState.State.PAUSED and row.reason == Trouble.BUSY:
        return  # the answer to a request that was sent before
    EngineState.objects.filter(pk=row.pk).update(
        state=EngineState.State.WORKING,
        reason="",
        detail="",
        since=None,
        failures=0,
        failed_jobs=0,
        latest_job=None,
        failed_probes=0,
        probe_at=None,
    )


def record_trouble(
    engine: EngineId, job: Job, trouble: Trouble, sentence: str, *, retry_after_s: float | None = None
) -> bool:
    """Pause an engine that is in trouble itself; return False if this job alone meets that trouble.

    That is one that has waited for it before, while the engine answered others since: what guards a
    server may take a single call for an attack, and refuse it as if the key were wrong.
    """
    with transaction.atomic():
        row = _note_failure(engine, job, sentence)
        is_alone = trouble in OF_THE_SETTINGS and job.parked_at is not None and not _is_failing(row)
        if is_alone and row.state == EngineState.State.WORKING:
            row.latest_job = job.pk
            row.save()
            return False
        _pause(row, job, trouble, retry_after_s)
        return True


def record_failure(engine: EngineId, job: Job, sentence: str) -> bool:
    """Note a failure that may be this job's; return True if the engine fails for others too and is paused."""
    with transaction.atomic():
        return _pause_if_failing(_note_failure(engine, job, sentence), job)


def record_refusal(engine: EngineId, job: Job, sentence: str) -> bool:
    """Note a refusal that may be everybody's; return True if the engine is paused, for others are refused."""
    with transaction.atomic():
        row = _note_failure(engine, job, sentence)
        was_trying = row.state == EngineState.State.PROBING and row.latest_job == job.pk
        if row.state != EngineState.State.WORKING and not was_trying:
            return True  # to a request that was sent before the pause
        if was_trying and row.reason != FAILING:  # what it was paused for is over
            row.state, row.reason, row.probe_at = EngineState.State.WORKING, "", None
            row.failures = row.failed_jobs = 1
            row.failed_probes = 0
            row.since = clock.read_now()
        return _pause_if_failing(row, job)


def hurry_probes() -> None:
    """Let engines that wait for a person be tried now: a worker starts, maybe with other settings."""
    EngineState.objects.filter(state=EngineState.State.PAUSED, reason__in=NEEDS_A_PERSON).update(
        probe_at=Now()
    )


def find_blocked_for(seconds: float) -> list[str]:
    """Return the needs whose engines have not answered for so long."""
    since = Now() - dt.timedelta(seconds=seconds)
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING).filter(since__lte=since)
    lasting = {EngineId(row.kind, row.address) for row in rows}
    # An engine of this machine's processes may be there on another one, where the work goes on.
    waiting = site.find_blocked_needs()
    return [
        name for name in needs.NAMES if name in waiting and lasting.intersection(needs.list_engines(name))
    ]


def list_missing() -> dict[str, str]:
    """Return the needs that wait for an engine of this process that is not there, and what it lacks."""
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING).filter(reason=Trouble.MISSING)
    missing = {EngineId(row.kind, row.address): row.detail for row in rows}
    found = {name: [e for e in needs.list_engines(name) if e in missing] for name in needs.NAMES}
    return {name: missing[engines[0]] for name, engines in found.items() if engines}


def find_pause_of(job: Job) -> EngineState | None:
    """Return the state of an engine that holds a claimed job back, unless it is the one that tries it."""
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING)
    by_id = {EngineId(row.kind, row.address): row for row in rows}
    for engine in needs.list_engines(job.needs) if by_id else ():
        row = by_id.get(engine)
        if row is not None and (row.state == EngineState.State.PAUSED or row.latest_job != job.pk):
            return row
    return None


def _note_failure(engine: EngineId, job: Job, sentence: str) -> EngineState:
    """Return the locked row of an engine with one more failure, not yet saved."""
    EngineState.objects.get_or_create(kind=engine.kind, address=engine.address)
    row = EngineState.objects.select_for_update().get(kind=engine.kind, address=engine.address)
    row.failures += 1
    row.failed_jobs += row.latest_job != job.pk or row.failures == 1
    row.since = row.since or clock.read_now()
    row.detail = sentence[:MAX_DETAIL]
    return row


def _pause_if_failing(row: EngineState, job: Job) -> bool:
    if row.state == EngineState.State.WORKING and not _is_failing(row):
        row.latest_job = job.pk
        row.save()
        return False
    _pause(row, job, FAILING, None)
    return True


def _is_failing(row: EngineState) -> bool:
    return row.failures >= MIN_FAILURES and row.failed_jobs >= MIN_FAILED_JOBS


def _pause(row: EngineState, job: Job, reason: str, retry_after_s: float | None) -> None:
    """Pause the engine of this row, for longer after each try that failed."""
    is_late = row.state == EngineState.State.PAUSED  # a request that was sent before the pause
    if row.state == EngineState.State.PROBING and row.latest_job == job.pk:
        row.failed_probes += 1
    if retry_after_s is not None:
        pause_s = min(max(retry_after_s, MIN_PAUSE_S), MAX_RETRY_AFTER_S)
    else:
        # The jitter keeps hosts that met the same trouble from coming back together.
        pause_s = PAUSES_S[min(row.failed_probes, len(PAUSES_S) - 1)] * random.uniform(0.75, 1.25)  # noqa: S311
        pause_s = max(pause_s * settings.RETRY_PAUSE, MIN_PAUSE_S)
    probe_at = clock.read_now() + dt.timedelta(seconds=pause_s)
    if is_late and row.probe_at is not None:
        probe_at = max(probe_at, row.probe_at) if retry_after_s is not None else row.probe_at
    row.state, row.reason, row.probe_at, row.latest_job = (
        EngineState.State.PAUSED,
        str(reason),
        probe_at,
        job.pk,
    )
    row.save()


def _was_left_untried(row: EngineState) -> bool:
    if row.state != EngineState.State.PROBING:
        return False
    # The job that tried it ended without an answer or a failure: it was stopped, or asked nothing.
    running = Job.objects.filter(pk=row.latest_job, state=Job.State.RUNNING) if row.latest_job else None
    return running is None or not running.exists()
