"""A worker: real processes that drain queues and stop."""

import datetime as dt
import threading

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers.worker import Worker
from tests.pipeline.conftest import accept

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("job_processes_may_start")]


class TestDrainingWorker:
    def test_ends_when_nothing_is_left_to_do(self, judged, due_at_once):
        files = [accept(judged) for _ in range(3)]

        Worker().run(drain=True)

        assert jobs.count_open() == 0
        assert CallAnalysis.objects.filter(file__in=files, is_live=True).count() == 3
        assert Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.DONE).count() == 1

    def test_waits_for_a_job_in_its_pause(self, judged, due_at_once):
        accept(judged)
        Job.objects.update(run_after=timezone.now() + dt.timedelta(seconds=1.5))

        Worker().run(drain=True)

        assert CallAnalysis.objects.filter(is_live=True).count() == 1

    def test_ends_at_once_when_there_is_nothing(self):
        Worker().run(drain=True)

    def test_stays_in_its_queues(self, judged):
        accept(judged)

        Worker(["asr"]).run(drain=True)

        assert list(Job.objects.filter(state=Job.State.QUEUED).values_list("queue", flat=True)) == ["llm"]


class TestStop:
    def test_ends_an_idle_worker(self):
        worker = Worker()
        threading.Timer(0.05, worker.stop.request).start()

        worker.run()
