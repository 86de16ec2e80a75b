"""Ranges of calls that follow each other in the call list; one statement reads a page of one.

A range is known by how many calls of each project it has and by a condition. The
statement merges the projects, each read in the order of an index and only as far as needed.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connection

from callscope.db import raw_sql
from callscope.reports.call_list import call_rows
from callscope.reports.call_list.call_rows import CallRow
from callscope.reports.call_list.conditions import Where, no_index
from callscope.reports.window import Window, midnight_us, month_end, server_zone

NEAR_CALLS = 1000  # calls before a page that are cheaper to read than to count by ranges
PROJECTS_AT_ONCE = 100  # merged by one statement; SQLite allows 500

SubRanges = Callable[[], "Iterator[CallRange]"]
CountSpans = Callable[[Window, bool], Mapping[int, Mapping[int, int]]]  # (window, by day) → first day → …


@dataclass(slots=True)
class CallRange:
    """Calls that follow each other in the list, by `column` and then by the higher id."""

    calls: Mapping[int, int]  # by project
    where: Where
    column: str  # "" where the higher id alone decides
    descending: bool
    sub_ranges: SubRanges | None = None  # the same calls in smaller ranges
    keeps_plan: bool = True  # the best plan is the same whether the condition leaves few calls or many

    @property
    def count(self) -> int:
        return sum(self.calls.values())

    def rows(self, start: int, size: int) -> list[CallRow]:
        """Return `size` calls after the first `start` of this range."""
        projects = [project for project, count in self.calls.items() if count]
        size = min(size, self.count - start)
        if len(projects) <= PROJECTS_AT_ONCE:
            after = self.count - start - size
            # A page near the end is read from there, so that no page is further than half the range.
            is_nearer = after < start
            placed = self._read(projects, min(start, after), size, from_end=is_nearer)
            start = 0
        else:
            placed = []
            for first in range(0, len(projects), PROJECTS_AT_ONCE):
                placed += self._read(projects[first : first + PROJECTS_AT_ONCE], 0, start + size)
        sign = -1 if self.descending else 1
        placed.sort(key=lambda row: (sign * row[-1], -row[0]))
        return [CallRow._make(row[:-1]) for row in placed[start : start + size]]

    def _read(
        self, projects: Sequence[int], start: int, size: int, *, from_end: bool = False
    ) -> list[tuple[Any, ...]]:
        """Return the values of CallRow and then that of `column` for each of these calls, in no order.

        SQLite and PostgreSQL both merge the branches as they go, and read on only as far as they must.
        """
        if not projects:
            return []
        place = f"{self.column or '0'} AS place"
        branch = f"SELECT {place}, call_id FROM reports_callfact WHERE project_id = %s{self.where.sql}"  # noqa: S608 - our own words
        by_place = f"place {'DESC' if self.descending != from_end else 'ASC'}, " if self.column else ""
        by_id = f"call_id {'ASC' if from_end else 'DESC'}"
        order = f"ORDER BY {by_place}{by_id}"
        if connection.vendor == "postgresql" and len(projects) > 1:  # else it may sort whole branches
            # Rounded up, and a number: the text is planned once for pages near each other, and the plan
            # of an index is chosen because it is seen how little is wanted.
            branch = f"({branch} {order} LIMIT {1 << (start + size).bit_length()})"
        parameters: list[Any] = []
        for project in projects:
            parameters += (project, *self.where.parameters)
        merged = f"{' UNION ALL '.join([branch] * len(projects))} {order} LIMIT {size} OFFSET %s"
        statement = (
            f"SELECT {call_rows.COLUMNS}, p.place FROM ({merged}) AS p"  # noqa: S608 - our own words
            f" JOIN reports_callfact f ON f.call_id = p.call_id {call_rows.JOINS}"
        )
        fetch = raw_sql.fetch_prepared if self.keeps_plan else raw_sql.fetch_rows
        return fetch(statement, (*parameters, start))


def read_page(ranges: Iterable[CallRange], start: int, size: int) -> list[CallRow]:
    """Return `size` calls after the first `start` of all these ranges, which follow each other."""
    page: list[CallRow] = []
    for calls in ranges:
        if start >= calls.count:
            start -= calls.count
            continue
        missing = size - len(page)
        if calls.sub_ranges is not None and start + missing > NEAR_CALLS:
            page += read_page(calls.sub_ranges(), start, missing)
        else:
            page += calls.rows(start, missing)
        start = 0
        if len(page) >= size:
            break
    return page


def split_by_date(
    window: Window,
    count_spans: CountSpans,
    make_range: Callable[[Window, Mapping[int, int], SubRanges | None], CallRange],
    *,
    descending: bool,
    by_day: bool = False,
) -> Iterator[CallRange]:
    """Yield the months of the window that have calls, in the order of the list, each split into its days."""
    counts = count_spans(window, by_day)
    for first in sorted(counts, reverse=descending):
        span = intersect(window, first, first if by_day else month_end(first))
        days = partial(split_by_date, span, count_spans, make_range, descending=descending, by_day=True)
        yield make_range(span, counts[first], None if by_day else days)


def intersect(window: Window, first: int, last: int) -> Window:
    """Return the days of the window that lie between two days, both included."""
    start, end = window.days
    return Window(dt.date.fromordinal(max(first, start)), dt.date.fromordinal(min(last, end)))


def moments_condition(window: Window) -> Where:
    """Narrow to the window by moment, so that one index serves both window and order."""
    where = Where()
    if window.start is not None:
        where += Where(" AND at_us >= %s", (midnight_us(window.start.toordinal(), server_zone()),))
    if window.end is not None and window.end < dt.date.max:
        where += Where(" AND at_us < %s", (midnight_us(window.end.toordinal() + 1, server_zone()),))
    return where


def days_condition(window: Window, *, by_index: bool) -> Where:
    """Narrow to the window by day; by the index of days where it finds few calls."""
    first, last = window.days
    day = f"{no_index(not by_index)}day"
    where = Where()
    if window.start is not None:
        where += Where(f" AND {day} >= %s", (first,))
    if window.end is not None:
        where += Where(f" AND {day} <= %s", (last,))
    return where
