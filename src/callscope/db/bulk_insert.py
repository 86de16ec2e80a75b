"""Insert many rows of a model at the speed of the driver.

Django's bulk_create prepares each value of each row in Python, which costs more
than the database does. Here most values go to the driver as they are; what it
gives up is defaults of the database, and conflicts, which raise IntegrityError.
"""

import functools
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.db import DatabaseError, connection, models

# How each database shows a setting, how it takes one, and those for many rows. cache_size below zero is in
# KiB, wal_autocheckpoint in pages of 4 KiB. temp_store 2: what statements with triggers may have to undo
# stays in memory.
ROOM: dict[str, tuple[str, str, dict[str, float]]] = {
    "postgresql": ("SHOW {}", "SET {} = {}", {"random_page_cost": 1.1}),
    "sqlite": (
        "PRAGMA {}",
        "PRAGMA {} = {}",
        {"cache_size": -32 * 1024, "wal_autocheckpoint": 16 * 1024, "temp_store": 2},
    ),
}
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
# Column types of PostgreSQL, and under which name psycopg writes them in binary form: bytes need no escapes
# then, and numbers and moments no text. JSON is text behind the number of its version, 1.
BINARY = {
    "bigint": "int8",
    "boolean": "bool",
    "bytea": "bytea",
    "date": "date",
    "double precision": "float8",
    "integer": "int4",
    "jsonb": "bytea",
    "smallint": "int2",
    "text": "text",
    "timestamp with time zone": "timestamptz",
    "uuid": "uuid",
    "varchar": "text",
}
JSON_VERSION = b"\x01"
# The name of the sequence is looked up once, not for each id.
DRAW_IDS = """
    WITH counter AS MATERIALIZED (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name)
    SELECT nextval(name) FROM counter, generate_series(1, %s)
"""


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
            statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
            _write_bytes_quickly(cursor)
            # Django wraps what execute() raises, not what psycopg's copy() does.
            with connection.wrap_database_errors, cursor.copy(statement) as copy:
                copy.set_types([BINARY[_column_type(field)] for field in used])
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(used))
            statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names of our models
            cursor.executemany(statement, rows)


@contextmanager
def room_for_many() -> Iterator[None]:
    """Let the database insert many rows in less time, during a large import.

    SQLite keeps more in memory and empties its log less often. PostgreSQL finds the few agents and reasons
    that all rows refer to by their index: it would read all of them for each row, as a small table is
    quickly read from a disk, and these are in memory.
    """
    if connection.in_atomic_block:
        yield
        return
    read, write, wanted = ROOM[connection.vendor]
    with connection.cursor() as cursor:
        before = [(name, cursor.execute(read.format(name)).fetchone()[0]) for name in wanted]
        for name, value in wanted.items():
            cursor.execute(write.format(name, value))
    try:
        yield
    finally:
        # A connection that broke has no settings to give back, and why it broke must not be hidden.
        with suppress(DatabaseError), connection.cursor() as cursor:
            for name, value in before:
                cursor.execute(write.format(name, value))


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """Return primary keys that nobody else will be given."""
    if not count:
        return []
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(DRAW_IDS, [table, count])
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
        if connection.vendor == "sqlite" and values is not None:
            texts = _moment_texts(values if isinstance(values, list) else [values])
            return texts if isinstance(values, list) else itertools.repeat(texts[0], count)
        prepare = None
    elif isinstance(field, models.JSONField):
        # psycopg's own wrapper would encode a constant again for each row
        prepare = json.dumps if connection.vendor == "sqlite" else _jsonb
    elif isinstance(field, PLAIN):
        prepare = None
    else:
        prepare = functools.partial(field.get_db_prep_save, connection=connection)
    if not isinstance(values, list):
        is_ready = prepare is None or values is None
        return itertools.repeat(values if is_ready else prepare(values), count)  # type: ignore[misc]
    return values if prepare is None else [None if value is None else prepare(value) for value in values]


def _write_bytes_quickly(cursor: Any) -> None:
    """Let a cursor take bytes by compiled code, where Python would look whether each is a Binary()."""
    from psycopg.types.string import BytesBinaryDumper

    cursor.adapters.register_dumper(bytes, BytesBinaryDumper)


@functools.cache
def _column_type(field: "models.Field[Any, Any]") -> str:
    """Return the type of a column without its length."""
    return str(field.db_type(connection)).partition("(")[0]


def _jsonb(value: object) -> bytes:
    """Return a JSON value as PostgreSQL receives it in binary form."""
    return JSON_VERSION + json.dumps(value).encode()


def _moment_texts(values: Sequence[datetime | None]) -> list[str | None]:
    """Return what Django stores on SQLite: naive text in UTC. Compiled code writes all of them at once."""
    moments = [
        value if value.tzinfo is UTC else value.astimezone(UTC) for value in values if value is not None
    ]
    texts = iter(msgspec.json.encode(moments).decode()[2:-2].replace("T", " ").replace("Z", "").split('","'))
    return [None if value is None else next(texts) for value in values]
