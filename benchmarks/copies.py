"""Make a world ten times as large by copying its rows, where an import would take hours.

`python copies.py CALLS` copies the calls of the world in CALLSCOPE_DATA_DIR or CALLSCOPE_DATABASE_URL, whose
call, file and analysis ids count from 1, until there are so many. File names get the number of the copy in
front; everything else is as in the first calls, so what is searched for is found in each copy.
"""

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

# Tables with rows of calls, and the columns that count up with the calls.
OF_AN_IMPORT = {
    "calls_call": ("id", "newest_file_id"),
    "calls_uploadedfile": ("id", "call_id"),
    "analysis_callanalysis": ("id", "call_id", "file_id"),
    "contact_reasons_callreason": ("call_id",),
    "reports_calltext": ("call_id",),
    "reports_callmark": ("call_id",),
    "reports_callfact": ("call_id",),
}
LEFT_OUT = {"reports_callmark": "id"}  # which the database counts
NAMED = {"calls_call": ("file_name", "name_stem"), "calls_uploadedfile": ("original_filename",)}
SEARCHED = {"reports_calltext": ("text",)}  # which begins with the file name
PIECES_AT_ONCE = {"hashsize": 1 << 28, "automerge": 0}  # few large parts, merged once
USUAL = {"hashsize": 1 << 20, "automerge": 4}
INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_constraintdef(pg_constraint.oid), pg_get_indexdef(indexrelid)
    FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('u', 'x')
    WHERE indrelid = %s::regclass AND NOT indisprimary
"""


def copy_rows(
    cursor: Any,
    tables: Mapping[str, Sequence[str]],
    *,
    first: int,
    calls: int,
    renamed: Mapping[str, Sequence[str]] = NAMED,
) -> None:
    """Copy the rows of the first calls of a database until it has so many calls."""
    from django.db import connection

    for table, counted in tables.items():
        columns = [each.name for each in connection.introspection.get_table_description(cursor, table)]
        columns = [name for name in columns if name != LEFT_OUT.get(table)]
        for start in range(first, calls, first):
            values = [f"{name} + {start}" if name in counted else name for name in columns]
            values = [f"'{start}-' || {name}" if name in renamed.get(table, ()) else name for name in values]
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {table}"
                f" WHERE {counted[0]} <= {min(first, calls - start)}"
            )


@contextmanager
def no_indexes(cursor: Any, table: str) -> Iterator[None]:
    """Take the indexes of a table away but for keys, and create them again.

    One index after the other over all rows takes a fraction of what it takes to keep them all row by row.
    """
    from django.db import connection

    if connection.vendor == "sqlite":
        cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %s AND sql IS NOT NULL",
            [table],
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        yield
        for _, definition in indexes:
            cursor.execute(definition)
        return
    cursor.execute(INDEXES, [table])
    found = cursor.fetchall()
    for name, constraint, *_ in found:
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}" if constraint else f"DROP INDEX {name}")
    yield
    cursor.execute("SET maintenance_work_mem = '2GB'")
    for name, constraint, definition in found:
        added = f"ALTER TABLE {table} ADD CONSTRAINT {name} {constraint}"
        cursor.execute(added if constraint else definition)


def main(calls: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
    import django

    django.setup()
    from django.db import connection

    from callscope.reports.search.call_texts import INDEX, merge_texts
    from callscope.reports.store.rebuild import rebuild_rollups

    is_postgres = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if not is_postgres:
            cursor.execute("PRAGMA synchronous = OFF")
            cursor.execute("PRAGMA foreign_keys = OFF")  # calls name their files, which come later
            cursor.execute("PRAGMA cache_size = -4000000")  # 4 GB: the indexes take entries everywhere
            cursor.execute("PRAGMA journal_mode = OFF")
            for option, value in PIECES_AT_ONCE.items():
                cursor.execute(f"INSERT INTO {INDEX}({INDEX}, rank) VALUES (%s, %s)", [option, value])
        else:
            cursor.execute("SET session_replication_role = replica")  # no foreign keys, no triggers
        cursor.execute("SELECT MAX(id) FROM calls_call")
        [first] = cursor.fetchone()
        for table, counted in OF_AN_IMPORT.items():  # each statement by itself: their log is not kept
            with no_indexes(cursor, table):
                copy_rows(cursor, {table: counted}, first=first, calls=calls, renamed=NAMED | SEARCHED)
                print(f"{table}: copied", flush=True)
        if is_postgres:
            cursor.execute("UPDATE reports_statecount SET calls = calls * %s", [calls // first])
            for table in ("calls_call", "calls_uploadedfile", "analysis_callanalysis"):
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), MAX(id)) FROM {table}"
                )
            cursor.execute("VACUUM ANALYZE")
        else:
            cursor.execute(
                "INSERT INTO reports_callpieces(rowid, text) SELECT call_id, text FROM reports_calltext"
                " WHERE call_id > %s",
                [first],
            )
            for option, value in USUAL.items():
                cursor.execute(f"INSERT INTO {INDEX}({INDEX}, rank) VALUES (%s, %s)", [option, value])
            merge_texts(until=math.inf)  # as workers do, between their jobs
            cursor.execute("PRAGMA journal_mode = WAL")
    rebuild_rollups()


if __name__ == "__main__":
    main(int(sys.argv[1]))
