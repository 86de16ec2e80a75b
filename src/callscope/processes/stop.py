"""A request to stop that a signal handler or another thread can make at any moment; and Ctrl-C held back."""

import contextlib
import os
import select
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


class Stop:
    """A request that, unlike threading.Event, a signal handler may set while its thread waits for it."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self.is_requested = False

    def request(self) -> None:
        """Make the request and wake up everyone who waits."""
        self.is_requested = True
        # A full pipe means that it is readable already.
        with contextlib.suppress(BlockingIOError):
            os.write(self._write_end, b"x")

    def wait(self, timeout_s: float, *readable: int) -> list[int]:
        """Wait for the request, a readable descriptor, or the end of the time; return what is readable."""
        if self.is_requested:
            return []
        ready, _, _ = select.select([self._read_end, *readable], [], [], max(0.0, timeout_s))
        return [fd for fd in ready if fd != self._read_end]

    def on_signals(self) -> None:
        """Make the request on SIGTERM and SIGINT. Call it in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.request())


@contextlib.contextmanager
def hold_interrupts() -> Iterator[None]:
    """Let a process that starts here never see Ctrl-C, which a terminal sends to parent and child.

    A child that ended in the middle of an answer would leave its parent waiting without end.
    A Ctrl-C that comes meanwhile comes to the parent afterwards: it is held back, not dropped.
    """
    # Starting this helper of multiprocessing unblocks the signal, so it must run before.
    resource_tracker.ensure_running()
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
