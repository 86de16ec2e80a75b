"""Find a page of the call list without walking past all the calls before it.

1. open_listing() chooses how the calls of a list can be found: along another list
   (FilteredListing), by a search, by what was said (SpokenListing), by counts of the sums
   (CountedListing), or by counts of the days of a figure (DrilldownListing).
2. The listing counts its calls, which says how many pages there are.
3. Its calls fall into ranges that follow each other: months and then days, percents of the
   score, agents, numbers of mistakes. The counts say how many calls each range has, so the
   ranges of a page are known before a single call is read.
4. read_page() passes over the ranges before the page and splits one that is long.
5. Within a range one statement merges the projects, each read in the order of an index and
   only as far as the page needs (CallRange.rows()).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from typing import Protocol

from django.db import models

from callscope.db import raw_sql
from callscope.reports.call_list import queryset
from callscope.reports.call_list.call_rows import CallRow, read_rows
from callscope.reports.call_list.conditions import Condition, to_queries, to_where
from callscope.reports.call_list.counted_listing import CountedListing
from callscope.reports.call_list.criterion_filter import CriterionFilter
from callscope.reports.call_list.drilldown_counts import DrilldownCounts, is_countable
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.page_ranges import (
    CallRange,
    SubRanges,
    days_condition,
    moments_condition,
    read_page,
    split_by_date,
)
from callscope.reports.call_list.scan_counts import ScanCounts
from callscope.reports.call_list.spoken_listing import SpokenListing
from callscope.reports.models import CallFact
from callscope.reports.store import reader
from callscope.reports.window import Window

CALLS_AT_ONCE = 500  # calls of another list that are looked at together
MOST_WALKED = 5000  # calls of another list, before all that match are sorted instead


class Listing(Protocol):
    """The calls of a list, in its order."""

    def count(self) -> int: ...

    def rows(self, start: int, size: int) -> list[CallRow]:
        """Return `size` calls after the first `start`."""


def open_listing(
    project_ids: Sequence[int], window: Window, filters: CallFilters, state: reader.StoreFingerprint
) -> Listing:
    """Return the calls that the filters leave; `state` is the store's in the same snapshot()."""
    if filters.drilldown.judged_criterion:
        return _open_criterion(project_ids, window, filters, state)
    if filters.is_transcript_alone and filters.order.field == "call_datetime":
        return SpokenListing(project_ids, window, filters.transcript, descending=filters.order.descending)
    if filters.has_search:
        return SearchListing(project_ids, window, filters)
    conditions = (*filters.conditions(), *filters.drilldown.conditions(project_ids))
    counted = tuple(condition for condition in conditions if condition.is_counted)
    if counted == conditions:
        return CountedListing(project_ids, window, conditions, filters.order, state)
    by_date = DrilldownListing(project_ids, window, conditions, descending=filters.order.descending)
    if filters.order.field == "call_datetime":
        return by_date
    others = CountedListing(project_ids, window, counted, filters.order, state)
    uncounted = [condition for condition in conditions if not condition.is_counted]
    sort = partial(sort_calls, project_ids, window, filters)
    return FilteredListing(others, partial(select_ids, uncounted), by_date.count(), sort)


def _open_criterion(
    project_ids: Sequence[int], window: Window, filters: CallFilters, state: reader.StoreFingerprint
) -> Listing:
    """Return the calls with a criterion, met along the list of those that the other filters leave."""
    criterion = CriterionFilter(project_ids, filters.drilldown)
    others = replace(filters, drilldown=filters.drilldown.without_criterion)
    is_alone = others.drilldown.is_all and not others.has_search and not others.conditions()
    if is_alone and criterion.is_counted:
        total = criterion.count(window)
    else:
        # A search or an agent leaves few calls, which an index finds; else one pass over the table is faster.
        is_by_index = others.has_search or others.agent is not None
        select = queryset.select_calls if is_by_index else queryset.scan_calls
        total = criterion.count_among(select(project_ids, window, others))
    return FilteredListing(open_listing(project_ids, window, others, state), criterion.select_ids, total)


def select_ids(conditions: Sequence[Condition], ids: Sequence[int]) -> set[int]:
    """Return those of these calls that meet the conditions."""
    facts = CallFact.objects.filter(pk__in=ids).filter(*to_queries(conditions))
    return set(facts.values_list("pk", flat=True))


def sort_calls(
    project_ids: Sequence[int], window: Window, filters: CallFilters, start: int, size: int
) -> list[CallRow]:
    """Return `size` calls after the first `start` of all that the filters leave, sorted by the database."""
    facts = queryset.filter_calls(project_ids, window, filters, matches=None)
    ids = queryset.order_calls(facts, filters.order).values_list("pk", flat=True)
    return read_rows(list(ids[start : start + size]))


