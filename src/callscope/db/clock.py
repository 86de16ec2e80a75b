"""The clock of the database, the one clock that all machines of an installation share.

Moments that processes of several machines compare go by it: when a job is due, when its lease ends, when a
paused engine is tried, when a process was seen last. Queries compare with Django's Now(), which is the same
clock; the clock of a machine may be minutes away from it.
"""

import datetime as dt

from django.db import connection

from callscope.db import raw_sql

# As Django's Now() is written, so that a moment read here is never later than one that a later query sees.
FORMAT = "%Y-%m-%d %H:%M:%f"


def read_now() -> dt.datetime:
    """Return the moment by the clock of the database; one small query."""
    if connection.vendor == "sqlite":
        [(text,)] = raw_sql.fetch_rows("SELECT STRFTIME(%s, 'NOW')", [FORMAT])
        return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)
    [(moment,)] = raw_sql.fetch_rows("SELECT STATEMENT_TIMESTAMP()", [])
    now: dt.datetime = moment
    return now
