"""Make the rollups anew from the facts, or say where they differ.

A change that bypasses facts.refresh() leaves rollups that nobody questions:
verify() finds it, rebuild() mends it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db import connection, transaction

from callscope.projects.models import Project
from callscope.reports import counted, journal, premises, store
from callscope.reports.counting import days_of
from callscope.reports.encoding import decode
from callscope.reports.fold import Bucket, rollup_of
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.snapshot import snapshot
from callscope.reports.sums import Sums, total
from callscope.reports.window import month_of

WRITTEN_AT_ONCE = 200  # rollups


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A day or month whose stored sums are not those of its facts."""

    project_id: int
    level: str  # "day" or "month"
    first_day: int
    stored_calls: int
    counted_calls: int


def rebuild(project_ids: Iterable[int] | None = None) -> int:
    """Replace the rollups of these projects, or of all, by what their facts add up to; return the calls.

    Call it outside transactions. Writers go on; what they change meanwhile stays in the journal.
    """
    calls = 0
    with store.lock(wait=True):
        for project_id in _projects(project_ids):
            is_outermost = not connection.in_atomic_block
            with transaction.atomic():
                if is_outermost and connection.vendor == "postgresql":
                    with connection.cursor() as cursor:
                        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                calls += _rebuild(project_id)
    return calls


def _projects(project_ids: Iterable[int] | None) -> list[int]:
    if project_ids is not None:
        return sorted(set(project_ids))
    return list(Project.objects.call_projects().order_by("pk").values_list("pk", flat=True))


def _rebuild(project_id: int) -> int:
    """Write the rollups of one project; facts and journal are read as of one moment."""
    JournalEntry.objects.filter(project=project_id).delete()
    Rollup.objects.filter(project=project_id).delete()
    rollups, calls = [], 0
    for bucket, sums in _counted_buckets(project_id):
        rollup = rollup_of(bucket, sums)
        if rollup is not None:
            rollups.append(rollup)
            calls += rollup.calls if bucket[1] == Rollup.Level.DAY else 0
        if len(rollups) >= WRITTEN_AT_ONCE:
            Rollup.objects.bulk_create(rollups)
            rollups = []
    Rollup.objects.bulk_create(rollups)
    return calls


def _counted_buckets(project_id: int) -> Iterator[tuple[Bucket, Sums]]:
    """Yield every day, and each month after its days, with the sums of their facts."""
    month = 0
    days_of_month: list[Sums] = []
    for day, sums in _whole_days(project_id):
        if days_of_month and month_of(day) != month:
            yield (project_id, Rollup.Level.MONTH, month), total(days_of_month)
            days_of_month = []
        month = month_of(day)
        days_of_month.append(sums)
        yield (project_id, Rollup.Level.DAY, day), sums
    if days_of_month:
        yield (project_id, Rollup.Level.MONTH, month), total(days_of_month)


def _whole_days(project_id: int) -> Iterator[tuple[int, Sums]]:
    day = 0
    parts: list[Sums] = []
    for next_day, sums in counted.days(project_id):
        if parts and next_day != day:
            yield day, total(parts)
            parts = []
        day = next_day
        parts.append(sums)
    if parts:
        yield day, total(parts)


def verify(project_ids: Iterable[int] | None = None) -> list[Discrepancy]:
    """Return where stored sums and journal together differ from the facts; empty when all is well."""
    premises.ensure()
    return [found for project_id in _projects(project_ids) for found in _verify(project_id)]


def _verify(project_id: int) -> list[Discrepancy]:
    with snapshot():
        counted_sums = dict(_counted_buckets(project_id))
        stored = _stored_buckets(project_id)
    found = []
    for bucket in sorted(counted_sums.keys() | stored.keys()):
        ours, theirs = stored.get(bucket, Sums()), counted_sums.get(bucket, Sums())
        if ours != theirs:
            level = Rollup.Level(bucket[1]).name.lower()
            found.append(Discrepancy(project_id, level, bucket[2], _calls(ours), _calls(theirs)))
    return found


def _stored_buckets(project_id: int) -> dict[Bucket, Sums]:
    parts: dict[Bucket, list[Sums]] = defaultdict(list)
    for rollup in Rollup.objects.filter(project=project_id).iterator(chunk_size=100):
        bucket = (project_id, rollup.level, rollup.first_day)
        parts[bucket] += [decode(bytes(rollup.figures)), decode(bytes(rollup.listing))]
    _, heads, entries = journal.read(JournalEntry.objects.filter(project=project_id))
    for _, day, sums in days_of(heads, entries):
        parts[project_id, Rollup.Level.DAY, day].append(sums)
        parts[project_id, Rollup.Level.MONTH, month_of(day)].append(sums)
    return {bucket: total(sums) for bucket, sums in parts.items()}


def _calls(sums: Sums) -> int:
    return int(sums.table("list")[:, -1].sum())
