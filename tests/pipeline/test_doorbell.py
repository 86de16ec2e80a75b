"""A broker as the doorbell: workers wake, and nothing depends on a message."""

import contextlib
import dataclasses
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.pipeline import celery_app, doorbell, jobs
from callscope.pipeline.models import Job
from tests.conftest import missing

from .conftest import accept, processes_environment

# Each test starts real workers; what they do with a job is tested on both databases elsewhere.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
PATIENCE_S = 120


@contextlib.contextmanager
def redis_database():
    """Yield the URL of an empty database of the local Redis."""
    import redis

    for number in range(15, 0, -1):
        server = redis.Redis(db=number, socket_connect_timeout=2)
        try:
            is_free = server.dbsize() == 0
        except redis.RedisError as error:
            missing(f"no Redis answers at 127.0.0.1:6379 ({error})")
        if is_free:
            yield f"redis://127.0.0.1:6379/{number}"
            server.flushdb()
            return
    missing("the local Redis has no empty database")


@contextlib.contextmanager
def rabbitmq_host():
    """Yield the URL of a new virtual host of the local RabbitMQ."""
    if not shutil.which("rabbitmqctl"):
        missing("no RabbitMQ on this machine")
    name = f"callscope-test-{secrets.token_hex(4)}"
    made = subprocess.run(
        ["rabbitmqctl", "-q", "add_vhost", name], capture_output=True, timeout=60, check=False
    )
    if made.returncode:
        missing("the local RabbitMQ gives no virtual host")
    allow = ["rabbitmqctl", "-q", "set_permissions", "-p", name, "guest", ".*", ".*", ".*"]
    subprocess.run(allow, check=True, capture_output=True, timeout=60)
    try:
        yield f"amqp://guest:guest@127.0.0.1:5672/{name}"
    finally:
        subprocess.run(
            ["rabbitmqctl", "-q", "delete_vhost", name], capture_output=True, timeout=60, check=False
        )


BROKERS = {"redis": redis_database, "rabbitmq": rabbitmq_host}


@pytest.fixture(scope="module")
def addresses():
    """Return a function from a broker's name to its URL; each is opened once, for making it takes seconds."""
    with contextlib.ExitStack() as stack:
        opened: dict[str, str] = {}

        def address(name):
            if name not in opened:
                opened[name] = stack.enter_context(BROKERS[name]())
            return opened[name]

        yield address


@pytest.fixture(params=BROKERS)
def broker(request, addresses, settings):
    """The URL of a broker of our own; this process rings there."""
    url = addresses(request.param)
    settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, queue_url=url)
    celery_app.application.cache_clear()
    yield url
    celery_app.application.cache_clear()


@pytest.fixture
def no_broker(settings):
    settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, queue_url="redis://127.0.0.1:1/0")
    celery_app.application.cache_clear()
    yield
    celery_app.application.cache_clear()


@pytest.fixture
def start_worker(broker, tmp_path):
    """Start `callscope worker` as an operator does; stop it after the test."""
    started = []

    def start(*options):
        environment = {**os.environ, **processes_environment(tmp_path), "CALLSCOPE_QUEUE_URL": broker}
        process = subprocess.Popen([sys.executable, "-m", "callscope", "worker", *options], env=environment)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE_S / 4)
            finally:
                process.kill()


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, list(Job.objects.values("kind", "state", "attempts", "error"))
        time.sleep(0.1)


class TestRing:
    def test_wakes_a_worker_for_every_stage_once(self, judged, start_worker):
        file = accept(judged)
        for job in Job.objects.all():
            assert doorbell.ring(job)  # a second time

        start_worker()

        wait_until(lambda: not jobs.left())
        assert CallAnalysis.objects.filter(file=file, is_live=True).count() == 1
        assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}

    @pytest.mark.slow  # the bell of the small version rings in the two tests beside it
    def test_that_was_lost_is_rung_again(self, judged, start_worker, settings):
        with_broker = settings.ENVIRONMENT
        settings.ENVIRONMENT = dataclasses.replace(with_broker, queue_url="")
        accept(judged)

        start_worker()

        wait_until(lambda: CallAnalysis.objects.filter(is_live=True).exists())

    @pytest.mark.slow  # the test above is its small version
    def test_that_comes_often_runs_the_job_once(self, judged, start_worker):
        files = [accept(judged) for _ in range(3)]
        for job in Job.objects.all():
            for _ in range(10):
                assert doorbell.ring(job)

        start_worker()
        start_worker()

        wait_until(lambda: not jobs.left())
        assert CallAnalysis.objects.filter(file__in=files, is_live=True).count() == 3
        assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}

    def test_names_only_the_job(self, judged, broker, monkeypatch):
        sent = []
        monkeypatch.setattr(celery_app, "send", lambda job_id, *, queue: sent.append((job_id, queue)))

        file = accept(judged)

        assert sent == [(str(file.task_id), "asr")]

    def test_knocks_at_the_broker(self, broker):
        doorbell.knock()


@pytest.mark.slow
class TestWorkerOfTheBroker:
    def test_ends_on_a_signal_and_gives_its_job_back(self, judged, start_worker):
        process = start_worker("--queues", "asr")
        accept(judged)
        wait_until(lambda: not Job.objects.filter(queue="asr", state="queued").exists())

        process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENCE_S) == 0
        assert not Job.objects.filter(state=Job.State.RUNNING).exists()


class TestBrokerThatIsAway:
    def test_does_not_keep_an_upload_from_being_accepted(self, judged, no_broker):
        file = accept(judged)

        assert Job.objects.get(pk=file.task_id).state == Job.State.QUEUED

    def test_is_told_by_the_knock(self, no_broker):
        with pytest.raises(celery_app.UNREACHABLE):
            doorbell.knock()
