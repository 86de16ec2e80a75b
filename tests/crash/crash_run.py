"""A real server and workers that die at named points, under a client that goes on like `callscope upload`."""

import contextlib
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path

import httpx2
from django.db import connection
from django.utils import timezone
from journeys_server import Installation, Server, free_port, is_running, processes_of

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers.stages import ABOUT_A_FILE
from callscope.processes.crash_points import POINTS
from tests.api.samples import wav
from tests.crash.engine_server import EngineServer
from tests.crash.forked_run import CHANGING, REGROUPING
from tests.crash.plan import PATIENCE_S, Plan, Taken, wait_until
from tests.pipeline.conftest import processes_environment, srt

ERASING = {"erase_rows", "erase_bytes"}
OF_BROKER = {"notify"}
# Reached by job processes while they hold no row: a frozen one stops nobody else.
FREEZING = ("probe", "engine_request", "engine_answer", "parse")
OPEN_JOBS = 4  # that the client keeps in the queue while processes die
ARMED_AT_ONCE = 3  # fewer than the attempts of a job that died often: _has_job_near_its_limit()
SLOW_ENGINE_S = 1.5  # while a lease has to be extended


def is_writable(database: str | os.PathLike[str]) -> bool:
    """Return whether nobody holds the one lock for writers of a SQLite database for seconds."""
    with contextlib.closing(sqlite3.connect(database, timeout=3, isolation_level=None)) as own:
        try:
            own.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        own.execute("ROLLBACK")
    return True


def describe_open_jobs() -> str:
    """Return a line for each job that is queued or runs, and for each engine in trouble."""
    open_jobs = Job.objects.filter(state__in=jobs.OPEN_STATES).values()
    engines = EngineState.objects.values()
    return "\n".join(["", f"now: {timezone.now()}", *map(str, open_jobs), *map(str, engines)])


def describe_process(pid: int) -> str:
    """Return the state, the waiting place in the kernel and the command of a process."""
    folder = Path(f"/proc/{pid}")
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"process {pid}: {state} {(folder / 'wchan').read_text()} {command[:150]}"
    except OSError as error:
        return f"process {pid}: {error}"


