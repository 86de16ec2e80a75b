"""Tell trouble that passes (a busy database, a full disk, a bucket that is away) from a mistake of ours."""

import errno
import sqlite3

from django.db import InterfaceError, InternalError, OperationalError

FULL_DISK = {errno.ENOSPC, errno.EDQUOT}
SQLITE_TROUBLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
# PostgreSQL's classes of codes: connections, rollbacks such as deadlocks, resources, an operator's shutdown.
POSTGRES_TROUBLE = ("08", "40", "53", "55P03", "57")
SILENT = (
    "25P03"  # the server ended the transaction of a process that was stopped for a while (settings.SILENCE)
)


class PassingTrouble(Exception):
    """Something that Callscope needs is away; the same request may succeed when it is back."""


def passes_by_itself(error: BaseException | None) -> bool:
    """Return whether the same request may succeed later, although nothing is changed in it."""
    if isinstance(error, OperationalError | InterfaceError):
        return _is_driver_trouble(error.__cause__)
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", None) == SILENT
    if isinstance(error, sqlite3.Error):  # of a side file, which Django knows nothing of
        return _is_driver_trouble(error)
    if isinstance(error, PassingTrouble):
        return True
    return isinstance(error, OSError) and error.errno in FULL_DISK


def _is_driver_trouble(cause: BaseException | None) -> bool:
    if isinstance(cause, sqlite3.Error):
        # Extended codes carry the plain one in their lowest byte.
        return (getattr(cause, "sqlite_errorcode", 0) & 0xFF) in SQLITE_TROUBLE
    if cause is None:
        return False
    code = getattr(cause, "sqlstate", None)  # None: the connection broke or was never made
    return code is None or code.startswith(POSTGRES_TROUBLE)
