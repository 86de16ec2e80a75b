"""A broker wakes workers, and nothing depends on a message."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import Job
from callscope.pipeline.queue import celery_app, jobs, notifier
from tests.conftest import missing
from tests.pipeline.conftest import accept, processes_environment

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
            # The claim is one step: two runs of the tests may look for a database at the same time.
            has_claimed = server.set("claimed by a test", 1, nx=True)
            is_free = has_claimed and server.dbsize() == 1
            if has_claimed and not is_free:
                server.delete("claimed by a test")
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
    """The URL of a broker of our own; this process sends its messages there."""
    url = addresses(request.param)
    settings.QUEUE_URL = url
    celery_app.get_celery_app.cache_clear()
    yield url
    celery_app.get_celery_app.cache_clear()


@pytest.fixture
def no_broker(settings):
    settings.QUEUE_URL = "redis://127.0.0.1:1/0"
    celery_app.get_celery_app.cache_clear()
    yield
    celery_app.get_celery_app.cache_clear()


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()[1]  # bound and not listening: nobody answers, and nobody else gets it


@pytest.fixture
def start_worker(broker, tmp_path):
    """Start `callscope worker` as an operator does; stop it after the test."""
    started = []

    def start(*options, **streams):
        environment = {**os.environ, **processes_environment(tmp_path), "CALLSCOPE_QUEUE_URL": broker}
        process = subprocess.Popen(
            [sys.executable, "-m", "callscope", "worker", *options], env=environment, **streams
        )
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


class TestNotification:
    def test_wakes_a_worker_for_every_stage_once(self, judged, start_worker):
        file = accept(judged)
        for job in Job.objects.all():
            assert notifier.notify(job)  # a second time

        start_worker()

        wait_until(lambda: not jobs.count_open())
        assert CallAnalysis.objects.filter(file=file, is_live=True).count() == 1
        assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}

    @pytest.mark.slow  # the tests next to it are its small version
    def test_that_was_lost_is_sent_again(self, judged, start_worker, settings):
        settings.QUEUE_URL = ""
        accept(judged)

        start_worker()

        wait_until(lambda: CallAnalysis.objects.filter(is_live=True).exists())

    @pytest.mark.slow  # the test above is its small version
    def test_that_comes_often_runs_the_job_once(self, judged, start_worker):
        files = [accept(judged) for _ in range(3)]
        for job in Job.objects.all():
            for _ in range(10):
                assert notifier.notify(job)

        start_worker()
        start_worker()

        wait_until(lambda: not jobs.count_open())
        assert CallAnalysis.objects.filter(file__in=files, is_live=True).count() == 3
        assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}

    def test_names_only_the_job(self, judged, broker, monkeypatch):
        sent = []
        monkeypatch.setattr(celery_app, "send_job_id", lambda job_id, *, queue: sent.append((job_id, queue)))

        file = accept(judged)
        notifier.sender().wait_until_sent()

        assert sent == [(str(file.task_id), "asr")]

    def test_finds_the_broker_by_a_ping(self, broker):
        notifier.ping_broker()


@pytest.mark.slow
class TestCeleryWorker:
    def test_ends_on_a_signal_and_gives_its_job_back(self, judged, start_worker):
        process = start_worker("--queues", "asr")
        accept(judged)
        wait_until(lambda: not Job.objects.filter(queue="asr", state="queued").exists())

        process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENCE_S) == 0
        assert not Job.objects.filter(state=Job.State.RUNNING).exists()

    def test_that_is_asked_to_end_as_soon_as_it_is_ready_does(self, start_worker):
        process = start_worker("--queues", "asr", stdout=subprocess.PIPE, text=True)
        with process.stdout:
            line = process.stdout.readline()

        process.send_signal(signal.SIGTERM)

        assert line.startswith("Worker ready for the queues asr.")
        assert process.wait(PATIENCE_S) == 0


class TestWorkerWithoutItsBroker:
    def test_finds_the_jobs_in_the_database(self, judged, tmp_path, free_port):
        """The broker is away from the start to the end."""
        environment = {
            **os.environ,
            **processes_environment(tmp_path),
            "CALLSCOPE_QUEUE_URL": f"amqp://guest:guest@127.0.0.1:{free_port}//",
        }
        files = [accept(judged) for _ in range(3)]

        process = subprocess.Popen([sys.executable, "-m", "callscope", "worker"], env=environment)

        try:
            wait_until(lambda: not jobs.count_open())
            assert CallAnalysis.objects.filter(file__in=files, is_live=True).count() == 3
            assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()


class TestUnreachableBroker:
    def test_keeps_nobody_waiting(self, judged, no_broker, monkeypatch):
        """A broker that takes a connection and never answers holds the sender, and no upload."""
        may_go_on = threading.Event()
        monkeypatch.setattr(celery_app, "send_job_id", lambda *_, **__: may_go_on.wait(PATIENCE_S))

        accept(judged)

        assert Job.objects.count() == 1
        may_go_on.set()
        notifier.sender().wait_until_sent()

    def test_is_left_alone_for_a_while_after_it_failed(self, judged, no_broker, monkeypatch):
        asked = []

        def refuse(job_id, *, queue):
            asked.append(job_id)
            raise OSError("refused")

        monkeypatch.setattr(celery_app, "send_job_id", refuse)
        sender = notifier.Sender()

        for number in range(20):
            sender.put(str(number), "asr")
        sender.wait_until_sent()

        assert asked == ["0"]

    def test_does_not_keep_an_upload_from_being_accepted(self, judged, no_broker):
        file = accept(judged)

        assert Job.objects.get(pk=file.task_id).state == Job.State.QUEUED

    def test_is_reported_by_the_ping(self, no_broker):
        with pytest.raises(celery_app.UNREACHABLE_ERRORS):
            notifier.ping_broker()
