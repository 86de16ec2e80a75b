"""Calls that carry a criterion, or on which it came to something, told by looking into their packs."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db import models

from callscope.reports import statements, store
from callscope.reports.drilldown import Behind
from callscope.reports.models import CallFact, CriterionSeen
from callscope.reports.packing import CRITICAL_ERROR, ENTRY, EVALUATED, NOT_APPLICABLE, unpack
from callscope.reports.sums import TABLES
from callscope.reports.window import Window

PACKS_AT_ONCE = 5000
FLAGS = {"critical": CRITICAL_ERROR, "evaluated": EVALUATED, "not_applicable": NOT_APPLICABLE}
# Under which name the sums count the calls of each.
COUNTED = {
    "": "calls",
    "critical": "critical_errors",
    "evaluated": "evaluated",
    "not_applicable": "not_applicable",
}


class Criterion:
    """What a figure of the scorecard asks of a call."""

    def __init__(self, project_ids: Sequence[int], behind: Behind) -> None:
        seen = CriterionSeen.objects.filter(project__in=project_ids, criterion_id=behind.criterion)
        self.project_ids = project_ids
        self.wanted = list(seen.values_list("pk", flat=True))
        self.found = behind.found

    def count(self, window: Window) -> int:
        """Return how many calls of the window it counts, from the sums; read inside a snapshot()."""
        table = store.sums(self.project_ids, window, ("criteria",)).table("criteria")
        rows = table[np.isin(table[:, 0], self.wanted)]
        return int(rows[:, TABLES["criteria"].column(COUNTED[self.found])].sum())

    def count_among(self, facts: "models.QuerySet[CallFact]") -> int:
        """Return how many of these calls it counts, looking at each."""
        if not self.wanted:
            return 0
        packs = facts.order_by().values_list("pk", "pack").iterator(chunk_size=PACKS_AT_ONCE)
        counted = 0
        while some := list(islice(packs, PACKS_AT_ONCE)):
            counted += len(self._carrying(some))
        return counted

    def among(self, ids: Sequence[int]) -> set[int]:
        """Return those of these calls that it counts."""
        if not ids or not self.wanted:
            return set()
        places = ", ".join(["%s"] * len(ids))
        statement = f"SELECT call_id, pack FROM reports_callfact WHERE call_id IN ({places})"  # noqa: S608
        return self._carrying(statements.rows(statement, ids))

    def _carrying(self, found: Sequence[tuple[int, Any]]) -> set[int]:
        calls = np.repeat([row[0] for row in found], [len(row[1]) // ENTRY.itemsize for row in found])
        entries = unpack(b"".join(bytes(row[1]) for row in found))
        counted = np.isin(entries["criterion"], self.wanted)
        if self.found:
            counted &= (entries["flags"] & FLAGS[self.found]) != 0
        return set(calls[counted].tolist())
