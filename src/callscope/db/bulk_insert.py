"""Insert many rows of a model at the speed of the driver.

Django's bulk_create prepares each value of each row in Python, which costs more
than the database does. Here most values go to the driver as they are; what it
gives up is defaults of the database, and conflicts, which raise IntegrityError.
"""

import functools
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection, models

# cache_size below zero is in KiB, wal_autocheckpoint in pages of 4 KiB. temp_store 2: what statements with
# triggers may have to undo stays in memory.
ROOM = {"cache_size": -64 * 1024, "wal_autocheckpoint": 16 * 1024, "temp_store": 2}
# Fields whose Python values both drivers take as they are.
PLAIN = (
    models.BigAutoField,
    models.BinaryField,
    models.BooleanField,
    models.CharField,
    models.ForeignKey,
    models.IntegerField,
    models.TextField,
)


def insert_columns(model: type[models.Model], count: int, columns: Mapping[str, Any]) -> None:
    """Insert `count` rows given by column: a list has a value for each row, anything else is that of all.

    Columns that are not named take the default of their field. Values of JSON columns
    that the database keeps compressed are given as their stored bytes.
    """
    if not count:
        return
    fields = {field.attname: field for field in model._meta.concrete_fields}
    if not fields.keys() >= columns.keys():
        raise ValueError(f"{model.__name__} has no {', '.join(sorted(columns.keys() - fields.keys()))}.")
    used = [f for f in fields.values() if f.attname in columns or not isinstance(f, models.BigAutoField)]
    values = [
        _prepare_column(
            field, columns[field.attname] if field.attname in columns else field.get_default(), count
        )
        for field in used
    ]
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(quote(str(field.column)) for field in used)
    rows = list(zip(*values, strict=True))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Django wraps what execute() raises, not what psycopg's copy() does.
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(used))
            statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names of our models
            cursor.executemany(statement, rows)


@contextmanager
def room_for_many() -> Iterator[None]:
    """Let SQLite keep more in memory and empty its log less often, during a large import."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        before = [(name, cursor.execute(f"PRAGMA {name}").fetchone()[0]) for name in ROOM]
        for name, value in ROOM.items():
            cursor.execute(f"PRAGMA {name} = {value}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            for name, value in before:
                cursor.execute(f"PRAGMA {name} = {value}")


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """Return primary keys that nobody else will be given."""
    if not count:
        return []
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count]
            )
            return [row[0] for row in cursor.fetchall()]
        # The transaction is the only writer; explicit ids move the sequence along.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
        first = (row[0] if row else 0) + 1
        return list(range(first, first + count))


def _prepare_column(field: "models.Field[Any, Any]", values: Any, count: int) -> Iterable[Any]:
    """Return the values of a column as the driver takes them."""
    prepare: Callable[[Any], Any] | None
    if isinstance(field, models.DateTimeField):
        prepare = _moment_text if connection.vendor == "sqlite" else None
    elif isinstance(field, models.JSONField):
        prepare = json.dumps  # as text: psycopg's own wrapper would encode a constant again for each row
    elif isinstance(field, PLAIN):
        prepare = None
    else:
        prepare = functools.partial(field.get_db_prep_save, connection=connection)
    if not isinstance(values, list):
        is_ready = prepare is None or values is None
        return itertools.repeat(values if is_ready else prepare(values), count)  # type: ignore[misc]
    return values if prepare is None else [None if value is None else prepare(value) for value in values]


def _moment_text(value: datetime) -> str:
    """Return what Django stores on SQLite: naive text in UTC."""
    return value.astimezone(UTC).isoformat(" ").removesuffix("+00:00")
