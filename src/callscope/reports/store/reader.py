"""Read the report store: one answer from rollups and journal.

A read inside one snapshot() adds, and gets exactly what the facts add up to:

1. the rollups of the whole months of the window,
2. the rollups of the days at its edges, where a month is cut,
3. what the journal holds in the window.

Only compaction.py and rebuild.py write rollups, under rollups.write_lock().
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from callscope.db import raw_sql
from callscope.reports.models import CallFact, JournalEntry, Rollup
from callscope.reports.store import cache, journal
from callscope.reports.store.aggregate import (
    COLUMN_INDEX,
    aggregate_by_day,
    aggregate_calls,
    call_matrix,
    criterion_entries,
    select_calls,
)
from callscope.reports.store.aggregates import Aggregates, IntMatrix, merge
from callscope.reports.store.cache import KEY_COLUMNS, StampedKey
from callscope.reports.store.fact_row import FactRow
from callscope.reports.store.packing import Entries
from callscope.reports.store.rollups import FIGURES, LISTING, MAPS
from callscope.reports.window import Window, find_week, month_end, month_of

LOW_BITS = 0xFFFFFFFF


class StoreFingerprint(NamedTuple):
    """What the store holds of these projects and days at one moment: a key to cache answers under."""

    stored: tuple[int, ...]  # digest of the rollups' stamps
    has_changes: bool  # the journal holds more
    version: tuple[str, str] | None  # time zone and layout; see version.is_current()


def read_fingerprint(project_ids: Sequence[int], window: Window) -> StoreFingerprint:
    """Return the fingerprint by one query that reads no aggregates; call it inside a snapshot()."""
    first, last = window.days
    these = f"project_id IN ({', '.join(['%s'] * len(project_ids))})" if project_ids else "1 = 0"
    spans = _rollup_spans(window)
    of_spans = " OR ".join(["(level = %s AND first_day BETWEEN %s AND %s)"] * len(spans))
    # Stamps are added in two halves: their sum as it is would pass 64 bits.
    statement = (
        f"SELECT r.n, r.low, r.high, s.time_zone, s.layout, EXISTS (SELECT 1 FROM reports_journalentry"  # noqa: S608 - our own words
        f" WHERE {these} AND first_day <= %s AND last_day >= %s) FROM (SELECT COUNT(*) AS n,"
        f" CAST(SUM(stamp & {LOW_BITS}) AS BIGINT) AS low, CAST(SUM(stamp >> 32) AS BIGINT) AS high"
        f" FROM reports_rollup WHERE {these} AND ({of_spans})) r"
        " LEFT JOIN reports_storestate s ON s.id = 1"
    )
    parameters = (*project_ids, last, first, *project_ids, *chain.from_iterable(spans))
    ((count, low, high, zone, layout, has_changes),) = raw_sql.fetch_prepared(statement, parameters)
    version = None if zone is None else (zone, layout)
    return StoreFingerprint((count, low or 0, high or 0), bool(has_changes), version)


def read_aggregates(
    project_ids: Sequence[int], window: Window, tables: tuple[str, ...] = FIGURES
) -> Aggregates:
    """Return these tables over the calls of the projects in the window; call it inside a snapshot().

    `tables` are LISTING as it is, or any of FIGURES, or any of MAPS.
    """
    part: cache.Part = "listing" if tables == LISTING else "maps" if tables[0] in MAPS else "figures"
    stored = cache.sum_rollups(rollup_keys(project_ids, window), part, tables)
    recent = aggregate_calls(*_journal_calls(project_ids, window), tables)
    return stored if recent.is_empty else merge([stored, recent], tables)


def read_agent_aggregates(
    project_id: int, agent_id: int, window: Window, tables: tuple[str, ...] = FIGURES
) -> Aggregates:
    """Return these tables over the calls of one agent alone, counted from their facts."""
    return aggregate_calls(*_agent_calls(project_id, agent_id, *window.days), tables)


def read_agent_windows(
    project_id: int, agent_id: int, windows: Sequence[Window], tables: tuple[str, ...] = FIGURES
) -> list[Aggregates]:
    """Return these tables over the calls of one agent in each of the windows; their facts are read once."""
    spans = [window.days for window in windows]
    if not spans:
        return []
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    calls, entries = _agent_calls(project_id, agent_id, first, last)
    days = calls[:, COLUMN_INDEX["day"]]
    nothing = aggregate_calls(calls[:0], entries[:0], tables)
    chosen = [(days >= start) & (days <= end) for start, end in spans]
    return [
        aggregate_calls(*select_calls(calls, entries, each), tables) if each.any() else nothing
        for each in chosen
    ]


def _agent_calls(project_id: int, agent_id: int, first: int, last: int) -> tuple[IntMatrix, Entries]:
    """Return the calls of one agent from one day to another, with their criteria."""
    facts = CallFact.objects.filter(project=project_id, agent_id=agent_id, day__gte=first, day__lte=last)
    rows = [FactRow._make(row) for row in facts.order_by("pk").values_list(*FactRow._fields)]
    return call_matrix(rows), criterion_entries(rows)


def rollup_keys(project_ids: Sequence[int], window: Window) -> list[StampedKey]:
    """Return the keys of the fewest rollups that make up the window; call it inside a snapshot()."""
    if not project_ids:
        return []
    spans = _rollup_spans(window)
    of_spans = " OR ".join(["(level = %s AND first_day BETWEEN %s AND %s)"] * len(spans))
    statement = (
        f"SELECT {', '.join(KEY_COLUMNS)} FROM reports_rollup"  # noqa: S608 - our own words
        f" WHERE project_id IN ({', '.join(['%s'] * len(project_ids))}) AND ({of_spans})"
    )
    rows = raw_sql.fetch_prepared(statement, (*project_ids, *chain.from_iterable(spans)))
    return [StampedKey._make(row) for row in rows]


def day_rollup_keys(project_ids: Sequence[int], window: Window) -> list[StampedKey]:
    """Return the keys of the rollups of each day in the window; call it inside a snapshot()."""
    first, last = window.days
    rollups = Rollup.objects.filter(
        project__in=project_ids, level=Rollup.Level.DAY, first_day__gte=first, first_day__lte=last
    )
    return [StampedKey._make(row) for row in rollups.values_list(*KEY_COLUMNS)]


def read_journal_by_day(project_ids: Sequence[int], window: Window) -> list[tuple[int, int, Aggregates]]:
    """Return (project, day, aggregates) of what the journal holds in the window."""
    return list(aggregate_by_day(*_journal_calls(project_ids, window)))


def read_weeks(
    project_ids: Sequence[int], window: Window, tables: tuple[str, ...], agent_id: int | None = None
) -> dict[int, Aggregates]:
    """Return these tables of FIGURES by the Monday of each week with calls; call it inside a snapshot().

    With `agent_id`, over the calls of that agent in one project.
    """
    weeks: defaultdict[int, list[Aggregates]] = defaultdict(list)
    if agent_id is not None:
        (project_id,) = project_ids
        found = aggregate_by_day(*_agent_calls(project_id, agent_id, *window.days))
        days: Iterator[tuple[int, Aggregates]] = ((day, aggregates) for _, day, aggregates in found)
    else:
        stored = cache.load_rollups(day_rollup_keys(project_ids, window), "figures")
        recent = read_journal_by_day(project_ids, window)
        days = chain(
            ((key.first_day, aggregates) for key, aggregates in stored),
            ((day, aggregates) for _, day, aggregates in recent),
        )
    for day, aggregates in days:
        weeks[find_week(day).toordinal()].append(aggregates)
    return {monday: merge(found, tables) for monday, found in weeks.items()}


def count_calls(project_ids: Sequence[int]) -> int:
    """Return the number of calls of these projects, of all days."""
    if not project_ids:
        return 0
    these = f"project_id IN ({', '.join(['%s'] * len(project_ids))})"
    statement = (
        "SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) FROM"  # noqa: S608 - our own words
        f" (SELECT calls FROM reports_rollup WHERE {these} AND level = %s"
        f" UNION ALL SELECT calls FROM reports_journalentry WHERE {these}) AS counted"
    )
    parameters = (*project_ids, Rollup.Level.MONTH.value, *project_ids)
    ((calls,),) = raw_sql.fetch_prepared(statement, parameters)
    return int(calls)


class RollupSpan(NamedTuple):
    """All rollups of one level whose first day lies from `first` to `last`, both included."""

    level: int
    first: int
    last: int


def _rollup_spans(window: Window) -> list[RollupSpan]:
    """Return the spans that make up the window: whole months, and days where a month is cut."""
    spans = []
    first, last = window.days
    if window.start is not None:
        month = month_of(first)
        if month != first:
            spans.append(RollupSpan(Rollup.Level.DAY.value, first, min(last, month_end(month))))
            first = month_end(month) + 1
    if window.end is not None:
        month = month_of(last)
        if last != month_end(month):
            if month >= first:
                spans.append(RollupSpan(Rollup.Level.DAY.value, month, last))
            last = month - 1
    if first <= last or not spans:
        spans.append(RollupSpan(Rollup.Level.MONTH.value, first, last))
    return spans


def _journal_calls(project_ids: Sequence[int], window: Window) -> tuple[IntMatrix, Entries]:
    """Return the calls in the journal that lie in the window, with their criteria."""
    first, last = window.days
    content = journal.read_entries(
        JournalEntry.objects.filter(project__in=project_ids, first_day__lte=last, last_day__gte=first)
    )
    days = content.calls[:, COLUMN_INDEX["day"]]
    return select_calls(content.calls, content.entries, (days >= first) & (days <= last))
