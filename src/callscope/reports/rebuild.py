"""Make the rollups anew from the facts."""

from collections.abc import Iterable, Iterator

from django.db import connection, transaction

from callscope.projects.models import Project
from callscope.reports import counted, store
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.rollups import Bucket, rollup_of
from callscope.reports.sums import Sums, total
from callscope.reports.window import month_of

WRITTEN_AT_ONCE = 200  # rollups


def rebuild(project_ids: Iterable[int] | None = None) -> int:
    """Replace the rollups of these projects, or of all, by what their facts add up to; return the calls.

    Call it outside transactions. Writers go on; what they change meanwhile stays in the journal.
    """
    calls = 0
    with store.lock(wait=True):
        for project_id in call_projects(project_ids):
            is_outermost = not connection.in_atomic_block
            with transaction.atomic():
                if is_outermost and connection.vendor == "postgresql":
                    with connection.cursor() as cursor:
                        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                calls += _rebuild(project_id)
    return calls


def call_projects(project_ids: Iterable[int] | None) -> list[int]:
    """Return the ids, in order; None means all call projects."""
    if project_ids is not None:
        return sorted(set(project_ids))
    return list(Project.objects.call_projects().order_by("pk").values_list("pk", flat=True))


def _rebuild(project_id: int) -> int:
    """Write the rollups of one project; facts and journal are read as of one moment."""
    JournalEntry.objects.filter(project=project_id).delete()
    Rollup.objects.filter(project=project_id).delete()
    rollups, calls = [], 0
    for bucket, sums in counted_buckets(project_id):
        rollup = rollup_of(bucket, sums)
        if rollup is not None:
            rollups.append(rollup)
            calls += rollup.calls if bucket[1] == Rollup.Level.DAY else 0
        if len(rollups) >= WRITTEN_AT_ONCE:
            Rollup.objects.bulk_create(rollups)
            rollups = []
    Rollup.objects.bulk_create(rollups)
    return calls


def counted_buckets(project_id: int) -> Iterator[tuple[Bucket, Sums]]:
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
