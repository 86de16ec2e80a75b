"""Verify that the store equals its facts.

A change that bypasses facts.refresh() leaves rollups that no reader questions:
find_discrepancies() detects it, rebuild_rollups() repairs it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from callscope.db.snapshot import snapshot
from callscope.reports.models import JournalEntry, Rollup
from callscope.reports.store import journal, version
from callscope.reports.store.aggregates import Aggregates, merge
from callscope.reports.store.rebuild import recount_rollups, resolve_project_ids
from callscope.reports.store.rollups import RollupKey, changes_by_rollup, decode_rollup


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A day or month whose stored aggregates are not those of its facts."""

    project_id: int
    level: str  # "day" or "month"
    first_day: int
    stored_calls: int
    counted_calls: int


def find_discrepancies(project_ids: Iterable[int] | None = None) -> list[Discrepancy]:
    """Return where stored rollups and journal together differ from the facts; empty when all is well.

    None means all call projects. Every fact is read.
    """
    version.ensure_current()
    discrepancies = []
    for project_id in resolve_project_ids(project_ids):
        with snapshot():
            counted = dict(recount_rollups(project_id))
            stored = _stored_aggregates(project_id)
        for key in sorted(counted.keys() | stored.keys()):
            ours, theirs = stored.get(key, Aggregates()), counted.get(key, Aggregates())
            if ours != theirs:
                level = Rollup.Level(key.level).name.lower()
                discrepancies.append(Discrepancy(project_id, level, key.first_day, ours.calls, theirs.calls))
    return discrepancies


def _stored_aggregates(project_id: int) -> dict[RollupKey, Aggregates]:
    """Return what the rollups hold once the journal is added to them."""
    parts: dict[RollupKey, list[Aggregates]] = defaultdict(list)
    for rollup in Rollup.objects.filter(project=project_id).iterator(chunk_size=100):
        parts[RollupKey(project_id, rollup.level, rollup.first_day)] += decode_rollup(rollup)
    content = journal.read_entries(JournalEntry.objects.filter(project=project_id))
    for key, changes in changes_by_rollup(content.calls, content.entries):
        parts[key].append(changes)
    return {key: merge(aggregates) for key, aggregates in parts.items()}
