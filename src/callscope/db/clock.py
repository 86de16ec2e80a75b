"""The clock of the database, the one clock that all machines of an installation share.

Moments that processes of several machines compare go by it: when a job is due, when its lease ends, when a
paused engine is tried, when a process was seen last. Queries compare with Django's Now(), which is the same
clock; the clock of a machine may be minutes away from it.
"""

import datetime as dt

from django.db import connection
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from callscope.db import raw_sql

FORMAT = "%Y-%m-%d %H:%M:%f"  # as Django's Now() is written there: in milliseconds
# SQLite compares texts, and Django stores six digits: within its own millisecond a stored moment would be
# later than Now().
TICK = dt.timedelta(milliseconds=1)


def read_now() -> dt.datetime:
    """Return the moment by the clock of the database, in one small query; no later Now() is before it."""
    if connection.vendor == "sqlite":
        [(text,)] = raw_sql.fetch_rows("SELECT STRFTIME(%s, 'NOW')", [FORMAT])
        return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC) - TICK
    [(moment,)] = raw_sql.fetch_rows("SELECT STATEMENT_TIMESTAMP()", [])
    now: dt.datetime = moment
    return now


def in_seconds(seconds: float) -> Combinable:
    """Return the expression of the moment after a pause; without one, Now(), which is due at once."""
    return Now() + dt.timedelta(seconds=seconds) if seconds > 0 else Now()
