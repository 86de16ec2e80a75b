"""Work that looks at its own time."""

import time

import pytest

from callscope.processes.time_limit import TimeLimitExceeded, check_time, limited, seconds_left

pytestmark = pytest.mark.one_database


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class TestLimit:
    def test_holds_inside_and_nowhere_else(self):
        clock = Clock()
        with limited(10, clock):
            check_time()
            clock.now = 11
            with pytest.raises(TimeLimitExceeded, match="longer than 10 s"):
                check_time()
        check_time()

    def test_around_another_one_goes_on_to_hold(self):
        clock = Clock()
        with limited(10, clock), limited(100, clock):
            clock.now = 11
            with pytest.raises(TimeLimitExceeded) as exceeded:
                check_time()
        assert exceeded.value.seconds == 10

    def test_bounds_what_is_waited_for(self):
        assert seconds_left(180) == 180
        with limited(60):
            assert 0.1 <= seconds_left(180) <= 60
            with limited(5, time.thread_time):  # waiting takes no processor time
                assert seconds_left(180) > 5
        with limited(-1):
            assert seconds_left(180) == 0.1
