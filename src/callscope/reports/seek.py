"""Find a page of the call list without walking past all the calls before it.

The list is cut into groups that follow each other: months and then days, percents
of the score, agents, numbers of mistakes. The tally says how many calls each group has, so the page's
groups are known before a single call is read. Within a group one statement merges
the projects, each read in the order of an index and only as far as the page needs.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Protocol

from django.db import connection, models

from callscope.reports import call_query, call_rows, search, statements, store
from callscope.reports.call_filters import CallFilters
from callscope.reports.call_rows import Row
from callscope.reports.carrying import Criterion
from callscope.reports.models import CallFact
from callscope.reports.sums import NO_AGENT, NO_MISTAKES
from callscope.reports.tally import PERCENT, tally
from callscope.reports.window import ALL_TIME, Window, midnight_us, month_end, server_zone

NEAR = 1000  # calls before a page that are cheaper to read than to count by groups
A_PAGE = 25  # calls, roughly what is wanted
READ_COST = 16  # of a call itself, against one that is met in an index
PROJECTS_AT_ONCE = 100  # merged by one statement; SQLite allows 500
IDS_AT_ONCE = 5000  # parameters of one statement
MET_AT_ONCE = 500  # calls whose criteria are looked at
FIRST_NAMES = 20  # of agents; a page seldom needs more


class Found(Protocol):
    """The calls of a list, in its order."""

    def count(self) -> int: ...

    def rows(self, start: int, size: int) -> list[Row]:
        """Return `size` calls after the first `start`."""


def found(project_ids: Sequence[int], window: Window, filters: CallFilters, state: store.State) -> Found:
    """Return the calls that the filters leave; `state` is the store's in the same snapshot()."""
    if filters.behind.criterion:
        beside = replace(filters, behind=filters.behind.beside_criterion)
        return _Carrying(project_ids, window, filters, found(project_ids, window, beside, state))
    if filters.search or not filters.behind.is_all:
        return _ByQuery(project_ids, window, filters)
    return _ByTally(project_ids, window, filters, state)


class _Carrying:
    """Calls that carry a criterion: met along the list of those that the other filters leave."""

    def __init__(
        self, project_ids: Sequence[int], window: Window, filters: CallFilters, beside: "Found"
    ) -> None:
        self.criterion = Criterion(project_ids, filters.behind)
        self.beside = beside
        self.window = window
        is_alone = filters.behind.beside_criterion.is_all and not filters.search and not filters.choose_calls
        self.total = self.criterion.count(window) if is_alone else sum(1 for _ in self._each(beside.count()))

    def count(self) -> int:
        return self.total

    def rows(self, start: int, size: int) -> list[Row]:
        wanted = max(0, min(size, self.total - start))
        return list(islice(self._each(self.beside.count()), start, start + wanted))

    def _each(self, most: int) -> Iterator[Row]:
        for first in range(0, most, MET_AT_ONCE):
            rows = self.beside.rows(first, MET_AT_ONCE)
            carrying = self.criterion.among([row[call_rows.ID] for row in rows])
            yield from (row for row in rows if row[call_rows.ID] in carrying)


class _ByQuery:
    """What no tally knows: search, and the calls behind a figure."""

    def __init__(self, project_ids: Sequence[int], window: Window, filters: CallFilters) -> None:
        self.scope = (project_ids, window, filters)
        self.matches = search.matching(filters.search) if filters.search else None
        self.few: list[int] | None = None  # all of them, where the search has named them
        if isinstance(self.matches, list):
            if filters.behind.is_all and filters.order_field in call_query.ORDER_COLUMNS:
                self.few = _in_order(self.matches, project_ids, window, filters)
            else:
                self.few = list(self.ordered)

    @cached_property
    def facts(self) -> "models.QuerySet[CallFact]":
        return call_query.narrowed(*self.scope, self.matches)

    @property
    def ordered(self) -> "models.QuerySet[CallFact, int]":
        return call_query.ordered(self.facts, self.scope[2]).values_list("pk", flat=True)

    def count(self) -> int:
        return self.facts.count() if self.few is None else len(self.few)

    def rows(self, start: int, size: int) -> list[Row]:
        found = self.ordered if self.few is None else self.few
        return call_rows.of_calls(list(found[start : start + size]))


