"""Keep PostgreSQL from reading a whole table where it misjudges what a condition costs for each row."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def prefer_indexes() -> Iterator[None]:
    """Let the statements of the block use indexes wherever there are any. On SQLite it does nothing."""
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan TO DEFAULT")
