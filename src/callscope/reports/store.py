"""The report store: sums a day and a month, kept up to date by a journal of changes.

A reader adds whole months, the days at the edges of the window and what the
journal holds; within one snapshot that is exactly what the facts add up to. Nothing
but fold.py and rebuild.py writes rollups, and they hold the store's lock meanwhile.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from django.db import connection, models
from django.db.models import Sum

from callscope.reports import journal, remembered
from callscope.reports.counting import COLUMN, count, days_of, some
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.packing import Entries
from callscope.reports.sums import TABLES, IntMatrix, Sums, total
from callscope.reports.window import Window, month_end, month_of

LOCK = 0x63616C6C73636F70  # an advisory lock of PostgreSQL; any number that nobody else uses
FIGURES = tuple(name for name in TABLES if name != "list")
LISTING = ("list",)
KEY = ("project_id", "level", "first_day", "stamp")


def sums(project_ids: Sequence[int], window: Window, tables: tuple[str, ...] = FIGURES) -> Sums:
    """Return the sums over the calls of these projects in the window; read inside a snapshot()."""
    column = "listing" if tables == LISTING else "figures"
    keys = [key for rollups in _rollups(project_ids, window) for key in rollups.values_list(*KEY)]
    stored, unfolded = remembered.total_of(keys, column, tables), _unfolded(project_ids, window)
    return stored if unfolded.is_empty else total([stored, unfolded], tables)


def listings(project_ids: Sequence[int], window: Window, *, by_day: bool) -> Iterator[tuple[int, Sums]]:
    """Yield (first day, what the call list is counted from) of each day in the window, or of each month.

    In no order; a day or month may come in several parts. Read inside a snapshot().
    """
    first, last = window.days
    if by_day:
        parts = [
            Rollup.objects.filter(
                project__in=project_ids, level=Rollup.Level.DAY, first_day__gte=first, first_day__lte=last
            )
        ]
    else:
        parts = list(_rollups(project_ids, window))
    keys = [key for rollups in parts for key in rollups.values_list(*KEY)]
    changes = ((day, sums) for _, day, sums in days_of(*_journal(project_ids, window)))
    for day, sums in chain(((key[2], sums) for key, sums in remembered.each(keys, "listing")), changes):
        yield day if by_day else month_of(day), sums


def calls(project_ids: Sequence[int]) -> int:
    """Return the number of calls of these projects, of whatever day."""
    months = Rollup.objects.filter(project__in=project_ids, level=Rollup.Level.MONTH)
    unfolded = JournalEntry.objects.filter(project__in=project_ids)
    return sum(rows.aggregate(calls=Sum("calls"))["calls"] or 0 for rows in (months, unfolded))


def _rollups(project_ids: Sequence[int], window: Window) -> "Iterator[models.QuerySet[Rollup]]":
    """Yield the rollups that make up the window: whole months, and days where a month is cut."""
    rollups = Rollup.objects.filter(project__in=project_ids)
    months = rollups.filter(level=Rollup.Level.MONTH)
    days = rollups.filter(level=Rollup.Level.DAY)
    first, last = window.days
    if window.start is not None:
        month = month_of(first)
        if month != first:
            yield days.filter(first_day__gte=first, first_day__lte=min(last, month_end(month)))
            first = month_end(month) + 1
        months = months.filter(first_day__gte=first)
    if window.end is not None:
        month = month_of(last)
        if last != month_end(month):
            if month >= first:
                yield days.filter(first_day__gte=month, first_day__lte=last)
            last = month - 1
        months = months.filter(first_day__lte=last)
    if first <= last:
        yield months


def _unfolded(project_ids: Sequence[int], window: Window) -> Sums:
    return count(*_journal(project_ids, window))


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
