"""Real servers and workers die and freeze at named points: nothing is lost, nothing is made twice.

For `make crash`, a hundred on each database; the small version is test_every_point.py.
"""

import os
from pathlib import Path

import pytest

from tests.crash.crash_run import FREEZING, CrashRun
from tests.crash.losses import assert_nothing_lost_or_double, find_doubles

pytestmark = [
    pytest.mark.journey,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc to find the processes"),
]

KILLS = int(os.environ.get("CALLSCOPE_TEST_CRASH_KILLS", "5"))
SEED = int(os.environ.get("CALLSCOPE_TEST_CRASH_SEED", "1"))
FREEZES = 4


def freeze(run: CrashRun, times: int) -> None:
    for number in range(times):
        run.freeze_past_lease(FREEZING[(number + 2) % len(FREEZING)])


class TestKilledProcesses:
    def test_lose_nothing_and_double_nothing(self, start_run, tmp_path):
        with start_run() as run:
            run.kill_processes(KILLS, seed=SEED)
            freeze(run, FREEZES)
            run.finish()

        print(run.counts())
        assert_nothing_lost_or_double(run, tmp_path / "recordings")


class TestWithoutTheFence:
    def test_a_late_worker_doubles_what_another_one_did(self, start_run):
        with start_run(is_fenced=False) as run:
            freeze(run, 1)
            run.finish()

        print(find_doubles(run))
        assert any("usage entry" in each for each in find_doubles(run))
