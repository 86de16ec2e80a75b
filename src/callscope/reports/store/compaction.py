"""Compaction: move the journal into the rollups.

Workers call compact_once() all the time. What a report says is the same before and
after: the rollups gain what the journal loses, in one transaction.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable

from django.db import IntegrityError, transaction

from callscope.db.chunks import chunked
from callscope.processes import crash_points
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.store import journal, version
from callscope.reports.store.aggregates import Aggregates, merge
from callscope.reports.store.rollups import (
    RollupKey,
    build_rollup,
    changes_by_rollup,
    decode_rollup,
    write_lock,
)

ENTRIES_AT_ONCE = 2000  # journal entries; one is a single change or a batch of an import
CALLS_AT_ONCE = 20_000  # about 10 MB, and several times that while they are counted
# Besides those that are aggregated: one of an import holds 2,500 calls, a megabyte, twice that as PostgreSQL
# sends it.
ENTRIES_READ_AT_ONCE = 2
ROLLUPS_AT_ONCE = 5  # read and written together; one takes up to 100 kB, and several times that as SQL

logger = logging.getLogger(__name__)


def compact_once() -> int:
    """Move the oldest journal entries into the rollups; return how many entries were moved.

    Returns 0 when there is nothing to do, or when another process compacts. Call it
    outside transactions:

    1. Take the right to write rollups, without waiting for it.
    2. Rebuild the store if it was counted in another time zone or layout.
    3. Choose the oldest entries, as many as memory should hold.
    4. Aggregate their calls by day and month, and add these to the stored rollups.
    5. Delete the entries, in the transaction of step 4.
    """
    if not JournalEntry.objects.exists():
        return 0
    with write_lock(wait=False) as is_held:
        if not is_held:
            return 0
        try:
            version.record_version()
            version.ensure_current()
            with transaction.atomic():
                entries = JournalEntry.objects.filter(pk__in=_oldest_entries())
                content = journal.read_entries(entries, at_once=ENTRIES_READ_AT_ONCE)
                changes = changes_by_rollup(content.calls, content.entries)
                for some in chunked(changes, ROLLUPS_AT_ONCE):
                    _add_to_rollups(some)
                crash_points.reach_point("compaction")
                JournalEntry.objects.filter(pk__in=content.ids).delete()
                return len(content.ids)
        except IntegrityError as error:  # a project was deleted meanwhile, and its journal with it
            logger.info("The journal is compacted later: %s", error)
            return 0


def compact_all() -> int:
    """Compact until the journal is empty, or another process compacts; return how many entries were moved."""
    moved = 0
    while count := compact_once():
        moved += count
    return moved


def _oldest_entries() -> list[int]:
    """Return the ids of the entries to compact now: at least one, no more calls than CALLS_AT_ONCE."""
    chosen: list[int] = []
    calls = 0
    for pk, rows in JournalEntry.objects.order_by("pk").values_list("pk", "rows")[:ENTRIES_AT_ONCE]:
        calls += rows
        if chosen and calls > CALLS_AT_ONCE:
            break
        chosen.append(pk)
    return chosen


def _add_to_rollups(changes: list[tuple[RollupKey, Aggregates]]) -> None:
    """Add to the stored rollups what changes some of them, each named once."""
    stored = _read_rollups(key for key, _ in changes)
    written, emptied = [], []
    for key, aggregates in changes:
        former = stored.get(key)
        rollup = build_rollup(key, merge([*(decode_rollup(former) if former else []), aggregates]))
        if rollup is not None:
            written.append(rollup)
        elif former is not None:
            emptied.append(former.pk)
    Rollup.objects.filter(pk__in=emptied).delete()
    Rollup.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["project", "level", "first_day"],
        update_fields=["calls", "stamp", "figures", "listing", "maps"],
    )


def _read_rollups(keys: Iterable[RollupKey]) -> dict[RollupKey, Rollup]:
    """Return the stored ones of these rollups, by one query for each project and level."""
    first_days: dict[tuple[int, int], list[int]] = defaultdict(list)
    for key in keys:
        first_days[key.project_id, key.level].append(key.first_day)
    stored = {}
    for (project, level), days in first_days.items():
        for rollup in Rollup.objects.filter(project=project, level=level, first_day__in=days):
            stored[RollupKey(project, level, rollup.first_day)] = rollup
    return stored