def describe_sessions() -> list[str]:
    """Return a line for each session of PostgreSQL in this database: what it does, and who blocks it."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, state, wait_event_type, wait_event, pg_blocking_pids(pid), now() - xact_start, "
            "left(query, 200) FROM pg_stat_activity WHERE datname = current_database()"
        )
        return [f"session {row}" for row in cursor.fetchall()]


class CrashRun:
    """One installation on the database of this test, its client, and what the client was promised."""

    def __init__(self, folder: Path, plan: Plan, engines: EngineServer, project, key: str, **settings: str):
        self.plan, self.engines, self.project = plan, engines, project
        installation = Installation(folder, **processes_environment(folder))
        installation.environment |= {
            **plan.environment(),
            **engines.environment(),
            "CALLSCOPE_SECRET_KEY": "only-for-tests-only-for-tests-only-for-tests-0123456789",
            "CALLSCOPE_WEB_PROCESSES": "1",
            "DJANGO_SETTINGS_MODULE": "callscope.settings",
            **settings,
        }
        self.has_broker = "CALLSCOPE_QUEUE_URL" in settings
        self.server = Server(installation, free_port(), workers=2)
        self.client = self.server.client(key)
        self.sound = wav(12)
        self.names: list[str] = []
        self.erased: list[str] = []
        self.steps = 0  # of engines: a recording takes two, a transcript one

    def __enter__(self) -> "CrashRun":
        try:
            self.server.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        """End everything by killing the supervisor; its children end with it."""
        self.client.close()
        everything = processes_of(self.server)
        for pid in everything:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)  # a frozen one too, where a test failed
        self.server.process.kill()
        self.server.process.wait()
        wait_until(lambda: not any(map(is_running, everything)), "the children end with their supervisor")

    def upload(self) -> None:
        """Upload the next file until the server has it, and no second time."""
        number = len(self.names) + 1
        is_recording = number % 2 == 1
        name = f"call-{number:03d}.{'wav' if is_recording else 'srt'}"
        content = self.sound if is_recording else srt()
        rows = UploadedFile.objects.filter(project=self.project, original_filename=name)
        deadline = time.monotonic() + PATIENCE_S
        while not rows.exists():
            assert time.monotonic() < deadline, f"{name} is not taken in"
            try:
                answer = self.client.post(
                    "/api/files/", data={"project": self.project.pk}, files={"file": (name, content)}
                )
            except httpx2.TransportError:
                time.sleep(0.1)  # the web starts again; whether it has the file is looked up above
                continue
            assert answer.status_code == 201, answer.text
        self.names.append(name)
        self.steps += 2 if is_recording else 1

    def erase_one(self) -> None:
        """Delete a file whose call is analyzed, until the server says that it is gone."""
        done = CallAnalysis.objects.filter(project=self.project, is_live=True).order_by("pk")
        first = done.values_list("file_id", "file__original_filename").first()
        if first is None:
            return
        file_id, name = first
        deadline = time.monotonic() + PATIENCE_S
        while True:
            assert time.monotonic() < deadline, f"file {file_id} is not erased"
            with contextlib.suppress(httpx2.TransportError):
                if self.client.delete(f"/api/files/{file_id}/").status_code in (204, 404):
                    self.erased.append(name)
                    return
            time.sleep(0.1)

    def kill_processes(self, kills: int, *, points: list[str] | None = None, seed: int = 1) -> None:
        """Let so many processes die, at one point after the other, while the client goes on."""
        before = len(self.plan.taken())
        todo = self._cycle_points(kills, points, seed)
        while len(self.plan.taken()) < before + kills:
            self._forget_kills_of_regroupings()
            if not self._has_job_near_its_limit():
                self.plan.arm_next(todo, ARMED_AT_ONCE)
            self._make_work(self.plan.armed())
            time.sleep(0.05)

    def _forget_kills_of_regroupings(self) -> None:
        """Let a regrouping die as often as it likes.

        It stays one job while the points of a regrouping come round again, so it would meet the rule that
        ends a job that kills its workers. Jobs of files keep that rule.
        """
        killed = Job.objects.filter(kind=Job.Kind.REGROUP, state__in=jobs.OPEN_STATES, interruptions__gt=0)
        if killed.exists():  # an update without a row to change takes the lock of SQLite, too
            killed.update(interruptions=0)

    def _has_job_near_its_limit(self) -> bool:
        """Return True while a job of a file has died so often that further deaths count as its attempts."""
        open_jobs = Job.objects.filter(kind__in=ABOUT_A_FILE, state__in=jobs.OPEN_STATES)
        return open_jobs.filter(interruptions__gte=jobs.MAX_FREE_KILLS).exists()

    def _cycle_points(self, kills: int, points: list[str] | None, seed: int) -> list[str]:
        dice = random.Random(seed)
        # A sweep needs files that are days old: test_sweep.py. Edits of reasons: test_regroupings.py.
        here = [each for each in POINTS if not each.startswith("sweep_") and each not in CHANGING]
        usable = points or [each for each in here if self.has_broker or each not in OF_BROKER]
        todo: list[str] = []
        while len(todo) < kills:
            todo += dice.sample(usable, len(usable))
        return todo[:kills]

    def _make_work(self, armed: set[str]) -> None:
        """Upload, erase and regroup as it takes to reach the points."""
        self.engines.delay_s = SLOW_ENGINE_S if "lease" in armed else 0.0
        if jobs.count_open() < OPEN_JOBS:
            self.upload()
        if armed & ERASING:
            self.erase_one()
        if armed.intersection(REGROUPING):
            with contextlib.suppress(httpx2.TransportError):
                self.client.post("/calls/api/recluster/", params={"project_id": self.project.pk})

    def freeze_past_lease(self, point: str) -> Taken:
        """Freeze a worker and its job process, wait until another one did the job, and thaw them."""
        self.plan.arm(point, "freeze")
        number = len(self.plan.taken("freeze"))
        while len(self.plan.taken("freeze")) == number:
            if jobs.count_open() < OPEN_JOBS:
                self.upload()
            time.sleep(0.05)
        frozen = self.plan.taken("freeze")[-1]
        while connection.vendor == "sqlite" and not is_writable(connection.settings_dict["NAME"]):
            self.plan.move_on(frozen)
        wait_until(
            lambda: not jobs.count_open(), "another worker does the job of the frozen one", self.describe
        )
        self.plan.thaw(frozen)
        return frozen

    def finish(self) -> None:
        """Wait until no job is left."""
        self.plan.disarm()
        self.engines.delay_s = 0.0
        wait_until(lambda: not jobs.count_open(), "all jobs end", self.describe)

    def describe(self) -> str:
        """Return what is open, and what everybody does."""
        processes = map(describe_process, processes_of(self.server))
        armed = f"armed: {sorted(self.plan.armed())}"
        return "\n".join([describe_open_jobs(), armed, *processes, *describe_sessions()])

    @property
    def deaths(self) -> int:
        """Return how many processes were killed or frozen."""
        return len(self.plan.taken()) + len(self.plan.taken("freeze"))

    def counts(self) -> str:
        """Return one line: what was done to the run, and what it made of it."""
        kills = Counter(each.point for each in self.plan.taken())
        frozen, calls = self.plan.taken("freeze"), sum(self.engines.calls.values())
        return (
            f"{sum(kills.values())} kills at {len(kills)} points, {len(frozen)} freezes, "
            f"{len(self.names)} files, {len(self.erased)} erased, "
            f"{calls} engine calls for {self.steps} steps; "
            + ", ".join(f"{point} {n}" for point, n in sorted(kills.items()))
        )
