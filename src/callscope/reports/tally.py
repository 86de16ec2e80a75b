"""How many calls match, by project, agent and mistakes, without looking at calls.

Counted from the rollups and the journal; search and the figures of the pages are
beyond it. Read inside a snapshot().
"""

from collections.abc import Sequence

import numpy as np

from callscope.reports import store
from callscope.reports.call_filters import CallFilters
from callscope.reports.sums import NO_AGENT, TABLES, IntMatrix, Sums, grouped
from callscope.reports.window import Window

LIST = TABLES["list"]
COLUMN = {name: LIST.column(name) for name in LIST.keys + LIST.counts}


class Tally:
    """The matching calls of some days, counted."""

    def __init__(self, parts: Sequence[Sums], filters: CallFilters) -> None:
        matching = [_matching(sums.table("list"), filters) for sums in parts]
        self.matrix = matching[0] if len(matching) == 1 else np.concatenate(matching)

    @property
    def count(self) -> int:
        return int(self.matrix[:, COLUMN["calls"]].sum())

    def by(self, key: str) -> dict[int, dict[int, int]]:
        """Return value of `key` → project → calls."""
        found: dict[int, dict[int, int]] = {}
        for value, project, calls in self._grouped(key, "project"):
            found.setdefault(value, {})[project] = calls
        return found

    def by_project(self) -> dict[int, int]:
        """Return project → calls, without projects that have none."""
        return {row[0]: row[1] for row in self._grouped("project")}

    def _grouped(self, *keys: str) -> list[list[int]]:
        columns = [COLUMN[key] for key in (*keys, "calls")]
        return grouped(self.matrix[:, columns], len(keys)).tolist()


def tally(project_ids: Sequence[int], window: Window, filters: CallFilters) -> Tally:
    """Count the calls of these projects that match in the window."""
    return Tally([store.sums(project_ids, window, store.LISTING)], filters)


def _matching(matrix: IntMatrix, filters: CallFilters) -> IntMatrix:
    chosen = np.ones(len(matrix), bool)
    if filters.agent is not None:
        chosen &= matrix[:, COLUMN["agent"]] == filters.agent
    if filters.without_agent:
        chosen &= matrix[:, COLUMN["agent"]] == NO_AGENT
    if filters.sentiment is not None:
        chosen &= matrix[:, COLUMN["sentiment"]] == filters.sentiment
    if filters.direction is not None:
        chosen &= matrix[:, COLUMN["direction"]] == filters.direction
    if filters.critical:
        chosen &= matrix[:, COLUMN["critical"]] == 1
    found: IntMatrix = matrix[chosen]
    return found
