"""What a web process remembers of its checks."""

import threading

import pytest

from callscope.pipeline.operation.health_checks import CheckResult
from callscope.pipeline.operation.readiness import LONGEST_CHECK_S, REMEMBERED_S, Readiness

pytestmark = pytest.mark.one_database

GOOD, BAD = CheckResult("database", True, ""), CheckResult("database", False, "")


class Checks:
    """A clock and checks that a test moves by hand."""

    def __init__(self, *answers):
        self.now_s = 100.0
        self.answers = list(answers)
        self.count = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.has_begun = threading.Event()
        self.readiness = Readiness(self.check, clock=lambda: self.now_s)

    def check(self):
        self.count += 1
        self.has_begun.set()
        self.may_answer.wait()
        return [self.answers.pop(0)]


class TestReadiness:
    def test_is_checked_once_in_five_seconds(self):
        checks = Checks(GOOD, BAD)

        found = [checks.readiness.get_results() for _ in range(100)]
        checks.now_s += REMEMBERED_S - 0.1
        found.append(checks.readiness.get_results())

        assert found == [[GOOD]] * 101
        assert checks.count == 1

    def test_is_checked_again_afterward(self):
        checks = Checks(GOOD, BAD)
        checks.readiness.get_results()

        checks.now_s += REMEMBERED_S

        assert checks.readiness.get_results() == [BAD]

    def test_lets_nobody_wait_for_a_check_that_takes_long(self):
        checks = Checks(GOOD, BAD)
        checks.readiness.get_results()
        checks.now_s += REMEMBERED_S
        checks.has_begun.clear()
        checks.may_answer.clear()
        slow = threading.Thread(target=checks.readiness.get_results)
        slow.start()
        checks.has_begun.wait()

        meanwhile = checks.readiness.get_results()
        checks.now_s += LONGEST_CHECK_S
        after_long = checks.readiness.get_results()
        checks.may_answer.set()
        slow.join()

        assert meanwhile == [GOOD]
        assert [result.is_ok for result in after_long] == [False]
        assert checks.count == 2
