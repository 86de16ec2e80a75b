"""Transactions that start again when PostgreSQL breaks a deadlock at their expense."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, transaction

DEADLOCK = "40P01"  # PostgreSQL's code
ATTEMPTS = 3

T = TypeVar("T")


def in_transaction(work: Callable[[], T]) -> T:
    """Run the work in one transaction and return its result; up to ATTEMPTS times after deadlocks."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic():
                return work()
        except OperationalError as error:
            if attempt == ATTEMPTS or getattr(error.__cause__, "sqlstate", "") != DEADLOCK:
                raise
    raise AssertionError("unreachable")
