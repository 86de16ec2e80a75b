"""The worker: claim a job, run it, repeat.

One worker runs one job at a time. It polls the job table with an indexed read
that locks nothing, at growing intervals while there is nothing to do. SIGTERM and
SIGINT end it within a second, and the job at hand goes back to the queue.
"""

import logging
import time
from collections.abc import Collection

from django.db import Error, close_old_connections, connection, transaction
from django.utils import timezone

from callscope.accounts import sessions, sign_in_limits
from callscope.accounts.trail import cutting
from callscope.calls import erasure, share_links
from callscope.db.trouble import passes_by_itself
from callscope.pipeline.decisions.weekly_draws import draw_due_weeks
from callscope.pipeline.erasure import retention
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.states import hurry_probes, list_missing
from callscope.pipeline.report_mail.subscriptions import enqueue_due_mails
from callscope.pipeline.workers import stages
from callscope.pipeline.workers.job_supervisor import Runner
from callscope.pipeline.workers.relief import Relief
from callscope.pipeline.workers.sweep import fail_expired, requeue_abandoned
from callscope.processes import crash_points
from callscope.processes.stop import Stop

logger = logging.getLogger(__name__)

MIN_POLL_S, MAX_POLL_S = 0.05, 1.0
POLL_GROWTH = 1.4
SWEEP_S = 3.0
COMPACT_S = 10.0
ERASE_S = 3600.0  # between two searches for what is worth nothing any more, and for mails that are due
DATABASE_PAUSE_S = 2.0  # after the database did not answer
MAX_DRAIN_FAILURES = 15  # such pauses in a row, after which a draining worker gives up


class Worker:
    """One worker process, or a thread of a Celery worker."""

    def __init__(self, queues: Collection[str] = jobs.QUEUES, *, stop: Stop | None = None) -> None:
        self.queues = queues
        self.stop = stop or Stop()
        self.runner = Runner(self.stop)
        self.relief = Relief(queues, self.stop, claim_and_start)
        self._sweep_at = self._compact_at = self._erase_at = 0.0
        self._has_hurried_probes = False

    def run(self, *, drain: bool = False) -> None:
        """Work until a stop is requested; with `drain`, until no job is left, delayed ones included.

        With `drain`, raise the error of a database or a storage that stays away, and leave jobs that
        wait for an engine of this process that is not there.
        """
        poll_s = MIN_POLL_S
        failures = 0
        try:
            while not self.stop.is_requested:
                try:
                    has_worked = self.run_once()
                    failures = 0
                    if drain and not has_worked and self.is_drained():
                        return
                except Exception as error:
                    failures += 1
                    if drain and failures > MAX_DRAIN_FAILURES:
                        raise
                    pause_for_trouble(error, self.stop)
                    continue
                if has_worked:
                    poll_s = MIN_POLL_S
                else:
                    self.stop.wait(poll_s)
                    poll_s = min(poll_s * POLL_GROWTH, MAX_POLL_S)
        finally:
            self.close()

    def is_drained(self) -> bool:
        """True if no job is left but those that wait for an engine of this process that is not there."""
        return not jobs.count_open(self.queues) or not jobs.count_open(self.queues, without=list_missing())

    def close(self) -> None:
        """End the job processes."""
        self.relief.close()
        self.runner.end()

    def run_job(self, job: Job) -> None:
        """Run a claimed job, and others while it waits for an engine."""
        self.relief.begin(job)
        try:
            self.runner.run(job)
        finally:
            self.relief.end()

    def run_once(self) -> bool:
        """Do what maintenance is due, then one job; return True if there was one."""
        crash_points.reach_point("wake")
        close_old_connections()
        if not self._has_hurried_probes:
            hurry_probes()
            self._has_hurried_probes = True
        self.run_maintenance()
        # A plain read comes first, because claiming takes a write lock that idle workers would fight for.
        job = claim_and_start(self.queues) if jobs.has_due(self.queues) else None
        if job is not None:
            self.run_job(job)
        return job is not None

    def run_maintenance(self) -> None:
        """Sweep, compact the report store and erase stale bytes, each when its time has come."""
        now = time.monotonic()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_S
            requeue_abandoned()
            fail_expired()
        if now >= self._compact_at:
            # Also under load: reports read what is not compacted yet, at a growing price.
            self._compact_at = now + COMPACT_S
            self.runner.compact()
        if now >= self._erase_at:
            self._erase_at = now + ERASE_S
            erasure.erase_stale(now=timezone.now())
            sessions.forget_ended(now=timezone.now())
            sign_in_limits.forget_old_counters(now=timezone.now())
            share_links.forget_expired_links(now=timezone.now())
            retention.enqueue_due_sweeps(now=timezone.now())
            enqueue_due_mails(now=timezone.now())
            draw_due_weeks(now=timezone.now())
            self._cut_audit_trail()

    def _cut_audit_trail(self) -> None:
        try:
            retention.cut_audit_trail(now=timezone.now())
        except cutting.DamagedTrail as error:
            logger.error("Old audit events stay, because the trail was changed. %s", error)


def pause_for_trouble(error: Exception, stop: Stop) -> None:
    """Wait a moment after the database, the disk or the storage failed; raise any other error again."""
    if not isinstance(error, Error) and not passes_by_itself(error):
        raise error
    logger.warning("Work pauses: %s", error)
    connection.close()
    stop.wait(DATABASE_PAUSE_S)


def claim_and_start(queues: Collection[str] = jobs.QUEUES, *, waiting: Job | None = None) -> Job | None:
    """Claim the next job and mark its subject as being worked on, in one transaction.

    With `waiting`, only a job that may run next to that one.
    """
    with transaction.atomic():
        job = jobs.claim_next(queues, waiting=waiting)
        if job is not None:
            stages.mark_started(job)
    if job is not None:
        crash_points.reach_point("claim")
    return job
