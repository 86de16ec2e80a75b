"""An installation of the first version is upgraded, and dies in the middle of it: nothing is lost."""

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from journeys_server import PATIENCE_S, Installation

from tests.journeys.upgrade.first_version import FIRST

pytestmark = pytest.mark.journey

HERE = Path(__file__).parent / "upgrade"
DIES_IN = (2, 33)  # migrations of one process after the other


@pytest.fixture
def installation(tmp_path):
    """A data folder and an empty database of its own: PostgreSQL where this run has one, else SQLite."""
    server = os.environ.get("CALLSCOPE_TEST_DATABASE_URL", "")
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    if not server.startswith("postgres"):
        yield Installation(folder)
        return
    import psycopg

    name = f"callscope_upgrade_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield Installation(folder, CALLSCOPE_DATABASE_URL=f"{server.rpartition('/')[0]}/{name}")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def make_first_version(installation):
    environment = {
        **installation.environment,
        "CALLSCOPE_SECRET_KEY": "only-for-tests-only-for-tests-only-for-tests-0123456789",
        "DJANGO_SETTINGS_MODULE": "callscope.settings",
    }
    command = [sys.executable, str(HERE / "first_version.py")]
    subprocess.run(command, env=environment, check=True, timeout=PATIENCE_S)


def die_in_init(installation, number):
    """Run `callscope init` until it applies so many migrations; return its exit status."""
    before = installation.environment
    path = os.pathsep.join([str(HERE / "dying"), *filter(None, [before.get("PYTHONPATH")])])
    installation.environment = {**before, "PYTHONPATH": path, "CALLSCOPE_TEST_DIES_IN": str(number)}
    done = installation.run("init")
    installation.environment = before
    return done.returncode


def is_within(old, new):
    """Return whether everything that the old answer says is in the new one, which may say more."""
    if isinstance(old, dict):
        return all(is_within(value, new.get(key)) for key, value in old.items())
    if isinstance(old, list):
        return len(old) == len(new) and all(map(is_within, old, new))
    return old == new


class TestUpgrade:
    def test_of_the_first_version_goes_on_wherever_it_died(self, installation):
        make_first_version(installation)

        assert installation.run("doctor").returncode == 1
        for number in DIES_IN:
            assert die_in_init(installation, number) == -signal.SIGKILL
        assert installation.run("init").returncode == 0

        for command in ("reports", "audit"):
            done = installation.run(command, "verify")
            assert done.returncode == 0, done.stdout + done.stderr
        key = installation.json("key", "create", "ana@example.com")["key"]
        with installation.served(workers=0) as server, server.client(key) as client:
            span = "start_date=2025-01-01&end_date=2026-12-31"
            report = client.get(f"/calls/api/report/?project_id=1&{span}").json()
            calls = client.get(f"/calls/api/calls/?project_id=1&{span}").json()
        assert calls["count"] == 15
        first = json.loads(FIRST.read_text("utf-8"))["report"]
        assert is_within(first, report), (first, {name: report[name] for name in first})
