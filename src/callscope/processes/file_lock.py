"""An exclusive lock on a file, between threads and between the processes of one machine."""

import contextlib
import fcntl
import os
import time
from pathlib import Path

POLL_S = 0.05


class FileLock:
    """An flock on a file that is created, with its folder, when it is first needed.

    Two locks on one path exclude each other, also within a process. The kernel
    frees the lock of a process that ends, so a crash leaves nothing locked.
    """

    def __init__(self, path: Path, *, is_required: bool = True) -> None:
        """With `is_required=False`, file systems that cannot lock files are no error."""
        self.path = path
        self.is_required = is_required
        self._descriptor: int | None = None
        self._opened_by = 0  # process id

    def acquire(self, *, timeout_s: float | None = None) -> bool:
        """Wait for the lock, without limit unless `timeout_s` is given; return False if time ran out."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        descriptor = self._open()
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if deadline is None else fcntl.LOCK_NB))
                return True
            except BlockingIOError:
                if deadline is None or time.monotonic() >= deadline:
                    return False
                time.sleep(POLL_S)  # flock itself knows no timeout
            except OSError:
                if self.is_required:
                    raise
                return True

    def release(self) -> None:
        """Free the lock and keep the file open for the next time."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Free the lock and close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> "FileLock":
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> int:
        # A descriptor inherited through a fork shares the parent's lock, so it would exclude nobody.
        if self._opened_by != os.getpid():
            self.close()
        if self._descriptor is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            self._opened_by = os.getpid()
        return self._descriptor
