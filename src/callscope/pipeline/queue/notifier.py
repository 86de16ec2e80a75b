"""Notify workers of a job: with CALLSCOPE_QUEUE_URL, a broker wakes a worker on any machine.

A message carries the id of a job and nothing else, and nothing depends on it: idle
workers look into the job table themselves, and a message that comes twice finds no job
left. So messages are sent by a thread that nobody waits for, and while the broker is away
they are dropped. Without a broker this module does nothing, because workers poll.
"""

import logging
import os
import queue
import threading
import time

from django.conf import settings
from django.db import transaction

from callscope.pipeline.models import Job
from callscope.processes import crash_points

MAX_WAITING = 1000  # messages; beyond it workers find the jobs by themselves
REST_S = 5.0  # after a message was not taken, none is sent for so long

logger = logging.getLogger(__name__)


class Sender:
    """Sends messages one after the other in a thread of its own, which starts with the first one."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[tuple[str, str]] = queue.Queue(MAX_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._rests_until_s = 0.0

    def put(self, job_id: str, queue_name: str) -> None:
        """Take a message without waiting; drop it where too many wait already."""
        try:
            self._waiting.put_nowait((job_id, queue_name))
        except queue.Full:
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._send_all, name="notifier", daemon=True)
                self._thread.start()

    def wait_until_sent(self) -> None:
        """Wait until every message that was put has been sent or dropped."""
        self._waiting.join()

    def _send_all(self) -> None:
        while True:
            job_id, queue_name = self._waiting.get()
            try:
                if time.monotonic() >= self._rests_until_s and not send(job_id, queue_name):
                    self._rests_until_s = time.monotonic() + REST_S
            except Exception:
                logger.exception("The notifier met an error, and goes on.")
            finally:
                self._waiting.task_done()


_senders: dict[int, Sender] = {}  # by process: threads do not live on after a fork


def sender() -> Sender:
    """Return the sender of this process."""
    return _senders.setdefault(os.getpid(), Sender())


def is_enabled() -> bool:
    """Return True if a broker is configured."""
    return bool(settings.QUEUE_URL)


def notify_on_commit(job: Job) -> None:
    """Notify the broker when the transaction that wrote the job commits; not if it rolls back."""
    if is_enabled():
        transaction.on_commit(lambda: sender().put(str(job.pk), job.queue), robust=True)


def notify(job: Job) -> bool:
    """Send the id of the job to its queue now; return False if the broker cannot be reached."""
    return send(str(job.pk), job.queue)


def send(job_id: str, queue_name: str) -> bool:
    """Send the id of a job to its queue now; return False if the broker cannot be reached."""
    from callscope.pipeline.queue import celery_app

    crash_points.reach_point("notify")
    try:
        celery_app.send_job_id(job_id, queue=queue_name)
    except celery_app.UNREACHABLE_ERRORS as error:
        logger.warning("The broker did not take job %s (%s). Idle workers find it anyway.", job_id, error)
        return False
    return True


def count_messages() -> dict[str, int]:
    """Return how many messages wait in each queue of the broker. Raise the broker's error."""
    from callscope.pipeline.queue import celery_app

    return celery_app.count_messages()


def ping_broker() -> None:
    """Raise the broker's error unless it can be reached now."""
    from callscope.pipeline.queue import celery_app

    celery_app.ping_broker()
