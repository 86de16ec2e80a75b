"""Rebuild the rollups from the facts, call by call."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from django.db import connection, transaction

from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.reports.models import CallFact, JournalEntry, Rollup
from callscope.reports.store.aggregate import aggregate_by_day, call_matrix, criterion_entries
from callscope.reports.store.aggregates import Aggregates, merge
from callscope.reports.store.fact_row import FactRow
from callscope.reports.store.rollups import RollupKey, build_rollup, write_lock
from callscope.reports.window import month_of

FACTS_AT_ONCE = 20_000  # about 20 MB
ROLLUPS_AT_ONCE = 200  # written by one statement


def rebuild_rollups(project_ids: Iterable[int] | None = None) -> int:
    """Replace the rollups of these projects, or of all, by what their facts add up to; return the calls.

    Call it outside transactions. Writers go on. For each project:

    1. Begin a transaction that reads facts and journal as of one moment.
    2. Delete its journal and its rollups.
    3. Aggregate its facts by day, and the days by month.
    4. Write these as its rollups. What changes meanwhile is in the journal, and stays there.
    """
    calls = 0
    with write_lock(wait=True):
        for project_id in resolve_project_ids(project_ids):
            is_outermost = not connection.in_atomic_block
            with transaction.atomic():
                if is_outermost and connection.vendor == "postgresql":
                    with connection.cursor() as cursor:
                        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                JournalEntry.objects.filter(project=project_id).delete()
                Rollup.objects.filter(project=project_id).delete()
                rollups = (build_rollup(*counted) for counted in recount_rollups(project_id))
                for chunk in chunked(filter(None, rollups), ROLLUPS_AT_ONCE):
                    Rollup.objects.bulk_create(chunk)
                    calls += sum(rollup.calls for rollup in chunk if rollup.level == Rollup.Level.DAY)
    return calls


def resolve_project_ids(project_ids: Iterable[int] | None) -> list[int]:
    """Return the ids, in order; None means all call projects."""
    if project_ids is not None:
        return sorted(set(project_ids))
    return list(Project.objects.call_projects().order_by("pk").values_list("pk", flat=True))


def recount_rollups(project_id: int) -> Iterator[tuple[RollupKey, Aggregates]]:
    """Yield every day, and each month after its days, with the aggregates of their facts."""
    for month, days in groupby(aggregate_days(project_id), key=lambda part: month_of(part[0])):
        of_month = []
        for day, parts in groupby(days, key=itemgetter(0)):
            of_day = merge(aggregates for _, aggregates in parts)
            of_month.append(of_day)
            yield RollupKey(project_id, Rollup.Level.DAY, day), of_day
        yield RollupKey(project_id, Rollup.Level.MONTH, month), merge(of_month)


def aggregate_days(project_id: int) -> Iterator[tuple[int, Aggregates]]:
    """Yield (day, aggregates) over a project's facts in ascending order; a day may come in several parts."""
    facts = CallFact.objects.filter(project=project_id).order_by("day").values_list(*FactRow._fields)
    for chunk in chunked(map(FactRow._make, facts.iterator(chunk_size=2000)), FACTS_AT_ONCE):
        for _, day, aggregates in aggregate_by_day(call_matrix(chunk), criterion_entries(chunk)):
            yield day, aggregates
