"""Insert many rows of a model at the speed of the driver.

Django's bulk_create prepares each value of each row in Python, which costs more
than the database does. Here most values go to the driver as they are; what it
gives up is defaults of the database, and conflicts, which raise IntegrityError.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models

# Fields whose Python values both drivers take as they are.
PLAIN = (
    models.BigAutoField,
    models.BooleanField,
    models.CharField,
    models.ForeignKey,
    models.IntegerField,
    models.TextField,
)


def insert(model: type[models.Model], rows: Sequence[models.Model]) -> None:
    """Insert these unsaved objects; those without a primary key get one. Call it inside a transaction."""
    if not rows:
        return
    if isinstance(model._meta.pk, models.BigAutoField):
        give_ids(model, [row for row in rows if row.pk is None])
    fields = list(model._meta.concrete_fields)
    columns = [_column(field, rows) for field in fields]
    names = [str(field.column) for field in fields]
    _write(model._meta.db_table, names, list(zip(*columns, strict=True)))


def give_ids(model: type[models.Model], rows: Sequence[models.Model]) -> None:
    """Set the primary keys of rows that are not inserted yet, so that others can point at them."""
    for row, pk in zip(rows, _new_ids(model, len(rows)), strict=True):
        row.pk = pk


def _new_ids(model: type[models.Model], count: int) -> list[int]:
    """Return ids that nobody else will be given."""
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


def _column(field: "models.Field[Any, Any]", rows: Sequence[models.Model]) -> list[Any]:
    values = [getattr(row, field.attname) for row in rows]
    prepare = _preparation(field)
    if getattr(field, "auto_now_add", False):
        values = [field.pre_save(row, add=True) for row in rows]
    return values if prepare is None else [None if value is None else prepare(value) for value in values]


def _preparation(field: "models.Field[Any, Any]") -> Callable[[Any], Any] | None:
    if isinstance(field, models.DateTimeField):
        return _moment
    if isinstance(field, PLAIN):
        return None
    return lambda value: field.get_db_prep_save(value, connection)


def _moment(value: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(value)


def _write(table: str, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    quote = connection.ops.quote_name
    names = ", ".join(quote(column) for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {quote(table)} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns))
            statement = f"INSERT INTO {quote(table)} ({names}) VALUES ({marks})"  # noqa: S608 - names of our models
            cursor.executemany(statement, rows)
