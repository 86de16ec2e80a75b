"""A request to stop that a signal handler or another thread can make at any moment."""

import contextlib
import os
import select
import signal
from types import FrameType


class Stop:
    """Unlike threading.Event, safe to set from a signal handler while the same thread waits on it."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self.is_requested = False

    def request(self) -> None:
        self.is_requested = True
        # A full pipe means that it is readable already.
        with contextlib.suppress(BlockingIOError):
            os.write(self._write_end, b"x")

    def wait(self, timeout_s: float, *readable: int) -> list[int]:
        """Wait until a stop is requested, one of the descriptors is readable, or the time is over.

        Return the readable descriptors.
        """
        if self.is_requested:
            return []
        ready, _, _ = select.select([self._read_end, *readable], [], [], max(0.0, timeout_s))
        return [fd for fd in ready if fd != self._read_end]

    def on_signals(self) -> None:
        """Let SIGTERM and SIGINT make the request. Main thread only."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.request()