def _in_order(
    matches: Sequence[int], project_ids: Sequence[int], window: Window, filters: CallFilters
) -> list[int]:
    """Return those of the matches that lie in scope, in the order of the list."""
    if not matches or not project_ids:
        return []
    named, projects = (", ".join(["%s"] * len(ids)) for ids in (matches, project_ids))
    column = call_query.ORDER_COLUMNS[filters.order_field]
    where = _on_days(window, is_few=False) + _matching(filters, is_few=False)
    statement = (
        f"SELECT call_id FROM reports_callfact WHERE call_id IN ({named})"  # noqa: S608 - our own words
        f" AND +project_id IN ({projects}){where.sql}"
        f" ORDER BY {column} IS NULL, {column} {'DESC' if filters.descending else 'ASC'}, call_id DESC"
    )
    return [row[0] for row in statements.rows(statement, (*matches, *project_ids, *where.parameters))]


@dataclass(frozen=True, slots=True)
class _Condition:
    """A part of a WHERE, which may be empty, with its parameters."""

    sql: str = ""
    parameters: tuple[Any, ...] = ()

    def __add__(self, other: "_Condition") -> "_Condition":
        return _Condition(self.sql + other.sql, self.parameters + other.parameters)


class _ByTally:
    """Everything else: the counts of all groups are known."""

    def __init__(
        self, project_ids: Sequence[int], window: Window, filters: CallFilters, state: store.State
    ) -> None:
        self.project_ids = project_ids
        self.window = window
        self.filters = filters
        self.state = state
        self.tally = tally(project_ids, window, filters, state)

    def count(self) -> int:
        return self.tally.count

    def rows(self, start: int, size: int) -> list[Row]:
        return _take(self._groups(), start, size)

    def _groups(self) -> "Iterator[_Group]":
        descending = self.filters.descending
        match self.filters.order_field:
            case "call_datetime":
                months = partial(self._spans, self.window, by_day=False)
                yield self._span(self.window, self.tally.by_project(), months)
            case "score_percentage":
                scored = self.tally.by("is_scored")
                yield self._scores(" AND score_bp IS NOT NULL", (), scored.get(1, {}), self._percents)
                yield self._group(_Condition(" AND score_bp IS NULL"), scored.get(0, {}))
            case "mistake_count":
                by_mistakes = self.tally.by("mistakes")
                for mistakes in sorted(by_mistakes.keys() - {NO_MISTAKES}, reverse=descending):
                    yield self._group(_Condition(" AND mistakes = %s", (mistakes,)), by_mistakes[mistakes])
                yield self._group(_Condition(" AND mistakes IS NULL"), by_mistakes.get(NO_MISTAKES, {}))
            case _:
                yield from self._agents()

    def _percents(self) -> "Iterator[_Group]":
        by_percent = self.tally.by(PERCENT)
        for percent in sorted(by_percent, reverse=self.filters.descending):
            bounds = (percent * 100, percent * 100 + 100)
            yield self._scores(" AND score_bp >= %s AND score_bp < %s", bounds, by_percent[percent], None)

    def _scores(
        self, sql: str, bounds: tuple[int, ...], calls: Mapping[int, int], parts: "Parts | None"
    ) -> "_Group":
        group = self._group(_Condition(sql, bounds), calls, "score_bp")
        group.parts = None if self.filters.choose_calls else parts
        return group

    def _agents(self) -> "Iterator[_Group]":
        """Yield a group for each name; agents of the same name share one."""
        by_agent = self.tally.by("agent")
        agents = [agent for agent in by_agent if agent != NO_AGENT]
        for same in _namesakes(agents, descending=self.filters.descending):
            condition = _Condition(f" AND agent_id IN ({', '.join(['%s'] * len(same))})", tuple(same))
            yield self._group(condition, _added(by_agent[agent] for agent in same))
        yield self._group(_Condition(" AND agent_id IS NULL"), by_agent.get(NO_AGENT, {}))

    def _spans(self, window: Window, *, by_day: bool) -> "Iterator[_Group]":
        """Yield the months or days of the window that have calls, in the order of the list."""
        counted = tally(self.project_ids, window, self.filters, self.state).by_span(by_day=by_day)
        for first in sorted(counted, reverse=self.filters.descending):
            span = _part_of(window, first, first if by_day else month_end(first))
            yield self._span(
                span, counted[first], None if by_day else partial(self._spans, span, by_day=True)
            )

    def _span(self, window: Window, calls: Mapping[int, int], parts: "Parts | None") -> "_Group":
        is_few = self._names_an_agent() and self._are_few(calls, self.window)
        where = _between(window) + _matching(self.filters, is_few=is_few)
        column = f"{_unordered(is_few)}at_us"
        return _Group(calls, where, column, descending=self.filters.descending, parts=parts)

    def _group(self, condition: _Condition, calls: Mapping[int, int], column: str = "") -> "_Group":
        is_windowed = self.window.start is not None or self.window.end is not None
        is_few = (self._names_an_agent() or is_windowed) and self._are_few(calls, ALL_TIME)
        where = (
            condition
            + _on_days(self.window, is_few=is_few)
            + _matching(self.filters, is_few=is_few or not column)
        )
        placed = f"{_unordered(is_few)}{column}" if column else ""
        return _Group(calls, where, placed, descending=self.filters.descending)

    def _names_an_agent(self) -> bool:
        return self.filters.agent is not None or self.filters.without_agent

    def _are_few(self, calls: Mapping[int, int], on_the_way: Window) -> bool:
        """Whether all calls of the agent, or of the window, cost less than meeting a page in order.

        These calls are read themselves, the others only in the index of the order.
        """
        matching = sum(calls.values())
        by_agent = CallFilters(agent=self.filters.agent, without_agent=self.filters.without_agent)
        read = self._calls_of(calls, ALL_TIME if self._names_an_agent() else self.window, by_agent)
        met = self._calls_of(calls, on_the_way, CallFilters()) * A_PAGE
        return read * matching * READ_COST <= met

    def _calls_of(self, projects: Iterable[int], window: Window, filters: CallFilters) -> int:
        state = self.state if window == self.window else store.state(self.project_ids, window)
        counted = tally(self.project_ids, window, filters, state).by_project()
        return sum(counted.get(project, 0) for project in projects)


