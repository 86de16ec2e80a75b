"""Transactions that write: PostgreSQL may break a deadlock at their expense, SQLite has one writer."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction

from callscope.processes.file_lock import FileLock

DEADLOCK = "40P01"  # PostgreSQL's code
ATTEMPTS = 3
TURN_FILE = "locks/write"  # in the data folder
SHORT_PATIENCE_MS = 20  # of write_unless_busy()

T = TypeVar("T")

_turn = threading.Lock()
_lock: FileLock | None = None


def run_in_transaction(work: Callable[[], T]) -> T:
    """Run the work in one transaction and return its result; up to ATTEMPTS times after deadlocks."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with _turn_to_write(), transaction.atomic():
                return work()
        except OperationalError as error:
            if attempt == ATTEMPTS or getattr(error.__cause__, "sqlstate", "") != DEADLOCK:
                raise
    raise AssertionError("unreachable")


def write_unless_busy(write: Callable[[], object]) -> None:
    """Write what the next request can note as well: on SQLite a long import may hold the writer."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        write()
        return
    patience_ms = _set_patience(SHORT_PATIENCE_MS)
    try:
        with suppress(OperationalError):
            write()
    finally:
        _set_patience(patience_ms)


def _set_patience(patience_ms: int) -> int:
    """Set how long SQLite waits for another writer, in this connection; return what it was before.

    The cursor has to be closed here. One that an exception's traceback keeps may be cleared by the garbage
    collector in another thread: that thread then holds Python still until this connection stops waiting.
    """
    with connection.cursor() as cursor:
        (before_ms,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {int(patience_ms)}")
    return int(before_ms)


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
        lock = _current_lock()
        lock.acquire()
        try:
            yield
        finally:
            lock.release()


def _current_lock() -> FileLock:
    """Return the lock in today's data folder, kept open between transactions; the caller holds _turn."""
    global _lock
    path = Path(settings.DATA_DIR) / TURN_FILE
    if _lock is None or _lock.path != path:
        if _lock is not None:
            _lock.close()
        # Without file locks SQLite still keeps writers apart, only slower.
        _lock = FileLock(path, is_required=False)
    return _lock
