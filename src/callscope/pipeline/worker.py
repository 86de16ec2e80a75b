"""The worker: claim, run, again; sweep in between.

One worker runs one job at a time. It polls the job table with a plain indexed
read that locks nothing, more slowly the longer there is nothing to do. SIGTERM
and SIGINT end it within a second: the job at hand goes back to the queue.
"""

import logging
import time
from collections.abc import Collection

from django.db import Error, close_old_connections, connection, transaction
from django.utils import timezone

from callscope.calls import erasure
from callscope.pipeline import jobs, stages
from callscope.pipeline.models import Job
from callscope.pipeline.runner import Runner
from callscope.pipeline.stopping import Stop
from callscope.pipeline.sweep import sweep

logger = logging.getLogger(__name__)

POLL_S = (0.05, 1.0)  # at once after work, then ever more slowly
POLL_GROWTH = 1.4
SWEEP_S = 3.0
FOLD_S = 10.0  # between two foldings of the report store
ERASE_S = 3600.0  # between two looks for bytes that a crash has left behind
TROUBLE_PAUSE_S = 2.0  # after the database did not answer
DRAIN_PATIENCE = 15  # such pauses in a row, after which a draining worker gives up


class Worker:
    """One worker process, or a thread of a Celery worker."""

    def __init__(self, queues: Collection[str] = jobs.QUEUES, *, stop: Stop | None = None) -> None:
        self.queues = queues
        self.stop = stop or Stop()
        self.runner = Runner(self.stop)
        self._sweep_at = self._fold_at = self._erase_at = 0.0

    def run(self, *, drain: bool = False) -> None:
        """Work until told to stop; with `drain`, until no job is left, paused ones included.

        With `drain`, raises the database's error when it stays away.
        """
        poll_s = POLL_S[0]
        troubles = 0
        try:
            while not self.stop.is_requested:
                try:
                    worked = self.step()
                    troubles = 0
                    if not worked and drain and not jobs.left(self.queues):
                        return
                except Error as error:
                    troubles += 1
                    if drain and troubles > DRAIN_PATIENCE:
                        raise
                    logger.warning("The database does not answer: %s", error)
                    connection.close()
                    self.stop.wait(TROUBLE_PAUSE_S)
                    continue
                if worked:
                    poll_s = POLL_S[0]
                else:
                    self.stop.wait(poll_s)
                    poll_s = min(poll_s * POLL_GROWTH, POLL_S[1])
        finally:
            self.runner.end()

    def step(self) -> bool:
        """Do what is due; return whether a job was run."""
        close_old_connections()
        self._sweep_when_due()
        self._fold_when_due()
        self._erase_when_due()
        job = take(self.queues) if jobs.due(self.queues) else None
        if job is not None:
            self.runner.run(job)
            return True
        return False

    def _sweep_when_due(self) -> None:
        if time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + SWEEP_S
            sweep()

    def _erase_when_due(self) -> None:
        if time.monotonic() >= self._erase_at:
            self._erase_at = time.monotonic() + ERASE_S
            erasure.erase_stale(now=timezone.now())

    def _fold_when_due(self) -> None:
        """Tidy the report store; also under load, because reports read what is not folded yet as it is."""
        if time.monotonic() >= self._fold_at:
            self._fold_at = time.monotonic() + FOLD_S
            self.runner.fold()


def take(queues: Collection[str] = jobs.QUEUES) -> Job | None:
    """Claim the next job and show that its work began, in one transaction."""
    with transaction.atomic():
        job = jobs.claim(queues)
        if job is not None:
            stages.mark_started(job)
    return job


def run_all_here(queues: Collection[str] = jobs.QUEUES) -> int:
    """Run every job that is due in this very process and return their number.

    For programs that want the work done before they go on. It knows no deadline,
    and leaves jobs in a pause alone.
    """
    count = 0
    while (job := take(queues)) is not None:
        stages.run(job)
        count += 1
    return count
