"""The report store: sums a day and a month, kept up to date by a journal of changes.

A reader adds whole months, the days at the edges of the window and what the
journal holds; within one snapshot that is exactly what the facts add up to. Nothing
but fold.py and rebuild.py writes rollups, and they hold the store's lock meanwhile.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from django.db import connection, models
from django.db.models import Q, Sum

from callscope.reports import journal, remembered, statements
from callscope.reports.counting import COLUMN, count, days_of, some
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.packing import Entries
from callscope.reports.sums import TABLES, IntMatrix, Sums, total
from callscope.reports.window import Window, month_end, month_of

LOCK = 0x63616C6C73636F70  # an advisory lock of PostgreSQL; any number that nobody else uses
LISTING = ("list", "percents")
FIGURES = tuple(name for name in TABLES if name not in LISTING)
KEY = ("project_id", "level", "first_day", "stamp")
LOW_BITS = 0xFFFFFFFF


class State(NamedTuple):
    """What the store holds of some projects and days at one moment, as a thing to remember answers by."""

    stored: tuple[int, ...]  # digest of the rollups' stamps
    has_changes: bool  # the journal holds more
    premises: tuple[str, str] | None  # time zone and layout, as StoreState has them


def state(project_ids: Sequence[int], window: Window) -> State:
    """Return the state by one query that reads no sums; ask inside a snapshot()."""
    first, last = window.days
    these = f"project_id IN ({', '.join(['%s'] * len(project_ids))})" if project_ids else "1 = 0"
    spans = _spans(window)
    of_spans = " OR ".join(["(level = %s AND first_day BETWEEN %s AND %s)"] * len(spans))
    statement = (
        f"SELECT r.n, r.low, r.high, s.time_zone, s.layout, EXISTS (SELECT 1 FROM reports_journalentry"  # noqa: S608 - our own words
        f" WHERE {these} AND first_day <= %s AND last_day >= %s) FROM (SELECT COUNT(*) AS n,"
        f" CAST(SUM(stamp & {LOW_BITS}) AS BIGINT) AS low, CAST(SUM(stamp >> 32) AS BIGINT) AS high"
        f" FROM reports_rollup WHERE {these} AND ({of_spans})) r"
        " LEFT JOIN reports_storestate s ON s.id = 1"
    )
    parameters = (*project_ids, last, first, *project_ids, *chain.from_iterable(spans))
    ((count, low, high, zone, layout, has_changes),) = statements.rows(statement, parameters)
    return State((count, low or 0, high or 0), bool(has_changes), None if zone is None else (zone, layout))


def sums(project_ids: Sequence[int], window: Window, tables: tuple[str, ...] = FIGURES) -> Sums:
    """Return the sums over the calls of these projects in the window; read inside a snapshot()."""
    column = "listing" if tables == LISTING else "figures"
    stored = remembered.total_of(keys(project_ids, window), column, tables)
    unfolded = count(*_journal(project_ids, window), tables)
    return stored if unfolded.is_empty else total([stored, unfolded], tables)


def keys(project_ids: Sequence[int], window: Window) -> list[remembered.Key]:
    """Return the keys of the rollups that make up the window; read inside a snapshot()."""
    rows = _rollups(project_ids, window).values_list(*KEY)
    return list(rows)


def day_keys(project_ids: Sequence[int], window: Window) -> list[remembered.Key]:
    """Return the keys of the rollups of each day in the window; read inside a snapshot()."""
    first, last = window.days
    rows = Rollup.objects.filter(
        project__in=project_ids, level=Rollup.Level.DAY, first_day__gte=first, first_day__lte=last
    )
    return list(rows.values_list(*KEY))


def unfolded_days(project_ids: Sequence[int], window: Window) -> list[tuple[int, int, Sums]]:
    """Return (project, day, sums) of what the journal holds in the window."""
    return list(days_of(*_journal(project_ids, window)))


def calls(project_ids: Sequence[int]) -> int:
    """Return the number of calls of these projects, of whatever day."""
    months = Rollup.objects.filter(project__in=project_ids, level=Rollup.Level.MONTH)
    unfolded = JournalEntry.objects.filter(project__in=project_ids)
    return sum(rows.aggregate(calls=Sum("calls"))["calls"] or 0 for rows in (months, unfolded))


def _spans(window: Window) -> list[tuple[int, int, int]]:
    """Return (level, first, last) of the rollups that make up the window.

    Whole months, and days where a month is cut; the last two are the earliest and the latest first_day.
    """
    spans = []
    first, last = window.days
    if window.start is not None:
        month = month_of(first)
        if month != first:
            spans.append((Rollup.Level.DAY.value, first, min(last, month_end(month))))
            first = month_end(month) + 1
    if window.end is not None:
        month = month_of(last)
        if last != month_end(month):
            if month >= first:
                spans.append((Rollup.Level.DAY.value, month, last))
            last = month - 1
    if first <= last or not spans:
        spans.append((Rollup.Level.MONTH.value, first, last))
    return spans


def _rollups(project_ids: Sequence[int], window: Window) -> "models.QuerySet[Rollup]":
    chosen = Q()
    for level, first, last in _spans(window):
        chosen |= Q(level=level, first_day__gte=first, first_day__lte=last)
    return Rollup.objects.filter(chosen, project__in=project_ids)


def _journal(project_ids: Sequence[int], window: Window) -> tuple[IntMatrix, Entries]:
    """Return the calls in the journal that lie in the window, with their criteria."""
    first, last = window.days
    _, heads, entries = journal.read(
        JournalEntry.objects.filter(project__in=project_ids, first_day__lte=last, last_day__gte=first)
    )
    days = heads[:, COLUMN["day"]]
    return some(heads, entries, (days >= first) & (days <= last))


@contextmanager
def lock(*, wait: bool) -> Iterator[bool]:
    """Hold the right to write rollups; False when somebody else has it and `wait` is False.

    PostgreSQL: a lock of the session, taken before the transaction begins, so that
    the transaction sees what its predecessor wrote. SQLite has one writer anyway.
    """
    if connection.vendor != "postgresql":
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_{'' if wait else 'try_'}advisory_lock(%s)", [LOCK])
        held = wait or bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
