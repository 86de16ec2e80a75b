"""The calls behind a figure of the report, page by page.

Counted by the sums, or by looking at them once, a list by time goes from month to
day as any other list does. In other orders, and for a criterion, the calls are met along the list
of those that the other filters leave.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Protocol

from callscope.reports import call_rows
from callscope.reports.call_filters import CallFilters
from callscope.reports.call_rows import Row
from callscope.reports.figure_tally import FigureTally, countable, figure_tally
from callscope.reports.models import CallFact
from callscope.reports.scanned_tally import ScannedTally
from callscope.reports.seek_groups import (
    Condition,
    Group,
    Parts,
    behind_condition,
    between,
    matching,
    part_of,
    take,
)
from callscope.reports.window import Window, month_end

MET_AT_ONCE = 500  # calls that are looked at together


class Found(Protocol):
    """The calls of a list, in its order."""

    def count(self) -> int: ...

    def rows(self, start: int, size: int) -> list[Row]:
        """Return `size` calls after the first `start`."""


class Met:
    """Some calls of another list, met along it: `among` tells which of some ids they are."""

    def __init__(self, beside: Found, among: Callable[[Sequence[int]], set[int]], total: int) -> None:
        self.beside = beside
        self.among = among
        self.total = total

    def count(self) -> int:
        return self.total

    def rows(self, start: int, size: int) -> list[Row]:
        wanted = max(0, min(size, self.total - start))
        return list(islice(self._each(), start, start + wanted))

    def _each(self) -> Iterator[Row]:
        for first in range(0, self.beside.count(), MET_AT_ONCE):
            rows = self.beside.rows(first, MET_AT_ONCE)
            wanted = self.among([row[call_rows.ID] for row in rows])
            yield from (row for row in rows if row[call_rows.ID] in wanted)


class ByFigure:
    """A list by time, of calls that are counted by day before they are read."""

    def __init__(self, project_ids: Sequence[int], window: Window, filters: CallFilters) -> None:
        self.tally: FigureTally | ScannedTally
        if countable(filters):
            self.tally = figure_tally(project_ids, filters)
        else:
            self.tally = ScannedTally(project_ids, window, filters)
        self.window = window
        self.filters = filters

    def count(self) -> int:
        return sum(self._by_project.values())

    def rows(self, start: int, size: int) -> list[Row]:
        months = partial(self._spans, self.window, by_day=False)
        return take(iter([self._span(self.window, self._by_project, months)]), start, size)

    @cached_property
    def _by_project(self) -> Mapping[int, int]:
        return self.tally.by_project(self.window)

    @cached_property
    def _condition(self) -> Condition:
        return behind_condition(self.filters.behind, self.tally.project_ids)

    def _spans(self, window: Window, *, by_day: bool) -> Iterator[Group]:
        counted = self.tally.by_span(window, by_day=by_day)
        for first in sorted(counted, reverse=self.filters.descending):
            span = part_of(window, first, first if by_day else month_end(first))
            yield self._span(
                span, counted[first], None if by_day else partial(self._spans, span, by_day=True)
            )

    def _span(self, window: Window, calls: Mapping[int, int], parts: Parts | None) -> Group:
        where = between(window) + matching(self.filters, is_few=False) + self._condition
        return Group(calls, where, "at_us", descending=self.filters.descending, parts=parts)


def behind_figure(project_ids: Sequence[int], filters: CallFilters, ids: Sequence[int]) -> set[int]:
    """Return those of these calls that lie behind the figure."""
    facts = CallFact.objects.filter(pk__in=ids)
    return set(filters.behind.narrow(facts, project_ids).values_list("pk", flat=True))
