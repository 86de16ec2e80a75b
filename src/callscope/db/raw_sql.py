"""Run a statement that is written by hand, with little around it.

Django's cursor formats each statement to replace %s by ? on SQLite, which takes as
long as reading a page of calls. Here each %s is replaced as it stands, so a statement
takes no percent sign but those of parameters. PostgreSQL takes longer to plan a page of
calls than to read it: what every request asks is planned once for each connection.
"""

from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections


def fetch_rows(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a statement with a %s for each parameter."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    found: list[tuple[Any, ...]]
    if database.vendor != "sqlite" or database.queries_logged or database.execute_wrappers:
        with database.cursor() as cursor:
            cursor.execute(statement, parameters)
            found = cursor.fetchall()
        return found
    database.ensure_connection()
    in_qmark_style = statement.replace("%s", "?")
    with database.wrap_database_errors:
        found = database.connection.execute(in_qmark_style, parameters).fetchall()
    return found


def fetch_prepared(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a statement that is asked again and again, in few different texts.

    PostgreSQL keeps its plan. For statements whose plan does not depend on the parameters: it may be one that
    was made without looking at them.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor != "postgresql" or database.queries_logged or database.execute_wrappers:
        return fetch_rows(statement, parameters)
    from psycopg import Cursor

    # As Django's cursor does, which writes parameters into the text of a statement.
    database.close_if_health_check_failed()
    database.ensure_connection()
    database.validate_no_broken_transaction()
    found: list[tuple[Any, ...]]
    with database.wrap_database_errors, Cursor(database.connection) as cursor:
        found = cursor.execute(statement, parameters, prepare=True).fetchall()
    return found
