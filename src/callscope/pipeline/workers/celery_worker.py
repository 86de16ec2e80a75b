"""A worker that a broker wakes up. It answers each message with one job of that queue, the fairest first.

Celery holds the connection and delivers one message at a time; the work itself goes
the same way as with polling, maintenance included. A second thread looks into the job table
whenever the worker is idle: a lost message or a broker that is away costs seconds.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Collection

from celery import signals
from django.db import close_old_connections, connection

from callscope.pipeline.queue import celery_app, jobs
from callscope.pipeline.workers.sweep import requeue_abandoned
from callscope.pipeline.workers.worker import SWEEP_S, Worker, claim_and_start, pause_for_trouble
from callscope.processes.stop import Stop

END_S = 6.0  # less than a supervisor waits; the job at hand goes back within a second


class CeleryWorker:
    """One Celery consumer of the named queues, working on one job at a time."""

    def __init__(self, queues: Collection[str]) -> None:
        self.queues = tuple(queues)
        self.stop = Stop()
        self.worker = Worker(self.queues, stop=self.stop)
        self._turn = threading.Lock()  # one job at a time, from either thread

    def run(self, on_ready: Callable[[], None]) -> None:
        """Call `on_ready`, then work until SIGTERM or SIGINT."""
        app = celery_app.get_celery_app()
        app.task(name=celery_app.WAKE_UP_TASK)(self.handle_message)
        signals.worker_shutting_down.connect(lambda **_: self._end_soon(), weak=False)
        # The poller may hold a job before Celery's own handlers stand.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end_before_start)
        poller = threading.Thread(target=self._poll_until_stopped, name="poll", daemon=True)
        poller.start()
        try:
            on_ready()
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
            consumer.start()
        finally:
            self.stop.request()
            self.worker.close()
            poller.join(timeout=2)

    def _end_before_start(self, *_: object) -> None:
        self._end_soon()
        raise SystemExit(0)

    def _end_soon(self) -> None:
        """Stop working, and end even if Celery still waits for a broker that is away."""
        self.stop.request()
        last_resort = threading.Timer(END_S, os._exit, [0])
        last_resort.daemon = True
        last_resort.start()

    def handle_message(self, job_id: str) -> None:
        """Run one job of the queue that the named job is in: the fairest one, which may be another."""
        with self._turn:
            if self.stop.is_requested:
                return
            try:
                close_old_connections()
                queue = jobs.find_queue(job_id)
                job = claim_and_start([queue]) if queue in self.queues else None
                if job is not None:
                    self.worker.run_job(job)
                # While one message follows the other, the poller never finds its turn free.
                self.worker.run_maintenance()
            except Exception as error:
                pause_for_trouble(error, self.stop)

    def _poll_until_stopped(self) -> None:
        """Sweep while a message is worked on; while none is, work on what is due."""
        while not self.stop.is_requested:
            has_worked = False
            try:
                if self._turn.acquire(blocking=False):
                    try:
                        has_worked = self.worker.run_once()
                    finally:
                        self._turn.release()
                else:
                    close_old_connections()
                    requeue_abandoned()
            except Exception as error:
                pause_for_trouble(error, self.stop)
            if not has_worked:
                self.stop.wait(SWEEP_S)
        connection.close()


def run(queues: Collection[str], on_ready: Callable[[], None] = lambda: None) -> None:
    """Run a Celery worker until it is asked to stop; call `on_ready` when a signal would end it well."""
    with contextlib.suppress(SystemExit):
        CeleryWorker(queues).run(on_ready)
