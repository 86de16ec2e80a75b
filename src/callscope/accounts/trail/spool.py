"""Notes that wait to become audit events, so that a read neither waits for the chain nor holds it.

An audit event takes turns with all other writers. A note is one insert: on PostgreSQL into a table
of the database, on SQLite into a small file next to it, because SQLite has one writer. A queued note
is chained at the next opportunity. A folded one stands for all notes of its key until a moment.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction

from callscope.db.side_file import SideFile

FILE = "audit-notes.sqlite3"
SCRIPT = """
CREATE TABLE IF NOT EXISTS accounts_auditqueue
(id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS accounts_auditfold
(key TEXT PRIMARY KEY, until REAL NOT NULL, count INTEGER NOT NULL, event TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS file_name (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL);
INSERT OR IGNORE INTO file_name VALUES (1, lower(hex(randomblob(8))));
"""

ADD = "INSERT INTO accounts_auditqueue (event) VALUES (?)"
ADD_ONCE = """
INSERT INTO accounts_auditfold AS f (key, until, count, event) VALUES (?, ?, 1, '')
ON CONFLICT (key) DO UPDATE SET until = excluded.until WHERE f.until <= ?
RETURNING key
"""
ADD_COUNTED = """
INSERT INTO accounts_auditfold AS f (key, until, count, event) VALUES (?, ?, 1, ?)
ON CONFLICT (key) DO UPDATE SET count = f.count + 1
"""
COUNT_KEYS = "SELECT count(*) FROM accounts_auditfold WHERE key LIKE ?"
COUNT_QUEUE = "SELECT count(*) FROM accounts_auditqueue"
COUNT_FOLDS = "SELECT count(*) FROM accounts_auditfold WHERE event <> ''"
ANY_DUE = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM accounts_auditqueue)
OR EXISTS (SELECT 1 FROM accounts_auditfold WHERE until <= ?)
"""
TAKE_FOLDS = "DELETE FROM accounts_auditfold WHERE until <= ? RETURNING event, count"
READ_QUEUE = "SELECT id, event FROM accounts_auditqueue ORDER BY id LIMIT ?"
DELETE_QUEUE = "DELETE FROM accounts_auditqueue WHERE id <= ?"
TAKE_QUEUE = """
DELETE FROM accounts_auditqueue WHERE id IN (SELECT id FROM accounts_auditqueue ORDER BY id LIMIT ?)
RETURNING id, event
"""


class Queued(NamedTuple):
    """A note with its place in the queue."""

    id: int
    event: str  # JSON


class Fold(NamedTuple):
    """A folded note whose time is over, and how often it was made."""

    event: str  # JSON
    times: int


def is_a_file() -> bool:
    """Return whether the notes are in a file of their own, outside the database's transactions."""
    return connection.vendor == "sqlite"


def add(event: str) -> None:
    """Queue a note."""
    _execute(ADD, event)


def add_once(key: str, event: str, *, now: float, until: float) -> bool:
    """Queue a note unless the key was used and its time is not over; return whether it was queued."""
    with spool_transaction():
        is_first = bool(_execute(ADD_ONCE, key, until, now))
        if is_first:
            _execute(ADD, event)
    return is_first


def add_counted(key: str, event: str, *, until: float) -> None:
    """Count a note; the first of its key says what, and all together are queued as one after `until`."""
    _execute(ADD_COUNTED, key, until, event)


def count_keys(prefix: str) -> int:
    """Return how many folded notes have a key with this prefix."""
    return int(_execute(COUNT_KEYS, f"{prefix}%")[0][0])


def count_waiting() -> int:
    """Return how many notes are not in the chain yet."""
    return int(_execute(COUNT_QUEUE)[0][0]) + int(_execute(COUNT_FOLDS)[0][0])


def is_due(now: float) -> bool:
    """Return whether there is anything to chain at this moment."""
    return bool(_execute(ANY_DUE, now))


def take_folds(now: float) -> list[Fold]:
    """Remove the folded notes whose time is over and return those with an event; call it in a transaction."""
    folds = [Fold(str(event), int(count)) for event, count in _execute(TAKE_FOLDS, now)]
    return [fold for fold in folds if fold.event]


def read_queue(most: int) -> list[Queued]:
    """Return the notes at the front of the queue."""
    return [Queued(int(id), str(event)) for id, event in _execute(READ_QUEUE, most)]


def take_queue(most: int) -> list[Queued]:
    """Remove the notes at the front of the queue and return them; call it in a transaction."""
    return sorted(Queued(int(id), str(event)) for id, event in _execute(TAKE_QUEUE, most))


def forget_queue(last: int) -> None:
    """Remove the notes up to this one."""
    _execute(DELETE_QUEUE, last)


def file_name() -> str:
    """Return the random name that the file was given when it was created."""
    return str(_execute("SELECT name FROM file_name")[0][0])


@contextlib.contextmanager
def spool_transaction() -> Iterator[None]:
    """Make several steps on the notes one."""
    if not is_a_file():
        with transaction.atomic():
            yield
        return
    file: sqlite3.Connection = _FILE.connect()
    file.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        file.execute("ROLLBACK")
        raise
    file.execute("COMMIT")


def _execute(statement: str, *values: Any) -> Sequence[Sequence[Any]]:
    if is_a_file():
        return _FILE.connect().execute(statement, values).fetchall()
    with connection.cursor() as cursor:
        cursor.execute(statement.replace("%", "%%").replace("?", "%s"), values)
        return cursor.fetchall() if cursor.description else []


_FILE = SideFile(FILE, SCRIPT, synchronous="NORMAL")
