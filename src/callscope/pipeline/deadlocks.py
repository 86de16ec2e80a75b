"""Transactions that write: PostgreSQL may break a deadlock at their expense, SQLite has one writer."""

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction

DEADLOCK = "40P01"  # PostgreSQL's code
ATTEMPTS = 3
TURN_FILE = "locks/write"  # in the data folder

T = TypeVar("T")

_turn = threading.Lock()
_file_of_process: tuple[int, Path, int] | None = None  # process id, path, open file


def in_transaction(work: Callable[[], T]) -> T:
    """Run the work in one transaction and return its result; up to ATTEMPTS times after deadlocks."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with _turn_to_write(), transaction.atomic():
                return work()
        except OperationalError as error:
            if attempt == ATTEMPTS or getattr(error.__cause__, "sqlstate", "") != DEADLOCK:
                raise
    raise AssertionError("unreachable")


@contextmanager
def _turn_to_write() -> Iterator[None]:
    """Let the threads of all processes here write to SQLite one after the other.

    Who meets another writer there sleeps, up to 0.1 s at a time, and looks again: four
    clients that write at once waited six times as long as one does, some of them seconds.
    A process that ends gives its turn back.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with _turn:
        file = _turn_file()
        # Without the lock SQLite still keeps writers apart, only slower: some file systems have none.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)


def _turn_file() -> int:
    """Return the file that this process takes its turns by; the caller holds _turn."""
    global _file_of_process
    path = Path(settings.DATA_DIR) / TURN_FILE
    # An open file that was handed down by a fork would be the parent's lock as well.
    if _file_of_process is None or _file_of_process[:2] != (os.getpid(), path):
        if _file_of_process is not None:
            os.close(_file_of_process[2])
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _file_of_process = (os.getpid(), path, os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return _file_of_process[2]
