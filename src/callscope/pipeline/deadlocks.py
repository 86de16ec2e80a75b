"""Transactions that write: PostgreSQL may break a deadlock at their expense, SQLite has one writer."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import OperationalError, connection, transaction

DEADLOCK = "40P01"  # PostgreSQL's code
ATTEMPTS = 3

T = TypeVar("T")

_turn = threading.Lock()


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
    """Let the threads of this process write to SQLite one after the other.

    Who meets another writer there sleeps, up to 0.1 s at a time, and looks again: four
    clients that write at once waited six times as long as one does.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
    else:
        with _turn:
            yield