def _matching(filters: CallFilters, *, is_few: bool) -> _Condition:
    """Return the filters as a condition on one call."""
    wanted = _Condition()
    if filters.agent is not None:
        wanted += _Condition(f" AND {_unordered(not is_few)}agent_id = %s", (filters.agent,))
    if filters.without_agent:
        wanted += _Condition(f" AND {_unordered(not is_few)}agent_id IS NULL")
    if filters.sentiment is not None:
        wanted += _Condition(" AND sentiment = %s", (filters.sentiment,))
    if filters.direction is not None:
        wanted += _Condition(" AND direction = %s", (filters.direction,))
    if filters.critical:
        wanted += _Condition(" AND critical")
    return wanted


def _unordered(is_few: bool) -> str:
    """Return what before a column keeps both databases from using an index for it."""
    return "+" if is_few else ""


class _Group:
    """Calls that follow each other in the list, by `column` and then by the higher id."""

    def __init__(
        self,
        calls: Mapping[int, int],
        where: _Condition,
        column: str,
        *,
        descending: bool,
        parts: "Parts | None" = None,
    ) -> None:
        self.projects = [project for project, count in calls.items() if count]
        self.count = sum(calls.values())
        self.where = where
        self.column = column
        self.descending = descending
        self.parts = parts  # the same calls in smaller groups

    def rows(self, start: int, size: int) -> list[Row]:
        """Return `size` calls after the first `start` of this group."""
        size = min(size, self.count - start)
        if len(self.projects) <= PROJECTS_AT_ONCE:
            after = self.count - start - size
            is_nearer = after < start  # to the end of the group
            placed = self._placed(self.projects, min(start, after), size, from_end=is_nearer)
            start = 0
        else:
            placed = []
            for first in range(0, len(self.projects), PROJECTS_AT_ONCE):
                placed += self._placed(self.projects[first : first + PROJECTS_AT_ONCE], 0, start + size)
        sign = -1 if self.descending else 1
        placed.sort(key=lambda row: (sign * row[-1], -row[call_rows.ID]))
        return [row[:-1] for row in placed[start : start + size]]

    def _placed(self, projects: Sequence[int], start: int, size: int, *, from_end: bool = False) -> list[Row]:
        """Return these calls with `column` behind each, in no order.

        SQLite and PostgreSQL both merge the branches as they go, and read on only as far as they must.
        """
        if not projects:
            return []
        place = f"{self.column or '0'} AS place"
        one = f"SELECT {place}, call_id FROM reports_callfact WHERE project_id = %s{self.where.sql}"  # noqa: S608 - our own words
        by_place = f"place {'DESC' if self.descending != from_end else 'ASC'}, " if self.column else ""
        by_id = f"call_id {'ASC' if from_end else 'DESC'}"
        order = f"ORDER BY {by_place}{by_id} LIMIT %s"
        of_branch: tuple[Any, ...] = ()
        if connection.vendor == "postgresql" and len(projects) > 1:  # else it may sort whole branches
            one, of_branch = f"({one} {order})", (start + size,)
        parameters: list[Any] = []
        for project in projects:
            parameters += (project, *self.where.parameters, *of_branch)
        merged = f"{' UNION ALL '.join([one] * len(projects))} {order} OFFSET %s"
        statement = (
            f"SELECT {call_rows.COLUMNS}, p.place FROM ({merged}) AS p"  # noqa: S608 - our own words
            f" JOIN reports_callfact f ON f.call_id = p.call_id {call_rows.JOINS}"
        )
        return statements.rows(statement, (*parameters, size, start))


