"""The rate limit: requests a user, counted across all doors and processes.

Rules: docs/api.md, "Limits". The period starts with the user's first request. What costs more than
a page counts for more. On PostgreSQL the counters are a table of the database. SQLite has one writer
at a time, and a long import must not make every read wait for its turn to count: there the counters
are in a small file of their own next to the database.
"""

import hashlib
import logging
import math
import sqlite3
import time
from functools import lru_cache

from django.conf import settings
from django.db import DatabaseError, connection

from callscope.accounts.sign_in_limits import name_origin
from callscope.db import raw_sql
from callscope.db.side_file import SideFile

PERIODS_S = {"sec": 1, "min": 60, "hour": 3600, "day": 86_400}
COUNTER_FILE = "request-counts.sqlite3"
EXPORT = 10  # requests that a CSV counts as
PDF = TRIAL = 20  # and a PDF, or settings that are tried on a call: either may call a language model
ONE_OF_TRIALS = 5  # one of the calls that a criterion is tried on, twenty in a row

# A request may count up to ten seconds after one that looked at the clock later; more is a clock set back.
COUNT = """
INSERT INTO api_requestcount AS c (user_id, started_at, requests) VALUES ({0}, {0}, {0})
ON CONFLICT (user_id) DO UPDATE SET
    requests = CASE WHEN c.started_at + {0} <= excluded.started_at OR c.started_at > excluded.started_at + 10
        THEN excluded.requests ELSE c.requests + excluded.requests END,
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
# Losing a minute's counters in a power cut costs nothing.
_COUNTERS = SideFile(COUNTER_FILE, CREATE, synchronous="OFF")


def find_wait(user_id: int, weight: int = 1) -> float | None:
    """Count a request of this weight; return the seconds to wait if it is one too many, else None.

    A counter that cannot be reached lets the request through: a limit must not stop the service.
    """
    limit = parse_limit(settings.ENVIRONMENT.rate_limit)
    if limit is None:
        return None
    allowed, period_s = limit
    now = time.time()
    try:
        # No request weighs more than a whole period, or it could never be made.
        requests, started_at = count_request(user_id, now=now, period_s=period_s, weight=min(weight, allowed))
    except (DatabaseError, sqlite3.Error, OSError) as error:
        logger.warning("The rate limit could not be counted: %s", error)
        return None
    return max(1.0, math.ceil(started_at + period_s - now)) if requests > allowed else None


def number_origin(address: str) -> int:
    """Return the number that people without an account count under: their address, below every user's id."""
    origin = name_origin(address)
    return -1 - (int.from_bytes(hashlib.sha256(origin.encode()).digest()[:8]) >> 2)


@lru_cache(maxsize=8)
def parse_limit(text: str) -> tuple[int, int] | None:
    """Return (requests, seconds) for a limit such as "600/min"; None for "off"."""
    if text == "off":
        return None
    number, _, period = text.partition("/")
    return int(number), PERIODS_S[period]


def count_request(user_id: int, *, now: float, period_s: int, weight: int = 1) -> tuple[int, float]:
    """Count one request; return how many the period has seen, and when it started."""
    values = (user_id, now, weight, period_s, period_s)
    if connection.vendor == "sqlite":
        row = _COUNTERS.connect().execute(COUNT_IN_FILE, values).fetchone()
    else:
        [row] = raw_sql.fetch_prepared(COUNT.format("%s"), values)
    return int(row[0]), float(row[1])
