"""A process dies at every point, and one freezes past its lease: nothing is lost, nothing is made twice."""

import os

import pytest

from callscope.environment import EngineAddress
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import Job
from callscope.pipeline.queue import celery_app, jobs
from tests.crash.forked_run import ERASING, UPLOADING, WORKING, ForkedRun
from tests.crash.losses import assert_nothing_lost_or_double, find_doubles
from tests.effort import IS_SECOND_RUN, take_share
from tests.pipeline.conftest import RUBRIC, configure

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")


@pytest.fixture
def run(transactional_db, project, engines, settings, monkeypatch):
    """A run whose engines are on a real socket."""
    from callscope.accounts.models import ApiKey

    values = {
        "transcriber": EngineAddress(engines.url, "", "m"),
        "llm": EngineAddress(engines.url, "", "m"),
        "embedder": "words",
    }
    before = {name: getattr(settings.ENVIRONMENT, name) for name in values}
    for name, value in values.items():
        object.__setattr__(settings.ENVIRONMENT, name, value)
    settings.QUEUE_URL = ""  # the run names a broker where a process dies before it is asked
    celery_app.get_celery_app.cache_clear()
    monkeypatch.setattr(regrouping, "QUIET_S", 0.0)
    configure(project, RUBRIC)
    run = ForkedRun(project, ApiKey.objects.create_key(name="crash", user=project.owner)[1], engines)
    run.load_packages()
    yield run
    for name, value in before.items():
        object.__setattr__(settings.ENVIRONMENT, name, value)
    celery_app.get_celery_app.cache_clear()


class TestDeath:
    def test_at_any_point_loses_nothing_and_doubles_nothing(self, run, tmp_path):
        points = (*UPLOADING, *WORKING, *ERASING)
        for point in take_share(points, 0, one_in=2) if IS_SECOND_RUN else points:
            run.die_once(point)

        assert run.deaths >= (9 if IS_SECOND_RUN else 12)
        assert_nothing_lost_or_double(run, tmp_path / "recordings")


class TestFrozenWorker:
    def test_that_lost_its_lease_writes_nothing(self, run, tmp_path):
        run.freeze_past_lease("engine_answer")

        assert_nothing_lost_or_double(run, tmp_path / "recordings")

    @pytest.mark.one_database
    def test_doubles_the_result_where_the_fence_is_off(self, run, monkeypatch):
        monkeypatch.setattr(jobs, "_claimed", lambda job: Job.objects.filter(pk=job.pk))

        run.freeze_past_lease("engine_answer")

        assert any("usage entry" in each for each in find_doubles(run))