class FilteredListing:
    """Some calls of another list, found by walking along it: `select` returns those of some ids.

    `sort` returns the calls of a page that the walk would reach late, if it ever does: few calls among very
    many, far pages, and calls that all lie at the end of the order. Without it the walk goes on.
    """

    def __init__(
        self,
        others: Listing,
        select: Callable[[Sequence[int]], set[int]],
        total: int,
        sort: Callable[[int, int], list[CallRow]] | None = None,
    ) -> None:
        self.others = others
        self.select = select
        self.total = total
        self.sort = sort

    def count(self) -> int:
        return self.total

    def rows(self, start: int, size: int) -> list[CallRow]:
        size = max(0, min(size, self.total - start))
        if not size:
            return []
        calls = self.others.count()
        if self.sort is None:
            return list(islice(self._walk(calls), start, start + size))
        # Calls that match are expected to be spread evenly; where they are not, the walk ends early.
        if (start + size) * calls <= self.total * MOST_WALKED:
            page = list(islice(self._walk(min(calls, MOST_WALKED)), start, start + size))
            if len(page) == size:
                return page
        return self.sort(start, size)

    def _walk(self, calls: int) -> Iterator[CallRow]:
        """Yield those of the first calls of the other list that are selected."""
        for first in range(0, calls, CALLS_AT_ONCE):
            rows = self.others.rows(first, CALLS_AT_ONCE)
            selected = self.select([row.id for row in rows])
            yield from (row for row in rows if row.id in selected)


class ListingWithTail:
    """The calls of another list, then these calls."""

    def __init__(self, others: Listing, tail: Sequence[int]) -> None:
        self.others = others
        self.tail = tail

    def count(self) -> int:
        return self.others.count() + len(self.tail)

    def rows(self, start: int, size: int) -> list[CallRow]:
        count = self.others.count()
        first = self.others.rows(start, min(size, count - start)) if start < count else []
        return first + read_rows(self.tail[max(0, start - count) : max(0, start + size - count)])


class DrilldownListing:
    """A list by time, of calls that are counted by day before they are read."""

    def __init__(
        self,
        project_ids: Sequence[int],
        window: Window,
        conditions: tuple[Condition, ...],
        *,
        descending: bool,
    ) -> None:
        self.counts: DrilldownCounts | ScanCounts
        if is_countable(conditions):
            self.counts = DrilldownCounts(project_ids, conditions)
        else:
            self.counts = ScanCounts(project_ids, window, conditions)
        self.window = window
        self.where = to_where(conditions, by_agent=False)
        self.descending = descending

    def count(self) -> int:
        return sum(self._by_project.values())

    def rows(self, start: int, size: int) -> list[CallRow]:
        months = partial(
            split_by_date,
            self.window,
            lambda window, by_day: self.counts.by_span(window, by_day=by_day),
            self._make_range,
            descending=self.descending,
        )
        return read_page([self._make_range(self.window, self._by_project, months)], start, size)

    @cached_property
    def _by_project(self) -> Mapping[int, int]:
        return self.counts.by_project(self.window)

    def _make_range(
        self, window: Window, calls: Mapping[int, int], sub_ranges: SubRanges | None
    ) -> CallRange:
        where = moments_condition(window) + self.where
        return CallRange(calls, where, "at_us", self.descending, sub_ranges, keeps_plan=False)


class SearchListing:
    """The calls that a search or words of the transcript find, of which there are no counts."""

    def __init__(self, project_ids: Sequence[int], window: Window, filters: CallFilters) -> None:
        self.filters = filters
        self.matches = queryset.find_matches(filters)
        self.facts = queryset.filter_calls(project_ids, window, filters, self.matches)
        self.ids: list[int] | None = None  # all of them, where the search has named them
        if isinstance(self.matches, list):
            if filters.drilldown.is_all and filters.order.field in queryset.ORDER_COLUMNS:
                self.ids = sort_matches(self.matches, project_ids, window, filters)
            else:
                self.ids = list(self.ordered)

    @property
    def ordered(self) -> "models.QuerySet[CallFact, int]":
        return queryset.order_calls(self.facts, self.filters.order).values_list("pk", flat=True)

    def count(self) -> int:
        return self.facts.count() if self.ids is None else len(self.ids)

    def rows(self, start: int, size: int) -> list[CallRow]:
        ids = self.ordered if self.ids is None else self.ids
        return read_rows(list(ids[start : start + size]))


def sort_matches(
    matches: Sequence[int], project_ids: Sequence[int], window: Window, filters: CallFilters
) -> list[int]:
    """Return those of the matches that lie in scope, in the order of the list, an order by a column."""
    if not matches or not project_ids:
        return []
    ids, projects = (", ".join(["%s"] * len(named)) for named in (matches, project_ids))
    column = queryset.ORDER_COLUMNS[filters.order.field]
    direction = "DESC" if filters.order.descending else "ASC"
    where = days_condition(window, by_index=False) + to_where(filters.conditions(), by_agent=False)
    statement = (
        f"SELECT call_id FROM reports_callfact WHERE call_id IN ({ids})"  # noqa: S608 - our own words
        f" AND +project_id IN ({projects}){where.sql}"
        f" ORDER BY {column} IS NULL, {column} {direction}, call_id DESC"
    )
    return [row[0] for row in raw_sql.fetch_rows(statement, (*matches, *project_ids, *where.parameters))]
