"""A worker and its job process: real processes that are killed, frozen and stopped."""

import os
import signal
import threading
import time

import pytest
from django.utils import timezone

from callscope.calls.models import UploadedFile
from callscope.pipeline.models import Job
from callscope.pipeline.operation import processes
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers.job_supervisor import Runner, build_environment
from callscope.pipeline.workers.worker import claim_and_start
from callscope.processes.stop import Stop
from tests.pipeline.conftest import accept

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("job_processes_may_start")]

PATIENCE_S = 120  # machines are shared; only a hang may fail a test


@pytest.fixture
def runner():
    runner = Runner(Stop())
    runner.start()
    yield runner
    runner.end()


@pytest.fixture
def frozen(runner):
    """A runner whose job process neither reads nor replies, as if it hung in native code."""
    os.kill(pid_of(runner), signal.SIGSTOP)
    return runner


def pid_of(runner) -> int:
    return runner._process.pid


def later(action, *arguments, after_s=0.05):
    timer = threading.Timer(after_s, action, arguments)
    timer.start()
    return timer


def once_it_has_a_job(runner, *steps):
    """Let each step (action, argument, …) happen in turn while the runner waits for its job process.

    A timer that starts earlier could fire before a busy machine has handed the job over.
    """
    watch = runner._watch

    def act():
        for action, *arguments in steps:
            action(*arguments)

    def watch_and_act(job):
        later(act)
        return watch(job)

    runner._watch = watch_and_act


class TestJobProcessThatHangs:
    def test_is_ended_at_its_deadline(self, judged, frozen, monkeypatch):
        monkeypatch.setitem(jobs.DEADLINE_S, Job.Kind.TRANSCRIBE, 0.5)
        accept(judged)
        pid = pid_of(frozen)

        frozen.run(claim_and_start())

        job = Job.objects.get()
        assert (job.state, job.attempts) == (Job.State.QUEUED, 1)
        assert "was not finished" in job.error
        assert not is_alive(pid)

    def test_fails_its_job_in_the_end(self, judged, frozen, monkeypatch):
        monkeypatch.setitem(jobs.DEADLINE_S, Job.Kind.TRANSCRIBE, 0.2)
        file = accept(judged)
        Job.objects.update(attempts=jobs.MAX_ATTEMPTS - 1)

        frozen.run(claim_and_start())

        file.refresh_from_db()
        assert Job.objects.get().state == Job.State.FAILED
        assert file.status == UploadedFile.Status.FAILED

    def test_keeps_its_lease_until_then(self, judged, frozen, monkeypatch):
        monkeypatch.setattr(jobs, "HEARTBEAT_S", 0.1)
        accept(judged)
        job = claim_and_start()
        first_lease = Job.objects.get().lease_until
        leases = []
        once_it_has_a_job(frozen, (watch_lease, first_lease, leases), (frozen.stop.request,))

        frozen.run(job)

        assert leases[-1] > first_lease


class TestJobProcessThatDies:
    def test_by_a_kill_returns_its_job_without_counting_an_attempt(self, judged, frozen):
        accept(judged)
        once_it_has_a_job(frozen, (os.kill, pid_of(frozen), signal.SIGKILL))

        frozen.run(claim_and_start())

        job = Job.objects.get()
        assert (job.state, job.attempts, job.interruptions) == (Job.State.QUEUED, 0, 1)

    def test_by_kill_after_kill_counts_attempts(self, judged, frozen):
        accept(judged)
        Job.objects.update(interruptions=jobs.MAX_FREE_KILLS)
        once_it_has_a_job(frozen, (os.kill, pid_of(frozen), signal.SIGKILL))

        frozen.run(claim_and_start())

        job = Job.objects.get()
        assert (job.state, job.attempts) == (Job.State.QUEUED, 1)
        assert "memory" in job.error

    def test_by_the_last_kill_fails_its_file(self, judged, frozen):
        file = accept(judged)
        Job.objects.update(interruptions=jobs.MAX_FREE_KILLS, attempts=jobs.MAX_ATTEMPTS - 1)
        once_it_has_a_job(frozen, (os.kill, pid_of(frozen), signal.SIGKILL))

        frozen.run(claim_and_start())

        file.refresh_from_db()
        assert (file.status, file.error_reason) == (UploadedFile.Status.FAILED, "")

    def test_by_a_crash_counts_an_attempt(self, judged, frozen):
        accept(judged)
        pid = pid_of(frozen)
        once_it_has_a_job(frozen, (os.kill, pid, signal.SIGSEGV), (os.kill, pid, signal.SIGCONT))

        frozen.run(claim_and_start())

        job = Job.objects.get()
        assert (job.state, job.attempts) == (Job.State.QUEUED, 1)
        assert "crashed" in job.error

    def test_is_replaced_for_the_next_job(self, judged, runner):
        accept(judged)
        os.kill(pid_of(runner), signal.SIGKILL)
        runner._process.wait()

        runner.run(claim_and_start())

        assert Job.objects.get(kind=Job.Kind.TRANSCRIBE).state == Job.State.DONE


class TestEnvironmentOfTheJobProcess:
    @pytest.fixture(autouse=True)
    def _nothing_set(self, monkeypatch):
        for name in ("OMP_NUM_THREADS", "CALLSCOPE_WHISPER_THREADS"):
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize(("cores", "threads"), [(2, "2"), (64, "8")])
    def test_gives_a_speech_model_the_share_of_the_worker(self, monkeypatch, cores, threads):
        monkeypatch.setattr(processes, "cores", lambda: cores)

        assert build_environment()["CALLSCOPE_WHISPER_THREADS"] == threads

    @pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "CALLSCOPE_WHISPER_THREADS"])
    def test_leaves_what_the_operator_chose(self, monkeypatch, name):
        monkeypatch.setenv(name, "3")

        assert build_environment() == dict(os.environ)


class TestStop:
    def test_gives_the_job_at_hand_back_at_once(self, judged, frozen):
        accept(judged)
        once_it_has_a_job(frozen, (frozen.stop.request,))
        began = time.monotonic()

        frozen.run(claim_and_start())

        job = Job.objects.get()
        assert (job.state, job.attempts, job.token) == (Job.State.QUEUED, 0, None)
        assert job.run_after <= timezone.now()
        assert time.monotonic() - began < jobs.LEASE_S

    def test_while_the_job_process_starts_gives_the_job_back_too(self, judged):
        accept(judged)
        cold = Runner(Stop())
        later(cold.stop.request, after_s=0.05)

        cold.run(claim_and_start())

        job = Job.objects.get()
        assert (job.state, job.attempts, job.interruptions) == (Job.State.QUEUED, 0, 0)


class TestLostLease:
    def test_ends_the_job_process_that_works_on(self, judged, frozen, monkeypatch):
        monkeypatch.setattr(jobs, "HEARTBEAT_S", 0.1)
        accept(judged)
        job = claim_and_start()
        jobs.requeue_interrupted(Job.objects.get())  # as the sweep of another worker does
        pid = pid_of(frozen)

        frozen.run(job)

        assert not is_alive(pid)
        assert Job.objects.get().state == Job.State.QUEUED


def watch_lease(first_lease, seen):
    """Read the lease in a thread of its own, until it is later than the first."""
    from django.db import connection

    until = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < until:
            seen.append(Job.objects.get().lease_until)
            if seen[-1] > first_lease:
                return
            time.sleep(0.05)
    finally:
        connection.close()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
