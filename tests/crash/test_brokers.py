"""The same with a broker, whose messages come twice or never."""

import contextlib
import os

import pytest

from callscope.pipeline.models import Job
from callscope.pipeline.queue import celery_app, jobs, notifier
from tests.crash.losses import assert_nothing_lost_or_double
from tests.pipeline.conftest import accept
from tests.pipeline.queue.test_notifier import BROKERS

# The small versions are test_every_point.py and pipeline/queue/test_notifier.py.
pytestmark = [pytest.mark.journey, pytest.mark.slow]

KILLS = int(os.environ.get("CALLSCOPE_TEST_CRASH_BROKER_KILLS", "5"))
SEED = int(os.environ.get("CALLSCOPE_TEST_CRASH_SEED", "1"))
FILES = 61  # one of them without a message; each of the others has one too many


@pytest.fixture
def queue_url(request, settings):
    """The URL of a broker of our own, "" for the database; this process sends its messages there."""
    with contextlib.ExitStack() as stack:
        name = request.param
        settings.QUEUE_URL = "" if name == "database" else stack.enter_context(BROKERS[name]())
        celery_app.get_celery_app.cache_clear()
        yield settings.QUEUE_URL
    celery_app.get_celery_app.cache_clear()


class TestKilledProcesses:
    @pytest.mark.parametrize("queue_url", ["redis", "rabbitmq"], indirect=True)
    def test_lose_nothing_and_double_nothing(self, queue_url, start_run, tmp_path):
        with start_run(CALLSCOPE_QUEUE_URL=queue_url) as run:
            run.kill_processes(KILLS, seed=SEED)
            run.finish()

        print(run.counts())
        assert_nothing_lost_or_double(run, tmp_path / "recordings")


class TestSixtyOneJobs:
    @pytest.mark.parametrize("queue_url", ["database", "redis", "rabbitmq"], indirect=True)
    def test_end_once_each_in_spite_of_duplicates_losses_and_kills(
        self, queue_url, start_run, project, settings, tmp_path
    ):
        settings_of_run = {"CALLSCOPE_QUEUE_URL": queue_url} if queue_url else {}
        with start_run(**settings_of_run) as run:
            for number in range(FILES):
                settings.QUEUE_URL = queue_url if number else ""
                file = accept(project)
                run.names.append(file.original_filename)
                job = jobs.enqueue(Job.Kind.TRANSCRIBE, project, file.pk)
                if queue_url and number:
                    notifier.notify(job)
            run.steps = FILES
            run.kill_processes(3, points=["claim", "engine_answer", "next_job_commit"], seed=SEED)
            run.finish()

        print(run.counts())
        assert_nothing_lost_or_double(run, tmp_path / "recordings")
        assert len(run.names) >= FILES
