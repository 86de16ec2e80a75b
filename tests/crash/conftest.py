"""A project that engines judge, and a run of its own for each test."""

import pytest

from tests.crash.crash_run import CrashRun
from tests.crash.engine_server import EngineServer
from tests.crash.plan import Plan
from tests.pipeline.conftest import RUBRIC, configure


@pytest.fixture
def engines():
    with EngineServer() as server:
        yield server


@pytest.fixture
def start_run(transactional_db, project, engines, tmp_path):
    """Return a function that makes a run, which is entered to start its processes."""
    from callscope.accounts.models import ApiKey

    def start(*, is_fenced: bool = True, **settings: str) -> CrashRun:
        configure(project, RUBRIC)
        key = ApiKey.objects.create_key(name="crash", user=project.owner)[1]
        plan = Plan(tmp_path / "plan", is_fenced=is_fenced)
        return CrashRun(tmp_path, plan, engines, project, key, **settings)

    return start
