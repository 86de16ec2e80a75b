"""Find a page of the call list without walking past all the calls before it.

The list is cut into groups that follow each other: months and then days, percents
of the score, agents, numbers of mistakes. The tally says how many calls each group has, so the page's
groups are known before a single call is read. Within a group one statement merges
the projects, each read in the order of an index and only as far as the page needs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter

from django.db import connection, models

from callscope.reports import call_query, call_rows, search, statements, store
from callscope.reports.call_filters import CallFilters
from callscope.reports.call_rows import Row
from callscope.reports.carrying import Criterion
from callscope.reports.drilldown import Behind
from callscope.reports.models import CallFact
from callscope.reports.seek_figures import ByFigure, Found, Met, behind_figure
from callscope.reports.seek_groups import (
    Condition,
    Group,
    Parts,
    between,
    matching,
    on_days,
    part_of,
    take,
    unordered,
)
from callscope.reports.sums import NO_AGENT, NO_MISTAKES
from callscope.reports.tally import PERCENT, tally
from callscope.reports.window import ALL_TIME, Window, month_end

A_PAGE = 25  # calls, roughly what is wanted
READ_COST = 16  # of a call itself, against one that is met in an index
IDS_AT_ONCE = 5000  # parameters of one statement
FIRST_NAMES = 20  # of agents; a page seldom needs more


def found(project_ids: Sequence[int], window: Window, filters: CallFilters, state: store.State) -> Found:
    """Return the calls that the filters leave; `state` is the store's in the same snapshot()."""
    if filters.behind.criterion:
        beside = replace(filters, behind=filters.behind.beside_criterion)
        criterion = Criterion(project_ids, filters.behind)
        is_alone = beside.behind.is_all and not beside.search and not beside.choose_calls
        if is_alone:
            total = criterion.count(window)
        else:
            is_by_index = beside.search or beside.agent is not None
            reading = call_query.chosen if is_by_index else call_query.all_over
            total = criterion.count_among(reading(project_ids, window, beside))
        return Met(found(project_ids, window, beside, state), criterion.among, total)
    if filters.search:
        return _ByQuery(project_ids, window, filters)
    if filters.behind.is_all:
        return _ByTally(project_ids, window, filters, state)
    by_figure = ByFigure(project_ids, window, filters)
    if filters.order_field == "call_datetime":
        return by_figure
    others = _ByTally(project_ids, window, replace(filters, behind=Behind()), state)
    return Met(others, partial(behind_figure, project_ids, filters), by_figure.count())


class _ByQuery:
    """What no tally knows: a search."""

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
    where = on_days(window, is_few=False) + matching(filters, is_few=False)
    statement = (
        f"SELECT call_id FROM reports_callfact WHERE call_id IN ({named})"  # noqa: S608 - our own words
        f" AND +project_id IN ({projects}){where.sql}"
        f" ORDER BY {column} IS NULL, {column} {'DESC' if filters.descending else 'ASC'}, call_id DESC"
    )
    return [row[0] for row in statements.rows(statement, (*matches, *project_ids, *where.parameters))]


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
        return take(self._groups(), start, size)

    def _groups(self) -> "Iterator[Group]":
        descending = self.filters.descending
        match self.filters.order_field:
            case "call_datetime":
                months = partial(self._spans, self.window, by_day=False)
                yield self._span(self.window, self.tally.by_project(), months)
            case "score_percentage":
                scored = self.tally.by("is_scored")
                yield self._scores(" AND score_bp IS NOT NULL", (), scored.get(1, {}), self._percents)
                yield self._group(Condition(" AND score_bp IS NULL"), scored.get(0, {}))
            case "mistake_count":
                by_mistakes = self.tally.by("mistakes")
                for mistakes in sorted(by_mistakes.keys() - {NO_MISTAKES}, reverse=descending):
                    yield self._group(Condition(" AND mistakes = %s", (mistakes,)), by_mistakes[mistakes])
                yield self._group(Condition(" AND mistakes IS NULL"), by_mistakes.get(NO_MISTAKES, {}))
            case _:
                yield from self._agents()

    def _percents(self) -> "Iterator[Group]":
        by_percent = self.tally.by(PERCENT)
        for percent in sorted(by_percent, reverse=self.filters.descending):
            bounds = (percent * 100, percent * 100 + 100)
            yield self._scores(" AND score_bp >= %s AND score_bp < %s", bounds, by_percent[percent], None)

    def _scores(
        self, sql: str, bounds: tuple[int, ...], calls: Mapping[int, int], parts: "Parts | None"
    ) -> "Group":
        group = self._group(Condition(sql, bounds), calls, "score_bp")
        group.parts = None if self.filters.choose_calls else parts
        return group

    def _agents(self) -> "Iterator[Group]":
        """Yield a group for each name; agents of the same name share one."""
        by_agent = self.tally.by("agent")
        agents = [agent for agent in by_agent if agent != NO_AGENT]
        for same in _namesakes(agents, descending=self.filters.descending):
            condition = Condition(f" AND agent_id IN ({', '.join(['%s'] * len(same))})", tuple(same))
            yield self._group(condition, _added(by_agent[agent] for agent in same))
        yield self._group(Condition(" AND agent_id IS NULL"), by_agent.get(NO_AGENT, {}))

    def _spans(self, window: Window, *, by_day: bool) -> "Iterator[Group]":
        """Yield the months or days of the window that have calls, in the order of the list."""
        counted = tally(self.project_ids, window, self.filters, self.state).by_span(by_day=by_day)
        for first in sorted(counted, reverse=self.filters.descending):
            span = part_of(window, first, first if by_day else month_end(first))
            yield self._span(
                span, counted[first], None if by_day else partial(self._spans, span, by_day=True)
            )

    def _span(self, window: Window, calls: Mapping[int, int], parts: "Parts | None") -> "Group":
        is_few = self._names_an_agent() and self._are_few(calls, self.window)
        where = between(window) + matching(self.filters, is_few=is_few)
        column = f"{unordered(is_few)}at_us"
        return Group(calls, where, column, descending=self.filters.descending, parts=parts)

    def _group(self, condition: Condition, calls: Mapping[int, int], column: str = "") -> "Group":
        is_windowed = self.window.start is not None or self.window.end is not None
        is_few = (self._names_an_agent() or is_windowed) and self._are_few(calls, ALL_TIME)
        where = (
            condition
            + on_days(self.window, is_few=is_few)
            + matching(self.filters, is_few=is_few or not column)
        )
        placed = f"{unordered(is_few)}{column}" if column else ""
        return Group(calls, where, placed, descending=self.filters.descending)

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
