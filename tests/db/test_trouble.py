"""A busy database and a full disk pass; a mistake in a statement does not."""

import errno
import sqlite3

import pytest
from django.db import OperationalError, ProgrammingError

from callscope.db.trouble import passes_by_itself


def of_sqlite(code):
    cause = sqlite3.OperationalError("x")
    cause.sqlite_errorcode = code
    error = OperationalError("x")
    error.__cause__ = cause
    return error


def of_postgres(code):
    cause = Exception("x")
    cause.sqlstate = code
    error = OperationalError("x")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        of_sqlite(sqlite3.SQLITE_BUSY),
        of_sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT),
        of_sqlite(sqlite3.SQLITE_FULL),
        of_postgres(None),
        of_postgres("57P01"),
        of_postgres("53100"),
        of_postgres("40P01"),
        OSError(errno.ENOSPC, "No space left on device"),
    ],
)
def test_passes(error):
    assert passes_by_itself(error)


@pytest.mark.parametrize(
    "error",
    [
        None,
        ValueError("x"),
        ProgrammingError("x"),
        OperationalError("x"),
        of_sqlite(sqlite3.SQLITE_ERROR),
        of_postgres("42P01"),
        OSError(errno.ENOENT, "No such file"),
    ],
)
def test_does_not_pass(error):
    assert not passes_by_itself(error)


def test_a_lock_that_another_holds_passes(tmp_path):
    """With the driver's own error."""
    path = tmp_path / "x.sqlite3"
    holder, other = sqlite3.connect(path, isolation_level=None), sqlite3.connect(path, timeout=0)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError) as locked:
        other.execute("INSERT INTO t VALUES (1)")
    error = OperationalError("x")
    error.__cause__ = locked.value

    assert passes_by_itself(error)
    holder.close()
    other.close()
