"""The calls with one criterion of the scorecard, or with one outcome of it.

The sums count the criterion alone; with other filters, or to list the calls, the packs
of facts are searched (see reports.store.packing).
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db import models

from callscope.db import raw_sql
from callscope.reports.call_list.drilldown import JUDGED, MET, NOT_MET, PARTLY, DrilldownFilter
from callscope.reports.models import CallFact, CriterionSeen
from callscope.reports.store import reader
from callscope.reports.store.aggregates import TABLES
from callscope.reports.store.packing import (
    CRITICAL_ERROR,
    ENTRY,
    EVALUATED,
    NOT_APPLICABLE,
    Entries,
    unpack_entries,
)
from callscope.reports.window import Window

PACKS_AT_ONCE = 5000
FLAGS = {"critical": CRITICAL_ERROR, "evaluated": EVALUATED, "not_applicable": NOT_APPLICABLE}
# Under which names the sums count the calls of each: the first less the others.
COUNT_COLUMNS = {
    "": ("calls",),
    JUDGED: ("calls", "not_applicable"),
    "critical": ("critical_errors",),
    "evaluated": ("evaluated",),
    "not_applicable": ("not_applicable",),
}

BoolColumn = np.ndarray[tuple[int], np.dtype[np.bool_]]


class CriterionFilter:
    """What a figure of the scorecard asks of a call."""

    def __init__(self, project_ids: Sequence[int], drilldown: DrilldownFilter) -> None:
        seen = CriterionSeen.objects.filter(project__in=project_ids, criterion_id=drilldown.criterion)
        self.project_ids = project_ids
        self.most_points = dict(seen.values_list("pk", "max_points"))
        self.criteria = sorted(self.most_points)
        self.outcome = drilldown.outcome

    def count(self, window: Window) -> int:
        """Return how many calls of the window it counts, from the sums; read inside a snapshot()."""
        table = reader.read_aggregates(self.project_ids, window, ("criteria",)).table("criteria")
        rows = table[np.isin(table[:, 0], self.criteria)]
        totals = [int(rows[:, TABLES["criteria"].column(name)].sum()) for name in COUNT_COLUMNS[self.outcome]]
        return totals[0] - sum(totals[1:])

    @property
    def is_counted(self) -> bool:
        """True if the sums know the outcome."""
        return self.outcome in COUNT_COLUMNS

    def count_among(self, facts: "models.QuerySet[CallFact]") -> int:
        """Return how many of these calls it counts, looking into the pack of each."""
        if not self.criteria:
            return 0
        packs = facts.order_by().values_list("pk", "pack").iterator(chunk_size=PACKS_AT_ONCE)
        counted = 0
        while chunk := list(islice(packs, PACKS_AT_ONCE)):
            counted += len(self._select(chunk))
        return counted

    def select_ids(self, ids: Sequence[int]) -> set[int]:
        """Return those of these calls that it counts."""
        if not ids or not self.criteria:
            return set()
        places = ", ".join(["%s"] * len(ids))
        statement = f"SELECT call_id, pack FROM reports_callfact WHERE call_id IN ({places})"  # noqa: S608
        return self._select(raw_sql.fetch_rows(statement, ids))

    def _select(self, packs: Sequence[tuple[int, Any]]) -> set[int]:
        """Return the calls with an entry of the criterion in their (call, pack)."""
        # All packs are searched as one array: a loop over calls takes many times as long.
        calls = np.repeat([call for call, _ in packs], [len(pack) // ENTRY.itemsize for _, pack in packs])
        entries = unpack_entries(b"".join(bytes(pack) for _, pack in packs))
        is_counted = np.isin(entries["criterion"], self.criteria)
        if self.outcome in FLAGS:
            is_counted &= (entries["flags"] & FLAGS[self.outcome]) != 0
        elif self.outcome == JUDGED:
            is_counted &= (entries["flags"] & NOT_APPLICABLE) == 0
        elif self.outcome:
            is_counted &= self._has_result(entries)
        return set(calls[is_counted].tolist())

    def _has_result(self, entries: Entries) -> BoolColumn:
        """Return which entries applied and earned all points, some or none, as the outcome asks."""
        at = np.minimum(np.searchsorted(self.criteria, entries["criterion"]), len(self.criteria) - 1)
        most = np.array([self.most_points[pk] for pk in self.criteria], np.int64)[at]
        points = entries["points"]
        has_result = {
            MET: points == most,
            PARTLY: (points > 0) & (points < most),
            NOT_MET: points == 0,
        }[self.outcome]
        is_meant: BoolColumn = has_result & ((entries["flags"] & NOT_APPLICABLE) == 0)
        return is_meant
