"""Read several tables as of one moment."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot(*, may_pause: bool = False) -> Iterator[None]:
    """Make every read inside belong to one moment, without stopping writers.

    Inside a transaction that is already open, its own view of the data counts. `may_pause`: what is read
    goes to a disk, a pipe or a slow client, so a long time may pass between two reads.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with ExitStack() as stack:
            with _deferred():
                stack.enter_context(transaction.atomic())
            yield
    else:
        with _repeatable_read(), transaction.atomic():
            if may_pause:
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
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


@contextmanager
def _repeatable_read() -> Iterator[None]:
    """Let transactions of PostgreSQL read as of their beginning, and write nothing.

    As part of the statement that begins one: SET TRANSACTION would be another round trip.
    """
    from psycopg import IsolationLevel

    connection.close_if_health_check_failed()
    connection.ensure_connection()
    driver: Any = connection.connection
    with connection.wrap_database_errors:
        before = driver.isolation_level, driver.read_only
        driver.isolation_level, driver.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        yield
    finally:
        if not driver.closed:
            driver.isolation_level, driver.read_only = before
