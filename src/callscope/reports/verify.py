"""Say where the store differs from its facts.

A change that bypasses facts.refresh() leaves rollups that nobody questions:
verify() finds it, rebuild() mends it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from callscope.reports import journal, premises
from callscope.reports.counting import days_of
from callscope.reports.encoding import decode
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.rebuild import call_projects, counted_buckets
from callscope.reports.rollups import Bucket
from callscope.reports.snapshot import snapshot
from callscope.reports.sums import Sums, total
from callscope.reports.window import month_of


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A day or month whose stored sums are not those of its facts."""

    project_id: int
    level: str  # "day" or "month"
    first_day: int
    stored_calls: int
    counted_calls: int


def verify(project_ids: Iterable[int] | None = None) -> list[Discrepancy]:
    """Return where stored sums and journal together differ from the facts; empty when all is well."""
    premises.ensure()
    return [found for project_id in call_projects(project_ids) for found in _verify(project_id)]


def _verify(project_id: int) -> list[Discrepancy]:
    with snapshot():
        counted_sums = dict(counted_buckets(project_id))
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
