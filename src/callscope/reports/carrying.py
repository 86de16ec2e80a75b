"""Calls that carry a criterion, or on which it came to something, told by looking into their packs."""

from collections.abc import Sequence

import numpy as np

from callscope.reports import statements, store
from callscope.reports.drilldown import Behind
from callscope.reports.models import CriterionSeen
from callscope.reports.packing import CRITICAL_ERROR, ENTRY, EVALUATED, NOT_APPLICABLE, unpack
from callscope.reports.sums import TABLES
from callscope.reports.window import Window

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

    def among(self, ids: Sequence[int]) -> set[int]:
        """Return those of these calls that it counts."""
        if not ids or not self.wanted:
            return set()
        places = ", ".join(["%s"] * len(ids))
        statement = f"SELECT call_id, pack FROM reports_callfact WHERE call_id IN ({places})"  # noqa: S608
        found = statements.rows(statement, ids)
        calls = np.repeat([row[0] for row in found], [len(row[1]) // ENTRY.itemsize for row in found])
        entries = unpack(b"".join(bytes(row[1]) for row in found))
        counted = np.isin(entries["criterion"], self.wanted)
        if self.found:
            counted &= (entries["flags"] & FLAGS[self.found]) != 0
        return set(calls[counted].tolist())
