"""What a worker writes when it takes back the job of one that is gone."""

import json
import logging

import pytest

from callscope.pipeline.models import Job
from callscope.pipeline.workers.sweep import requeue_abandoned
from callscope.pipeline.workers.worker import claim_and_start
from callscope.processes.log_formats import JsonFormatter
from tests.pipeline.conftest import accept

pytestmark = pytest.mark.django_db


class Lines(logging.Handler):
    """Keeps every line as it would be written."""

    def __init__(self):
        super().__init__()
        self.setFormatter(JsonFormatter())
        self.written = []

    def emit(self, record):
        self.written.append(json.loads(self.format(record)))


@pytest.fixture
def lines():
    handler = Lines()
    logging.getLogger().addHandler(handler)
    yield handler.written
    logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize(
    ("interruptions", "outcome"), [(0, "it is queued again."), (25, "it failed after 26 interruptions.")]
)
def test_says_what_becomes_of_the_job_and_which_file_it_is(project, lines, interruptions, outcome):
    file = accept(project)
    job = claim_and_start()
    Job.objects.update(lease_until=None, interruptions=interruptions)

    assert requeue_abandoned() == 1

    (line,) = [each for each in lines if "is gone" in each["message"]]
    assert line["message"] == f"The worker of job {job.pk} (transcribe {file.pk}) is gone; {outcome}"
    named = {name: line[name] for name in ("level", "job", "kind", "file", "project")}
    assert named == {
        "level": "warning", "job": str(job.pk), "kind": "transcribe", "file": file.pk, "project": project.pk,
    }  # fmt: skip
