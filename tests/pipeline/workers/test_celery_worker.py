"""A worker that messages keep busy does its housekeeping too."""

import pytest

from callscope.pipeline.models import Job, SiteProcess
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers.celery_worker import CeleryWorker
from tests.pipeline.conftest import accept

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]


def test_does_the_maintenance_between_two_messages(judged, job_processes_may_start):
    """The poller did it alone, which finds its turn free only where no message waits."""
    file = accept(judged)
    worker = CeleryWorker(jobs.QUEUES)
    try:
        worker.handle_message(str(file.task_id))
    finally:
        worker.worker.close()

    assert Job.objects.get(pk=file.task_id).state == Job.State.DONE
    # The job process states what it has counted whenever it compacts the report store.
    assert SiteProcess.objects.filter(role=SiteProcess.Role.JOBS).exists()
