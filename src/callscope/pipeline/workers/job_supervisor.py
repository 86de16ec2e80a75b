"""Run one claimed job in a job process and see it through.

`Runner.run` takes these steps:

1. Start a job process if none is alive, and send it the job's id and token.
2. Until it replies, extend the lease, and watch the deadline and the stop request.
3. End the process if the deadline passed, the lease was lost or a stop was requested.
4. Release the claim that the process left: as an interruption if the process was
   killed, as a failed attempt if it crashed or hung, untouched if the worker stops.
"""

import contextlib
import enum
import logging
import os
import signal
import subprocess
import sys
import time

from django.db import Error, connection, transaction
from django.utils import timezone

from callscope.messages.message import Message
from callscope.pipeline.models import Job
from callscope.pipeline.operation import processes
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers import job_process, stages
from callscope.processes import crash_points
from callscope.processes.stop import Stop

logger = logging.getLogger(__name__)

START_TIMEOUT_S = 120.0  # a cold disk and a busy machine; importing takes about a second
KILL_TIMEOUT_S = 10.0
THREADS_SETTING = "CALLSCOPE_WHISPER_THREADS"
MOST_THREADS = 8  # unless the setting says more: what a model gains from each thread shrinks
POLL_S = 1.0  # how long a stop or a dead process may go unnoticed


class Outcome(enum.Enum):
    """How the job process and its job came apart."""

    DONE = enum.auto()
    DIED = enum.auto()
    PAST_DEADLINE = enum.auto()
    LEASE_LOST = enum.auto()
    STOPPED = enum.auto()


class Runner:
    """The worker's side of one job process, which is started when needed and again after it ended."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self._process: subprocess.Popen[bytes] | None = None
        self._received = b""

    def run(self, job: Job) -> None:
        """Run the stage of a claimed job; when this returns, the claim is over."""
        outcome = self._watch(job) if self._send(f"{job.pk} {job.token}") else Outcome.DIED
        if outcome is Outcome.DIED:
            if not self.stop.is_requested:
                self._handle_death(job)
                return
            outcome = Outcome.STOPPED
        if outcome is Outcome.DONE:
            return
        self.end()
        if outcome is Outcome.PAST_DEADLINE:
            limit_min = jobs.DEADLINE_S[Job.Kind(job.kind)] / 60
            stages.handle_failure(
                job, stages.JobProcessEnded(Message("work_too_long", minutes=f"{limit_min:.0f}"))
            )
        elif outcome is Outcome.LEASE_LOST:
            logger.warning("Job %s was taken over by another worker.", job.pk)
        else:
            with contextlib.suppress(jobs.LostLease):
                jobs.release(job)

    def compact(self) -> None:
        """Let the job process compact the report store, and wait until it has."""
        if self._send(job_process.COMPACT):
            while self._read_reply(POLL_S) is None and self._is_alive() and not self.stop.is_requested:
                pass

    def start(self) -> None:
        """Start the job process and wait until it is ready, unless one is. Raise JobProcessNotStarted."""
        if self._is_alive():
            return
        self.end()
        self._received = b""
        command = [sys.executable, "-m", job_process.__name__, str(os.getpid())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=build_environment()
        )
        until = time.monotonic() + START_TIMEOUT_S
        while self._read_reply(POLL_S) is None:
            if not self._is_alive() or self.stop.is_requested or time.monotonic() > until:
                raise JobProcessNotStarted("it ended before it was ready")

    def end(self) -> None:
        """Kill the job process, whatever it does."""
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

    def _watch(self, job: Job) -> Outcome:
        """Keep the claim alive until the job process replies, dies, or has to be ended."""
        extend_at = time.monotonic() + jobs.HEARTBEAT_S
        while True:
            reply = self._read_reply(min(POLL_S, max(0.0, extend_at - time.monotonic())))
            if reply == job_process.DONE:
                return Outcome.DONE
            if reply is None and not self._is_alive():
                return Outcome.DIED
            if self.stop.is_requested:
                return Outcome.STOPPED
            if job.deadline_at is not None and timezone.now() > job.deadline_at:
                return Outcome.PAST_DEADLINE
            if time.monotonic() >= extend_at:
                extend_at = time.monotonic() + jobs.HEARTBEAT_S
                try:
                    crash_points.reach_point("lease")
                    is_ours = jobs.extend_lease(job)
                except Error as error:
                    # The lease outlives three of these: a database that is away now may answer the next one.
                    logger.warning("The lease of job %s could not be extended: %s", job.pk, error)
                    connection.close()
                    continue
                if not is_ours and not self._was_ended_here(job):
                    # The process itself gives the claim up when it finishes, so its reply may be on the way.
                    is_done = self._read_reply(POLL_S) == job_process.DONE
                    return Outcome.DONE if is_done else Outcome.LEASE_LOST

    def _was_ended_here(self, job: Job) -> bool:
        """Return True if the job is over, and its process still rings a slow broker."""
        try:
            return jobs.was_ended(job)
        except Error:
            connection.close()
            return False

    def _handle_death(self, job: Job) -> None:
        """Requeue a job whose process was killed from outside; count an attempt if it crashed."""
        status = self._process.poll() if self._process else None
        self.end()
        if status == -signal.SIGKILL:
            # An operator sends it, or the kernel for want of memory, to which another job may have led.
            if job.interruptions < jobs.MAX_FREE_KILLS:
                logger.warning("The process of job %s was killed. The job starts again.", job.pk)
                with contextlib.suppress(jobs.LostLease), transaction.atomic():
                    jobs.requeue_interrupted(job)
                return
            problem = Message("worker_killed")
        else:
            cause = f"signal {-status}" if status is not None and status < 0 else f"exit status {status}"
            problem = Message("worker_crashed", cause=cause)
        stages.handle_failure(job, stages.JobProcessEnded(problem))

    def _send(self, line: str) -> bool:
        """Send one line to the job process, started if need be; return False if it cannot take any."""
        try:
            self.start()
            assert self._process is not None
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except (OSError, JobProcessNotStarted) as error:
            logger.warning("The job process takes no jobs: %s", error)
            return False
        return True

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _read_reply(self, timeout_s: float) -> str | None:
        """Return the next line from the job process; None if none came in time or there is no process."""
        if self._process is None or self._process.stdout is None:
            return None
        if b"\n" not in self._received:
            descriptor = self._process.stdout.fileno()
            if descriptor not in self.stop.wait(timeout_s, descriptor):
                return None
            self._received += os.read(descriptor, 4096)
        line, newline, rest = self._received.partition(b"\n")
        if not newline:
            # The pipe closed a moment before the process can be seen to be dead.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.2)
            return None
        self._received = rest
        return line.decode("ascii")


def build_environment() -> dict[str, str]:
    """Return the variables of a job process: a speech model in it takes this worker's share of the cores.

    The library would take four threads in each worker, which wait for each other where there are fewer cores.
    """
    given = dict(os.environ)
    if given.get(THREADS_SETTING, "").strip() or given.get("OMP_NUM_THREADS", "").strip():
        return given
    with contextlib.suppress(Error):  # the model of a worker without a database takes the library's number
        given[THREADS_SETTING] = str(min(processes.share_cores(), MOST_THREADS))
    return given


class JobProcessNotStarted(Exception):
    """The job process ended, or a stop was requested, before it was ready."""
