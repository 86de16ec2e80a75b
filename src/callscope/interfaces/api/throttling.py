"""The rate limit: requests a user, counted across all processes.

Rules: docs/api.md, "Limits". The period starts with the user's first request.
On PostgreSQL the counters are a table of the database. SQLite has one writer at
a time, and a long import must not make every read wait for its turn to count: there
the counters lie in a small file of their own beside the database.
"""

import contextlib
import fcntl
import logging
import math
import os
import sqlite3
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import DatabaseError, connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # rest_framework.views imports this module
    from rest_framework.views import APIView

PERIODS_S = {"sec": 1, "min": 60, "hour": 3600, "day": 86_400}
COUNTER_FILE = "request-counts.sqlite3"
BUSY_S = 2.0  # how long one count may wait for another

# A request may count up to ten seconds after one that looked at the clock later; more is a clock set back.
COUNT = """
INSERT INTO api_requestcount AS c (user_id, started_at, requests) VALUES ({0}, {0}, 1)
ON CONFLICT (user_id) DO UPDATE SET
    requests = CASE WHEN c.started_at + {0} <= excluded.started_at OR c.started_at > excluded.started_at + 10
        THEN 1 ELSE c.requests + 1 END,
    started_at = CASE WHEN c.started_at + {0} <= excluded.started_at
            OR c.started_at > excluded.started_at + 10
        THEN excluded.started_at ELSE c.started_at END
RETURNING requests, started_at
"""
COUNT_IN_FILE = COUNT.format("?")
CREATE = """
CREATE TABLE IF NOT EXISTS api_requestcount
(user_id INTEGER PRIMARY KEY, started_at REAL NOT NULL, requests INTEGER NOT NULL)
"""

logger = logging.getLogger(__name__)
_of_thread = threading.local()


class UserThrottle(BaseThrottle):
    """CALLSCOPE_RATE_LIMIT for each user, over all keys and sessions together."""

    wait_s: float | None = None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request; False once the period is used up.

        A counter that cannot be reached lets the request through: a limit must not stop the service.
        """
        limit = parse_limit(settings.ENVIRONMENT.rate_limit)
        if limit is None or not request.user.is_authenticated:
            return True
        allowed, period_s = limit
        now = time.time()
        try:
            requests, started_at = count(request.user.pk, now=now, period_s=period_s)
        except (DatabaseError, sqlite3.Error, OSError) as error:
            logger.warning("The rate limit could not be counted: %s", error)
            return True
        self.wait_s = max(1.0, math.ceil(started_at + period_s - now))
        return requests <= allowed

    def wait(self) -> float | None:
        """Return the seconds until the period ends, for Retry-After."""
        return self.wait_s


@lru_cache(maxsize=8)
def parse_limit(text: str) -> tuple[int, int] | None:
    """Return (requests, seconds) for a limit such as "600/min"; None for "off"."""
    if text == "off":
        return None
    number, _, period = text.partition("/")
    return int(number), PERIODS_S[period]


def count(user_id: int, *, now: float, period_s: int) -> tuple[int, float]:
    """Count one request; return how many the period has seen, and when it started."""
    values = (user_id, now, period_s, period_s)
    if connection.vendor == "sqlite":
        row = _counter_file().execute(COUNT_IN_FILE, values).fetchone()
    else:
        with connection.cursor() as cursor:
            cursor.execute(COUNT.format("%s"), values)
            row = cursor.fetchone()
    return int(row[0]), float(row[1])


def _counter_file() -> sqlite3.Connection:
    """Return this thread's connection to the counter file, opened once."""
    path = os.path.join(settings.DATA_DIR, COUNTER_FILE)  # noqa: PTH118 - at every request
    key = (os.getpid(), path)  # a connection must not be used on the other side of a fork
    known: tuple[tuple[int, str], sqlite3.Connection] | None = getattr(_of_thread, "counters", None)
    if known and known[0] == key and os.path.exists(path):  # noqa: PTH110
        return known[1]
    file = _open(Path(path))
    _of_thread.counters = (key, file)
    return file


def _open(path: Path) -> sqlite3.Connection:
    """Open the counter file, made if it is new, while no other process or thread does the same.

    SQLite waits for nobody where a file is turned to its write-ahead log: requests went uncounted.
    """
    folder = path.parent / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "request-counts").open("w") as turn:
        with contextlib.suppress(OSError):  # some file systems lock no files
            fcntl.flock(turn, fcntl.LOCK_EX)
        file = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        file.execute("PRAGMA journal_mode=WAL")
        file.execute("PRAGMA synchronous=OFF")  # losing a minute's counters in a power cut costs nothing
        file.execute(CREATE)
    return file