Parts = Callable[[], Iterator[_Group]]


def _take(groups: Iterator[_Group], start: int, size: int) -> list[Row]:
    found: list[Row] = []
    for group in groups:
        if start >= group.count:
            start -= group.count
            continue
        wanted = size - len(found)
        if group.parts is not None and start + wanted > NEAR:
            found += _take(group.parts(), start, wanted)
        else:
            found += group.rows(start, wanted)
        start = 0
        if len(found) >= size:
            break
    return found


def _namesakes(agents: list[int], *, descending: bool) -> Iterator[list[int]]:
    """Yield the agents of each name in the order of the names; the first few names are read alone."""
    if len(agents) <= IDS_AT_ONCE:
        first = _named(agents, descending=descending, most=FIRST_NAMES)
        if len(first) < FIRST_NAMES:
            yield from _by_name(first)
            return
        # The last name of the portion may go on behind it.
        *whole, _ = _by_name(first)
        yield from whole
        seen = sum(map(len, whole))
        yield from _by_name(_named(agents, descending=descending)[seen:])
        return
    found: list[tuple[str, int]] = []
    for start in range(0, len(agents), IDS_AT_ONCE):
        found += _named(agents[start : start + IDS_AT_ONCE], descending=descending)
    yield from _by_name(sorted(found, key=lambda row: row[0], reverse=descending))


def _named(agents: list[int], *, descending: bool, most: int = IDS_AT_ONCE) -> list[tuple[str, int]]:
    """Return (name as it sorts, id) of these agents in the order of their names."""
    if not agents:
        return []
    key = 'name_key COLLATE "C"' if connection.vendor == "postgresql" else "name_key"
    order = "DESC" if descending else "ASC"
    places = ", ".join(["%s"] * len(agents))
    statement = (
        f"SELECT name_key, id FROM calls_agent WHERE id IN ({places})"  # noqa: S608 - our own words
        f" ORDER BY {key} {order}, id LIMIT %s"
    )
    return [(name, agent) for name, agent in statements.rows(statement, (*agents, most))]


def _by_name(rows: Iterable[tuple[str, int]]) -> Iterator[list[int]]:
    for _, same in groupby(rows, key=itemgetter(0)):
        yield [agent for _, agent in same]


def _added(parts: Iterable[Mapping[int, int]]) -> dict[int, int]:
    added: dict[int, int] = {}
    for calls in parts:
        for project, count in calls.items():
            added[project] = added.get(project, 0) + count
    return added


def _part_of(window: Window, first: int, last: int) -> Window:
    start, end = window.days
    return Window(dt.date.fromordinal(max(first, start)), dt.date.fromordinal(min(last, end)))


def _between(window: Window) -> _Condition:
    """Narrow to the window by moment, so that one index serves both window and order."""
    condition = _Condition()
    if window.start is not None:
        at = midnight_us(window.start.toordinal(), server_zone())
        condition += _Condition(" AND at_us >= %s", (at,))
    if window.end is not None and window.end < dt.date.max:
        at = midnight_us(window.end.toordinal() + 1, server_zone())
        condition += _Condition(" AND at_us < %s", (at,))
    return condition


def _on_days(window: Window, *, is_few: bool) -> _Condition:
    """Narrow to the window by day, by the index where the calls are few."""
    first, last = window.days
    day = f"{_unordered(not is_few)}day"
    condition = _Condition()
    if window.start is not None:
        condition += _Condition(f" AND {day} >= %s", (first,))
    if window.end is not None:
        condition += _Condition(f" AND {day} <= %s", (last,))
    return condition
