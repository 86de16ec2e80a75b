"""A second hand of a worker whose job waits for an engine: other work goes on meanwhile.

Two calls that hang would otherwise hold both workers of a small installation, and every
other project would wait for as long as an engine may take. The second hand has a job process of its own,
which is started when it is needed and ended when the first hand has been free for a while.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection

from django.db import Error, close_old_connections, connection

from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.needs import list_engines
from callscope.pipeline.workers.job_supervisor import Runner
from callscope.processes.stop import Stop

logger = logging.getLogger(__name__)

BEGIN_S = 2.0  # a job that runs for longer waits for its engine
POLL_S = 0.5
IDLE_S = 60.0  # then the job process, some 200 MB, is ended
JOIN_S = 15.0

Claim = Callable[..., Job | None]


class Relief:
    """Runs jobs of other projects, or for other engines, while the worker's own job waits."""

    def __init__(self, queues: Collection[str], stop: Stop, claim: Claim) -> None:
        self.queues = queues
        self.stop = stop
        self.claim = claim
        self.runner = Runner(stop)
        self._job: Job | None = None
        self._began_s = 0.0
        self._has_ended = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, job: Job) -> None:
        """Note that the worker begins with a job; only one that asks an engine elsewhere is relieved."""
        asked = (engine for engine in list_engines(job.needs) if not engine.is_in_process)
        if any(engine.kind != "storage" for engine in asked):
            self._job, self._began_s = job, time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="relief", daemon=True)
                self._thread.start()

    def end(self) -> None:
        """Note that the worker's own job is over."""
        self._job = None

    def close(self) -> None:
        """End thread and process; a job at hand goes back to the queue if a stop is requested."""
        self._has_ended.set()
        if self._thread is not None:
            self._thread.join(JOIN_S)
        self.runner.end()

    def _run(self) -> None:
        idle_since_s = time.monotonic()
        while not self._has_ended.is_set() and not self.stop.is_requested:
            try:
                if self._relieve():
                    idle_since_s = time.monotonic()
                    continue
            except Error as error:
                logger.warning("The database does not answer: %s", error)
                connection.close()
            if time.monotonic() - idle_since_s > IDLE_S:
                self.runner.end()
            self.stop.wait(POLL_S)
        connection.close()

    def _relieve(self) -> bool:
        """Run one job next to the worker's own; return False if there is none to run."""
        waiting = self._job
        if waiting is None or time.monotonic() - self._began_s < BEGIN_S:
            return False
        close_old_connections()
        if not jobs.has_due(self.queues):
            return False
        job = self.claim(self.queues, waiting=waiting)
        if job is None:
            return False
        logger.info("Job %s runs while job %s waits for its engine.", job.pk, waiting.pk)
        self.runner.run(job)
        return True
