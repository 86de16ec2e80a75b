"""A limit on the time of some work, which the work itself looks at while it goes on."""

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import NamedTuple

Clock = Callable[[], float]  # seconds that only grow


class _Limit(NamedTuple):
    clock: Clock
    end_s: float
    seconds: float


class TimeLimitExceeded(Exception):
    """The work took longer than it may; `seconds` were allowed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"longer than {seconds:g} s")
        self.seconds = seconds


_limits: ContextVar[tuple[_Limit, ...]] = ContextVar("time_limits", default=())


@contextlib.contextmanager
def limited(seconds: float, clock: Clock = time.monotonic) -> Iterator[None]:
    """Limit what runs inside; limits around it go on to hold.

    With time.thread_time as its clock other work on the machine does not use up the limit.
    """
    token = _limits.set((*_limits.get(), _Limit(clock, clock() + seconds, seconds)))
    try:
        yield
    finally:
        _limits.reset(token)


def check_time() -> None:
    """Raise TimeLimitExceeded if a limit has passed. Costs a fraction of a microsecond without one."""
    for limit in _limits.get():
        if limit.clock() > limit.end_s:
            raise TimeLimitExceeded(limit.seconds)


def seconds_left(most: float) -> float:
    """Return how long something may be waited for by the clock on the wall: 0.1 to `most` seconds."""
    waits = [limit.end_s - limit.clock() for limit in _limits.get() if limit.clock is time.monotonic]
    return max(0.1, min([most, *waits]))
