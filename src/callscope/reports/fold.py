"""Move the journal into the rollups.

Workers call fold_once() all the time. What a report says is the same before and
after: the rollups gain what the journal loses, in one transaction.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable

from django.db import IntegrityError, transaction

from callscope.reports import journal, premises, store
from callscope.reports.counting import days_of
from callscope.reports.encoding import decode
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.rollups import Bucket, rollup_of
from callscope.reports.sums import Sums, total
from callscope.reports.window import month_of

ENTRIES_AT_ONCE = 2000  # journal entries; one is a single change or a batch of an import
CALLS_AT_ONCE = 50_000  # about 20 MB

logger = logging.getLogger(__name__)


def fold_once() -> int:
    """Fold what the journal holds now, up to a limit; return the number of entries that went.

    0 when there is nothing to do, or when another process is at it. Call it outside transactions.
    """
    if not JournalEntry.objects.exists():
        return 0
    with store.lock(wait=False) as held:
        if not held:
            return 0
        try:
            premises.remember()
            premises.ensure()
            with transaction.atomic():
                return _fold(_oldest())
        except IntegrityError as error:  # a project was deleted meanwhile, and its journal with it
            logger.info("The journal is folded later: %s", error)
            return 0


def fold_all() -> int:
    """Fold until the journal is empty, or another process folds; return the number of entries that went."""
    folded = 0
    while went := fold_once():
        folded += went
    return folded


def _oldest() -> list[int]:
    """Return the ids of the entries to fold now: at least one, no more calls than memory should hold."""
    chosen: list[int] = []
    calls = 0
    for pk, rows in JournalEntry.objects.order_by("pk").values_list("pk", "rows")[:ENTRIES_AT_ONCE]:
        calls += rows
        if chosen and calls > CALLS_AT_ONCE:
            break
        chosen.append(pk)
    return chosen


def _fold(chosen: list[int]) -> int:
    ids, heads, entries = journal.read(JournalEntry.objects.filter(pk__in=chosen))
    changes: dict[Bucket, list[Sums]] = defaultdict(list)
    for project, day, sums in days_of(heads, entries):
        changes[project, Rollup.Level.DAY, day].append(sums)
        changes[project, Rollup.Level.MONTH, month_of(day)].append(sums)
    add_to_rollups(changes)
    JournalEntry.objects.filter(pk__in=ids).delete()
    return len(ids)


def add_to_rollups(changes: dict[Bucket, list[Sums]]) -> None:
    """Add sums to the rollups of their days and months; the caller holds the store's lock."""
    stored = {(r.project_id, r.level, r.first_day): r for r in _stored(changes)}
    written, emptied = [], []
    for bucket, sums in sorted(changes.items()):
        former = stored.get(bucket)
        parts = [decode(bytes(former.figures)), decode(bytes(former.listing))] if former else []
        rollup = rollup_of(bucket, total([*parts, *sums]))
        if rollup is not None:
            written.append(rollup)
        elif former is not None:
            emptied.append(former.pk)
    Rollup.objects.filter(pk__in=emptied).delete()
    Rollup.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["project", "level", "first_day"],
        update_fields=["calls", "stamp", "figures", "listing"],
        batch_size=200,
    )


def _stored(buckets: Iterable[Bucket]) -> Iterable[Rollup]:
    days: dict[tuple[int, int], list[int]] = defaultdict(list)
    for project, level, first_day in buckets:
        days[project, level].append(first_day)
    for (project, level), first_days in days.items():
        yield from Rollup.objects.filter(project=project, level=level, first_day__in=first_days)
