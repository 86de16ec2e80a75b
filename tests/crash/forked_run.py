"""As crash_run.py at a fraction of its price: the client's requests and the jobs run in forks of the test.

A fork needs no start, so one dies at every point. Its death is as real: SIGKILL, in the middle of
transactions on the database of the test.
"""

import datetime as dt
import os
import signal
import traceback
from collections.abc import Callable

import scipy.cluster.hierarchy  # as the next one for regroupings: no fork of one has to load it
import scipy.optimize  # noqa: F401
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.db.models.functions import Now
from django.test import Client

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.engines import registry
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers import maintenance, sweep
from callscope.processes import crash_points
from callscope.processes.crash_points import POINTS
from callscope.testing import run_due_jobs
from tests.api.samples import wav
from tests.crash.engine_server import EngineServer
from tests.pipeline.conftest import srt

UPLOADING = ("stream", "fsync", "rename", "row_commit", "upload_answer", "notify")
ERASING = ("erase_rows", "erase_bytes")
SWEEPING = ("sweep_rows", "erase_bytes", "sweep_portion")  # test_sweep.py
# Every regrouping comes to these, whatever it changes.
REGROUPING = ("reason_names", "reason_rows", "reason_calls", "reason_headings", "reason_swap")
# These take a regrouping that changes reasons, or a person who edits them: test_regroupings.py.
CHANGING = ("reason_map", "edit_calls", "undo_rows", "edit_rows", "edit_commit", "edit_centers")
NO_BROKER = "redis://127.0.0.1:1/0"
# Only a worker and its job process, which are programs of their own, come to these.
OF_WORKERS = ("wake", "lease", "reply")
WORKING = tuple(
    point for point in POINTS if point not in {*UPLOADING, *ERASING, *SWEEPING, *OF_WORKERS, *CHANGING}
)
PATIENCE_S = 240
ROUNDS = 6  # a file takes two, for its call and for the regrouping that follows


class ForkedRun:
    """A project, its client and its workers, each step in a process that may die on the way."""

    def __init__(self, project, key: str, engines: EngineServer) -> None:
        self.project, self.engines = project, engines
        self.authorization = {"Authorization": f"Api-Key {key}"}
        self.sound = wav(12)
        self.names: list[str] = []
        self.erased: list[str] = []
        self.steps = self.deaths = 0

    def load_packages(self) -> None:
        """Take one file through everything here, so that no fork has to load what that needs."""
        self.upload(call=lambda action: action())
        regrouping.request_regrouping([self.project])
        self._work()
        # A fork must not go on with the connections of this process.
        registry._build_llm.cache_clear()

    def die_once(self, point: str) -> None:
        """Let a process die at the point, and everything go on after it."""
        if point in ERASING:
            self.erase_one(die_at=point)
            return
        settings.QUEUE_URL = NO_BROKER if point == "notify" else ""
        self.upload(die_at=point if point in UPLOADING else "")
        settings.QUEUE_URL = ""
        if point in REGROUPING:
            regrouping.request_regrouping([self.project])
        if point not in UPLOADING:
            self._fork(self._work, die_at=point)
        self.work()

    def upload(self, *, die_at: str = "", call: Callable[[Callable[[], None]], None] | None = None) -> None:
        """Upload the next file until the server has it, and no second time."""
        number = len(self.names) + 1
        is_recording = number % 2 == 1
        name = f"call-{number:03d}.{'wav' if is_recording else 'srt'}"
        rows = UploadedFile.objects.filter(project=self.project, original_filename=name)

        def post() -> None:
            file = SimpleUploadedFile(name, self.sound if is_recording else srt())
            form = {"project": self.project.pk, "file": file}
            answer = Client(headers=self.authorization).post("/api/files/", form)
            assert answer.status_code == 201, answer.content

        if die_at:
            self._fork(post, die_at=die_at)
        if not rows.exists():
            (call or self._fork)(post)
        self.names.append(name)
        self.steps += 2 if is_recording else 1

    def erase_one(self, *, die_at: str) -> None:
        """Delete an analyzed file until the server says that it is gone."""
        done = CallAnalysis.objects.filter(project=self.project, is_live=True).order_by("pk")
        file_id, name = done.values_list("file_id", "file__original_filename")[0]

        def delete() -> None:
            answer = Client(headers=self.authorization).delete(f"/api/files/{file_id}/")
            assert answer.status_code in (204, 404), answer.content

        self._fork(delete, die_at=die_at)
        self._fork(delete)
        self.erased.append(name)

    def work(self) -> None:
        """Do all jobs, those of dead workers and those that wait for their time included."""
        for _ in range(ROUNDS):
            sweep.requeue_abandoned()
            Job.objects.filter(state=Job.State.QUEUED).update(run_after=Now())
            if not jobs.count_open():
                return
            self._fork(self._work)
        raise AssertionError(list(Job.objects.exclude(state="done").values("kind", "state", "error")))

    def freeze_past_lease(self, point: str) -> None:
        """Freeze a worker at the point until another one has done its job, then let it go on."""
        self.upload()
        pid = self._start(self._work, point, signal.SIGSTOP)
        try:
            _, status = os.waitpid(pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status), status
            Job.objects.filter(state=Job.State.RUNNING).update(lease_until=Now() - dt.timedelta(seconds=1))
            self.work()
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            raise
        os.kill(pid, signal.SIGCONT)
        _, status = os.waitpid(pid, 0)
        assert status == 0, status
        self.work()
        self.deaths += 1

    def _work(self) -> None:
        run_due_jobs()
        maintenance.compact()

    def _fork(self, action: Callable[[], None], *, die_at: str = "") -> None:
        """Run the action in a fork, and see that it dies at the point, or ends well without one."""
        pid = self._start(action, die_at, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        expected = signal.SIGKILL if die_at else 0
        assert status == expected, f"it ended with {status} where it should die at {die_at or 'no point'}"
        self.deaths += bool(die_at)

    def _start(self, action: Callable[[], None], point: str, number: signal.Signals) -> int:
        connections.close_all()  # a fork must not share them
        pid = os.fork()
        if pid:
            return pid
        status = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE_S)
            due = [point]

            def reach_point(reached: str) -> None:
                if reached in due:
                    due.clear()
                    os.kill(os.getpid(), number)

            crash_points.reach_point = reach_point
            action()
            connections.close_all()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
