"""Rollups: the aggregates of one project on one day or in one month, as rows of models.Rollup.

A rollup stores its tables in three parts, FIGURES for the report, LISTING for the call list
and MAPS for the two maps of the report, so that none reads what it does not show.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple

from django.db import connection

from callscope.reports.models import Rollup
from callscope.reports.store.aggregate import aggregate_by_day
from callscope.reports.store.aggregates import TABLES, Aggregates, IntMatrix, merge
from callscope.reports.store.encoding import decode_tables, encode_tables
from callscope.reports.store.packing import Entries
from callscope.reports.window import month_of

LOCK = 0x63616C6C73636F70  # an advisory lock of PostgreSQL; any number that nobody else uses
LISTING = ("list", "percents")
MAPS = ("week_hours", "agent_criteria")
FIGURES = tuple(name for name in TABLES if name not in LISTING + MAPS)


class RollupKey(NamedTuple):
    """Which rollup: unique in the table."""

    project_id: int
    level: int  # of Rollup.Level
    first_day: int


def build_rollup(key: RollupKey, aggregates: Aggregates) -> Rollup | None:
    """Return the unsaved rollup that holds these aggregates; None if they are empty."""
    if aggregates.is_empty:
        return None
    figures, listing, maps = (encode_tables(aggregates, part) for part in (FIGURES, LISTING, MAPS))
    digest = blake2b(figures + listing + maps, digest_size=8).digest()
    return Rollup(
        project_id=key.project_id,
        level=key.level,
        first_day=key.first_day,
        calls=aggregates.calls,
        stamp=int.from_bytes(digest, "little", signed=True),
        figures=figures,
        listing=listing,
        maps=maps,
    )


def decode_rollup(rollup: Rollup) -> list[Aggregates]:
    """Return all parts of a stored rollup."""
    return [decode_tables(bytes(part)) for part in (rollup.figures, rollup.listing, rollup.maps)]


def changes_by_rollup(calls: IntMatrix, entries: Entries) -> Iterator[tuple[RollupKey, Aggregates]]:
    """Yield what these calls, each with its sign, add to each day, and to each month after its days.

    One month at a time is held: all of them would take several times the memory of their calls.
    """
    days = aggregate_by_day(calls, entries)
    for (project, month), of_month in groupby(days, key=lambda each: (each[0], month_of(each[1]))):
        parts = []
        for _, day, aggregates in of_month:
            parts.append(aggregates)
            yield RollupKey(project, Rollup.Level.DAY, day), aggregates
        yield RollupKey(project, Rollup.Level.MONTH, month), merge(parts)


@contextmanager
def write_lock(*, wait: bool) -> Iterator[bool]:
    """Hold the right to write rollups; False when another process has it and `wait` is False.

    PostgreSQL: a lock of the session, taken before the transaction begins, so that
    the transaction sees what its predecessor wrote. SQLite has one writer anyway.
    """
    if connection.vendor != "postgresql":
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_{'' if wait else 'try_'}advisory_lock(%s)", [LOCK])
        is_held = wait or bool(cursor.fetchone()[0])
    try:
        yield is_held
    finally:
        if is_held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
