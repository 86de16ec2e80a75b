"""A bucket that is away: accepted files wait for it."""

import datetime as dt
from dataclasses import replace

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.listing import list_engines_in_trouble
from callscope.testing import run_due_jobs
from tests import bucket
from tests.pipeline.conftest import accept

pytestmark = pytest.mark.django_db
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def stored_in_a_bucket(settings, monkeypatch):
    """Files of this test lie in a bucket of a server of our own."""
    with bucket.served() as address:
        variables = bucket.environment(address)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        url = variables["CALLSCOPE_STORAGE_URL"]
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, storage_url=url)
        use_bucket(settings, url, address)
        yield lambda where=address: use_bucket(settings, url, where)


def use_bucket(settings, url, address):
    from botocore.config import Config

    name, _, location = url.removeprefix("s3://").partition("/")
    options = {
        "bucket_name": name,
        "location": location,
        "endpoint_url": address,
        "client_config": Config(retries={"max_attempts": 1}, connect_timeout=2),
    }
    storages = {**settings.STORAGES}
    storages["default"] = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    settings.STORAGES = storages


def test_parks_what_was_accepted_and_goes_on_when_it_is_back(judged, stored_in_a_bucket):
    files = [accept(judged) for _ in range(3)]
    stored_in_a_bucket(NOBODY)

    for _ in range(jobs.MAX_ATTEMPTS + 1):
        EngineState.objects.update(probe_at=timezone.now() - dt.timedelta(seconds=1))
        run_due_jobs()

    assert list(Job.objects.values_list("state", "attempts")) == [("queued", 0)] * 3
    (status,) = list_engines_in_trouble()
    assert (status.kind, status.reason) == ("storage", "unreachable")
    assert not UploadedFile.objects.filter(status=UploadedFile.Status.FAILED).exists()

    stored_in_a_bucket()
    EngineState.objects.update(probe_at=timezone.now() - dt.timedelta(seconds=1))
    run_due_jobs()

    assert list_engines_in_trouble() == []
    assert CallAnalysis.objects.filter(file__in=files, is_live=True).count() == 3
