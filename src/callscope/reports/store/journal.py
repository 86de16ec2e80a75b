"""The journal: what changed since the rollups were last brought up to date.

A change is written as the calls it takes away (sign -1) and those it adds (+1),
in the transaction that makes it. Readers add the journal to the rollups;
compaction.py moves it there.
"""

from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np
from django.db import models

from callscope.db import bulk_insert
from callscope.reports.models import JournalEntry
from callscope.reports.store.aggregate import CALL_COLUMNS, call_matrix, criterion_entries
from callscope.reports.store.aggregates import IntMatrix
from callscope.reports.store.fact_row import FactRow
from callscope.reports.store.packing import Entries, unpack_entries

# What the tables over criteria are counted by, besides the criteria themselves.
COUNTS_CRITERIA = ("project_id", "day", "agent_id", "pack")


class Change(NamedTuple):
    """A call as it was (sign -1) or as it is (+1)."""

    sign: int
    fact: FactRow


def append(before: Mapping[int, FactRow], after: Mapping[int, FactRow]) -> None:
    """Write what leads from the former facts of some calls, by id, to the present ones."""
    changes: list[Change] = []
    for call_id in sorted(before.keys() | after.keys()):
        changes += _changes_of(before.get(call_id), after.get(call_id))
    changes.sort(key=lambda change: change.fact.project_id)
    for project_id, group in groupby(changes, key=lambda change: change.fact.project_id):
        signs, facts = zip(*group, strict=True)
        days = [fact.day for fact in facts]
        columns = {
            "project_id": project_id,
            "first_day": min(days),
            "last_day": max(days),
            "calls": sum(signs),
            "rows": len(facts),
            "heads": call_matrix(facts, signs=signs).astype("<i8").tobytes(),
            "entries": criterion_entries(facts).tobytes(),
        }
        # As PostgreSQL copies it: within a statement, a thousand calls of an import are a megabyte of digits.
        bulk_insert.insert_columns(JournalEntry, 1, columns)


def _changes_of(old: FactRow | None, new: FactRow | None) -> list[Change]:
    if old is not None and new is not None:
        if old.counted == new.counted:
            return []
        if all(getattr(old, name) == getattr(new, name) for name in COUNTS_CRITERIA):
            # The criteria would cancel out, and they are most of the bytes of a change.
            old, new = old._replace(pack=b""), new._replace(pack=b"")
    return [Change(sign, fact) for sign, fact in ((-1, old), (1, new)) if fact is not None]


class JournalContent(NamedTuple):
    """Several journal entries together."""

    ids: list[int]
    calls: IntMatrix  # rows of aggregate.CALL_COLUMNS
    entries: Entries  # the criteria of the calls, in their order


def read_entries(entries: "models.QuerySet[JournalEntry]", *, at_once: int | None = None) -> JournalContent:
    """Return the ids of these journal entries, and their calls with their criteria.

    `at_once`: so many entries are held besides what is returned. By default all, in the fewest round trips.
    """
    rows = entries.values_list("pk", "heads", "entries")
    ids, numbers, packs = [], bytearray(), bytearray()
    for pk, heads, packed in rows.iterator(chunk_size=at_once) if at_once else rows:
        ids.append(pk)
        numbers += heads
        packs += packed
    calls = np.frombuffer(numbers, "<i8").reshape(-1, len(CALL_COLUMNS))
    return JournalContent(ids, calls.astype(np.int64, copy=False), unpack_entries(packs))
