"""`callscope doctor` shows each check as soon as it is done, and ends with what all of them gave."""

import sys

import pytest

from callscope.pipeline.operation import health_checks
from callscope.pipeline.operation.health_checks import CheckResult

pytestmark = pytest.mark.one_database


@pytest.fixture
def shown_before(monkeypatch):
    """What stood on the screen before each of two checks, the second of which fails."""
    shown = []

    def run_all_checks():
        for result in (
            CheckResult("database", True, "sqlite answers"),
            CheckResult("disk", False, "3 MB are free", "Make room."),
        ):
            sys.stdout.flush()
            shown.append(sys.stdout.buffer.getvalue().decode())
            yield result

    monkeypatch.setattr(health_checks, "run_all_checks", run_all_checks)
    return shown


class TestDoctor:
    def test_prints_each_check_before_the_next_one_runs(self, callscope, shown_before):
        result = callscope("doctor")

        first, second = "ok       database: sqlite answers\n", "FAILED   disk: 3 MB are free\n"
        assert shown_before == ["", first]
        assert result.stdout == f"{first}{second}         → Make room.\n"
        assert result.exit_code == 1

    def test_prints_one_object_and_nothing_else_for_programs(self, callscope, shown_before):
        result = callscope("doctor", "--json")

        assert shown_before == ["", ""]
        assert result.stdout.startswith('{"ok": false, "checks": [{"name": "database"')
        assert result.stdout.count("\n") == 1
