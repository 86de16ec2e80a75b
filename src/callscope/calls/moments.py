"""Moments of calls: the years they may lie in, and how they are written in JSON."""

import datetime as dt

FIRST_YEAR, LAST_YEAR = 1900, 2100  # one outside is a slip, and would stretch every trend by centuries
# How far a time that a person gives may lie ahead: it may be of another time zone.
AHEAD = dt.timedelta(days=1)


def utc_text(moment: dt.datetime) -> str:
    """Return a moment in ISO 8601, in UTC, such as 2026-01-05T10:00:00Z."""
    return moment.astimezone(dt.UTC).isoformat().removesuffix("+00:00") + "Z"
