"""Run one claimed job in a handler process and see it through.

While the stage runs, the worker's side extends the lease and watches the
deadline. It ends the handler when the deadline passes, when the lease is lost or
when the worker is told to stop, and settles jobs whose handler died.
"""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time

from django.db import Error, connection, transaction
from django.utils import timezone

from callscope.pipeline import handler, jobs, stages
from callscope.pipeline.models import Job
from callscope.pipeline.stopping import Stop

logger = logging.getLogger(__name__)

START_TIMEOUT_S = 120.0  # a cold disk and a busy machine; importing takes about a second
KILL_TIMEOUT_S = 10.0


class Runner:
    """One handler process, started when it is first needed and again after it ended."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self._process: subprocess.Popen[bytes] | None = None
        self._heard = b""

    def run(self, job: Job) -> None:
        """Run the stage of a claimed job; when this returns, the claim is over."""
        outcome = self._await_the_end(job) if self._order(f"{job.pk} {job.token}") else "died"
        if outcome == "died" and self.stop.is_requested:
            outcome = "stopped"
        if outcome == "died":
            self._settle_death(job)
        elif outcome == "deadline":
            self.end()
            limit_s = jobs.DEADLINE_S[Job.Kind(job.kind)]
            stages.settle(
                job, stages.HandlerEnded(f"The work did not end within {limit_s / 60:.0f} minutes.")
            )
        elif outcome == "lost":
            logger.warning("Job %s was taken over by another worker.", job.pk)
            self.end()
        elif outcome == "stopped":
            self.end()
            with contextlib.suppress(jobs.LostLease):
                jobs.release(job)

    def fold(self) -> None:
        """Let the handler tidy the report store."""
        if self._order(handler.FOLD):
            while self._word(1.0) is None and self._is_alive() and not self.stop.is_requested:
                pass

    def warm_up(self) -> None:
        """Start the handler ahead of the first job."""
        if not self._is_alive():
            self._start()

    def end(self) -> None:
        """End the handler process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(KILL_TIMEOUT_S)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _await_the_end(self, job: Job) -> str:
        beat_at = time.monotonic() + jobs.HEARTBEAT_S
        while True:
            word = self._word(min(1.0, max(0.0, beat_at - time.monotonic())))
            if word == handler.OVER:
                return "over"
            if word is None and not self._is_alive():
                return "died"
            if self.stop.is_requested:
                return "stopped"
            if job.deadline_at is not None and timezone.now() > job.deadline_at:
                return "deadline"
            if time.monotonic() >= beat_at:
                beat_at = time.monotonic() + jobs.HEARTBEAT_S
                if not self._beat(job):
                    # It may have ended a moment ago, and the word of it is on the way.
                    return "over" if self._word(1.0) == handler.OVER else "lost"

    def _beat(self, job: Job) -> bool:
        """Extend the lease; a database that does not answer now may answer the next beat."""
        try:
            return jobs.heartbeat(job)
        except Error as error:
            logger.warning("The lease of job %s could not be extended: %s", job.pk, error)
            connection.close()
            return True

    def _settle_death(self, job: Job) -> None:
        """Decide by how the handler died: killed from outside is an interruption, a crash is an attempt."""
        status = self._process.poll() if self._process else None
        self.end()
        if status == -signal.SIGKILL and job.interruptions < jobs.MAX_INTERRUPTIONS:
            logger.warning("The handler of job %s was killed. The job starts again.", job.pk)
            with contextlib.suppress(jobs.LostLease), transaction.atomic():
                jobs.interrupted(job)
            return
        cause = f"signal {-status}" if status is not None and status < 0 else f"exit status {status}"
        stages.settle(job, stages.HandlerEnded(f"The process that did the work crashed ({cause})."))

    def _order(self, line: str) -> bool:
        """Give the handler an order; False when it cannot be started or is dead."""
        try:
            if not self._is_alive():
                self._start()
            assert self._process is not None
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except (OSError, _HandlerDidNotStart) as error:
            logger.warning("The handler process takes no orders: %s", error)
            return False
        return True

    def _start(self) -> None:
        self.end()
        self._heard = b""
        command = [sys.executable, "-m", handler.__name__, str(os.getpid())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        until = time.monotonic() + START_TIMEOUT_S
        while self._word(1.0) is None:
            if not self._is_alive() or self.stop.is_requested or time.monotonic() > until:
                raise _HandlerDidNotStart("it ended before it was ready")

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _word(self, timeout_s: float) -> str | None:
        """Return the next line of the handler; None when there is none yet, or no handler."""
        if self._process is None or self._process.stdout is None:
            return None
        if b"\n" not in self._heard:
            fd = self._process.stdout.fileno()
            if fd not in self.stop.wait(timeout_s, fd):
                return None
            self._heard += os.read(fd, 4096)
        line, newline, rest = self._heard.partition(b"\n")
        if not newline:
            # The pipe closed: give the process a moment to be seen as dead.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.2)
            return None
        self._heard = rest
        return line.decode("ascii")


class _HandlerDidNotStart(Exception):
    pass
