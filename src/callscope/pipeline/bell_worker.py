"""A worker that a broker wakes. It answers each ring by one job of that queue, the fairest first.

Celery holds the connection, one ring at a time; the work itself goes the same way
as with polling. A second thread sweeps, and rings again for what was lost.
"""

import contextlib
import logging
import threading
from collections.abc import Collection
from typing import Any

from celery import signals
from django.db import Error, close_old_connections, connection

from callscope.pipeline import celery_app, jobs
from callscope.pipeline.stopping import Stop
from callscope.pipeline.sweep import ring_again, sweep
from callscope.pipeline.worker import SWEEP_S, Worker, take

logger = logging.getLogger(__name__)

RING_AGAIN_ROUNDS = 2  # sweeps without any work, after which the worker counts as idle


class BellWorker:
    """One Celery consumer of the named queues, working on one job at a time."""

    def __init__(self, queues: Collection[str]) -> None:
        self.queues = tuple(queues)
        self.stop = Stop()
        self.worker = Worker(self.queues, stop=self.stop)
        self._is_busy = False
        self._idle_rounds = 0

    def run(self) -> None:
        """Work until SIGTERM or SIGINT."""
        app = celery_app.application()
        app.task(name=celery_app.RING)(self.answer)
        signals.worker_shutting_down.connect(self._on_shutting_down)
        attendant = threading.Thread(target=self._attend, name="sweep", daemon=True)
        attendant.start()
        consumer = app.Worker(
            pool="threads",
            concurrency=1,
            queues=[celery_app.QUEUE_PREFIX + name for name in self.queues],
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
            loglevel="WARNING",
            quiet=True,
        )
        try:
            consumer.start()
        finally:
            self.stop.request()
            self.worker.runner.end()
            attendant.join(timeout=2)

    def answer(self, job_id: str) -> None:
        """Run one job of this ring's queue: the fairest one, which need not be the one it names."""
        if self.stop.is_requested:
            return
        self._is_busy, self._idle_rounds = True, 0
        try:
            close_old_connections()
            queue = jobs.queue_of(job_id)
            job = take([queue]) if queue in self.queues else None
            if job is not None:
                self.worker.runner.run(job)
        except Error as error:
            logger.warning("The database does not answer: %s", error)
            connection.close()
        finally:
            self._is_busy = False

    def _attend(self) -> None:
        """Sweep until the stop, in a thread of its own."""
        while not self.stop.is_requested:
            try:
                close_old_connections()
                sweep()
                self._idle_rounds = 0 if self._is_busy else self._idle_rounds + 1
                ring_again(is_idle=self._idle_rounds >= RING_AGAIN_ROUNDS)
            except Error as error:
                logger.warning("The database does not answer: %s", error)
                connection.close()
            self.stop.wait(SWEEP_S)
        connection.close()

    def _on_shutting_down(self, **_: Any) -> None:
        self.stop.request()


def run(queues: Collection[str]) -> None:
    """Run a bell worker until it is told to stop."""
    with contextlib.suppress(SystemExit):
        BellWorker(queues).run()
