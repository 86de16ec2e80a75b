"""A process that stops in the middle of a transaction keeps no job from others: PostgreSQL ends it.

A laptop that sleeps, a machine that lost its power, a debugger: none of them closes the connection.
"""

import contextlib
import os
import signal
import time

import pytest
from django.conf import settings
from django.db import connection, connections, transaction

from callscope.db.snapshot import snapshot
from callscope.db.trouble import passes_by_itself
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_S = 120


@pytest.fixture(autouse=True)
def _postgres():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite is on the machine whose processes stop")


@pytest.fixture
def connect():
    """Return a function that connects again, with the options of the product changed as it says."""
    given = connection.settings_dict["OPTIONS"]
    of_tests = given["options"]

    def connect_with(limit: str) -> None:
        of_product = of_tests.removesuffix(settings.LONG_SILENCE)
        given["options"] = of_product.replace("=60s", f"={limit}")
        connections.close_all()

    yield connect_with
    given["options"] = of_tests
    connections.close_all()


def read_limit():
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        return cursor.fetchone()[0]


def claim_and_stop():
    """Run in a fork: stop between claim and commit; exit 0 if what comes then is trouble that passes."""
    status = 1
    try:
        with transaction.atomic():
            job = jobs.claim_next()
            os.kill(os.getpid(), signal.SIGSTOP)
            jobs.finish(job)
    except Exception as error:
        status = 0 if passes_by_itself(error) else 2
    finally:
        os._exit(status)


@pytest.fixture
def stopped(project, connect):
    """The id of a process that stopped while it held the only job."""
    jobs.enqueue(Job.Kind.REGROUP, project, project.pk)
    connect("2s")  # which also leaves no connection that a fork would share
    pid = os.fork()
    if not pid:
        claim_and_stop()
    try:
        _, status = os.waitpid(pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), status
        yield pid
    finally:
        with contextlib.suppress(ChildProcessError):  # it has ended
            os.waitpid(pid, os.WNOHANG)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class TestTransactions:
    def test_may_be_silent_for_twice_a_lease(self, connect):
        connect("60s")

        assert read_limit() == f"{2 * jobs.LEASE_S / 60:.0f}min"

    def test_that_read_for_a_file_or_a_slow_client_may_be_silent_for_longer(self, connect):
        connect("60s")
        with snapshot():
            usual = read_limit()
        with snapshot(may_pause=True):
            longer = read_limit()

        assert (usual, longer, read_limit()) == ("1min", "0", "1min")


class TestStoppedProcess:
    def test_leaves_its_job_to_others_and_goes_on_without_it(self, stopped):
        deadline = time.monotonic() + PATIENCE_S
        job = None
        while job is None:
            assert time.monotonic() < deadline, "the stopped process still holds the job"
            time.sleep(0.1)
            with transaction.atomic():
                job = jobs.claim_next()
        os.kill(stopped, signal.SIGCONT)
        _, status = os.waitpid(stopped, 0)

        assert status == 0  # what it met was trouble that passes
        jobs.finish(job)
        assert Job.objects.get().attempts == 1
