"""Hash passwords with Argon2, at most two at a time in each process.

A hash is meant to cost memory and time, and anybody can ask for one by trying to sign in:
32 at once took 2 GB with Django's 100 MB each, and nothing else was answered meanwhile.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from typing import TypeVar

from django.contrib.auth.hashers import Argon2PasswordHasher

HASHES_AT_ONCE = 2
WAITING_HASHES = 8  # beyond those; about 0.2 s of waiting
WAIT_S = 5.0

T = TypeVar("T")

# Threads of their own: the allocator keeps a hash's memory for each thread that ever made one, and
# with all 24 of a web process it kept 380 MB.
_hashing = ThreadPoolExecutor(HASHES_AT_ONCE, thread_name_prefix="password")
_places = threading.BoundedSemaphore(HASHES_AT_ONCE + WAITING_HASHES)


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


def _take_turn(work: Callable[[], T]) -> T:
    if not _places.acquire(blocking=False):
        raise TooManyHashes
    hashing = _hashing.submit(work)
    # The place is free when the work is over, not when its caller has given up.
    hashing.add_done_callback(lambda _: _places.release())
    try:
        return hashing.result(timeout=WAIT_S)
    except TookTooLong:
        hashing.cancel()
        raise TooManyHashes from None
