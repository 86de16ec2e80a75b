"""Read several tables as of one moment."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Make every read inside belong to one moment, without stopping writers.

    Inside a transaction that is already open, its own view of the data counts.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with ExitStack() as stack:
            with _deferred():
                stack.enter_context(transaction.atomic())
            yield
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield


@contextmanager
def _deferred() -> Iterator[None]:
    """Begin the next transaction as a reader: IMMEDIATE would take the one writer's place."""
    connection.ensure_connection()
    sqlite: Any = connection
    mode = sqlite.transaction_mode
    sqlite.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode
