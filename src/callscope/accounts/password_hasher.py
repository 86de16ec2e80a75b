"""Hash passwords with Argon2, one at a time on a machine, when nothing else wants its processor.

A hash is meant to cost memory and time, and anybody can ask for one by trying to sign in:
32 at once took 2 GB with Django's 100 MB each, and nothing else was answered meanwhile. Two at
a time in each of two processes took all of two cores, and readers waited three times as long.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher

from callscope.processes.file_lock import FileLock

WAITING_HASHES = 8  # of a process, beyond the one at work; about 0.2 s of waiting
WAIT_S = 10.0
TURN_FILE = "locks/password"  # in the data folder
# Added to that of the process: the hashing thread gets a third of what a request gets, and what nobody wants.
NICENESS = 5

T = TypeVar("T")


def _lower_priority() -> None:
    if sys.platform == "linux":  # elsewhere a priority is that of the whole process
        os.nice(NICENESS)  # of this thread alone, on top of what the process was started with


# A thread of its own: the allocator keeps a hash's memory for each thread that ever made one, and
# with all 24 of a web process it kept 380 MB.
_hashing = ThreadPoolExecutor(1, thread_name_prefix="password", initializer=_lower_priority)
_places = threading.BoundedSemaphore(1 + WAITING_HASHES)


class TooManyHashes(Exception):
    """So many passwords are being checked that this one has to be sent again later."""


class BoundedArgon2Hasher(Argon2PasswordHasher):
    """Argon2id with OWASP's parameters of least memory; older hashes are replaced at the next sign-in."""

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        """Return the hash. Raises TooManyHashes."""
        return _take_turn(lambda: Argon2PasswordHasher.encode(self, password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        """Return whether the password is the hashed one. Raises TooManyHashes."""
        return _take_turn(lambda: Argon2PasswordHasher.verify(self, password, encoded))


def require_place() -> None:
    """Raise TooManyHashes where no hash could wait now: asked before anything is written for it."""
    if not _places.acquire(blocking=False):
        raise TooManyHashes
    _places.release()


def _take_turn(work: Callable[[], T]) -> T:
    if not _places.acquire(blocking=False):
        raise TooManyHashes
    hashing = _hashing.submit(_work_alone, work)
    # The place is free when the work is over, not when its caller has given up.
    hashing.add_done_callback(lambda _: _places.release())
    try:
        return hashing.result(timeout=WAIT_S)
    except TookTooLong:
        hashing.cancel()
        raise TooManyHashes from None


def _work_alone(work: Callable[[], T]) -> T:
    """Do the work while no other process of this machine hashes."""
    with contextlib.ExitStack() as turn:
        with contextlib.suppress(OSError):  # a data folder that cannot be written to is no reason to fail
            turn.enter_context(FileLock(Path(settings.DATA_DIR) / TURN_FILE, is_required=False))
        return work()
