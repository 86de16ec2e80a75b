"""The journal: what changed since the rollups were last brought up to date.

A change is written as the calls it takes away (sign -1) and those it adds (+1),
in the transaction that makes it. Readers add the journal to the rollups; fold.py
moves it there.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from django.db import models

from callscope.reports.counting import COLUMN, FACT_FIELDS, HEAD, FactRow, entries_of, heads_of
from callscope.reports.models import JournalEntry
from callscope.reports.packing import Entries, unpack
from callscope.reports.sums import IntMatrix

PROJECT, DAY, PACK = (FACT_FIELDS.index(name) for name in ("project_id", "day", "pack"))


def append(before: Mapping[int, FactRow], after: Mapping[int, FactRow]) -> None:
    """Write what leads from the former facts of some calls, by id, to the present ones."""
    changes: list[tuple[int, FactRow]] = []
    for call_id in sorted(before.keys() | after.keys()):
        changes += _change(before.get(call_id), after.get(call_id))
    changes.sort(key=lambda change: change[1][PROJECT])
    for project_id, group in groupby(changes, key=lambda change: change[1][PROJECT]):
        _write(project_id, list(group))


def _change(old: FactRow | None, new: FactRow | None) -> list[tuple[int, FactRow]]:
    if old == new:
        return []
    if (
        old is not None
        and new is not None
        and (old[PROJECT], old[DAY], old[PACK]) == (new[PROJECT], new[DAY], new[PACK])
    ):
        old, new = (*old[:-1], b""), (*new[:-1], b"")  # the criteria would cancel out
    return [(sign, row) for sign, row in ((-1, old), (1, new)) if row is not None]


def _write(project_id: int, changes: Sequence[tuple[int, FactRow]]) -> None:
    rows = [row for _, row in changes]
    heads = heads_of(rows)
    heads[:, COLUMN["sign"]] = [sign for sign, _ in changes]
    days = [row[DAY] for row in rows]
    JournalEntry.objects.create(
        project_id=project_id,
        first_day=min(days),
        last_day=max(days),
        calls=sum(sign for sign, _ in changes),
        rows=len(changes),
        heads=heads.astype("<i8").tobytes(),
        entries=entries_of(rows).tobytes(),
    )


def read(entries: "models.QuerySet[JournalEntry]") -> tuple[list[int], IntMatrix, Entries]:
    """Return the ids of these journal entries, and their calls with their criteria."""
    found = list(entries.values_list("pk", "heads", "entries"))
    heads = np.frombuffer(b"".join(row[1] for row in found), "<i8").reshape(-1, len(HEAD)).astype(np.int64)
    return [row[0] for row in found], heads, unpack(b"".join(row[2] for row in found))
