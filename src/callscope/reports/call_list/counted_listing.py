"""A list of calls that the sums can count: its pages are known before a single call is read.

Each order has ranges of its own: months, percents of the score, numbers of mistakes, agents.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from django.db import connection

from callscope.db import raw_sql
from callscope.reports.call_list.call_rows import CallRow
from callscope.reports.call_list.conditions import Condition, Where, no_index, to_where
from callscope.reports.call_list.counts import PERCENT, CallCounts, CallsByProject, add_up
from callscope.reports.call_list.filters import TALK_ORDERINGS, Order
from callscope.reports.call_list.page_ranges import (
    CallRange,
    SubRanges,
    days_condition,
    moments_condition,
    read_page,
    split_by_date,
)
from callscope.reports.store import reader
from callscope.reports.store.aggregates import NO_AGENT, NO_MISTAKES
from callscope.reports.window import ALL_TIME, Window

PAGE_ESTIMATE = 25  # calls, roughly what is wanted
READ_COST = 16  # of a call itself, against one that is passed in an index
IDS_AT_ONCE = 5000  # parameters of one statement
FIRST_NAMES = 20  # of agents; a page seldom needs more


class CountedListing:
    """The calls that meet the conditions, all of which the sums keep; `state` is the store's."""

    def __init__(
        self,
        project_ids: Sequence[int],
        window: Window,
        conditions: tuple[Condition, ...],
        order: Order,
        state: reader.StoreFingerprint,
    ) -> None:
        self.project_ids = project_ids
        self.window = window
        self.conditions = conditions
        self.of_agent = tuple(each for each in conditions if each.column == "agent_id")
        self.order = order
        self.state = state
        self.counts = CallCounts(project_ids, window, conditions, state)

    def count(self) -> int:
        return self.counts.count

    def rows(self, start: int, size: int) -> list[CallRow]:
        match self.order.field:
            case "call_datetime":
                ranges = self._ranges_by_date()
            case "score_percentage":
                ranges = self._ranges_by_score()
            case "mistake_count":
                ranges = self._ranges_by_mistakes()
            case "agent__name":
                ranges = self._ranges_by_agent()
            case talk:
                ranges = self._ranges_by_talk(TALK_ORDERINGS[talk])
        return read_page(ranges, start, size)

    def _ranges_by_date(self) -> Iterator[CallRange]:
        def count_spans(window: Window, by_day: bool) -> Mapping[int, CallsByProject]:
            counts = CallCounts(self.project_ids, window, self.conditions, self.state)
            return counts.by_span(by_day=by_day)

        months = partial(
            split_by_date,
            self.window,
            count_spans,
            self._date_range,
            descending=self.order.descending,
        )
        yield self._date_range(self.window, self.counts.by_project(), months)

    def _date_range(self, window: Window, calls: CallsByProject, sub_ranges: SubRanges | None) -> CallRange:
        sorts = bool(self.of_agent) and self._is_sorting_cheaper(calls, self.window)
        where = moments_condition(window) + to_where(self.conditions, by_agent=sorts)
        return CallRange(calls, where, f"{no_index(sorts)}at_us", self.order.descending, sub_ranges)

    def _ranges_by_score(self) -> Iterator[CallRange]:
        scored = self.counts.by("is_scored")
        of_scored = self._range(Where(" AND score_bp IS NOT NULL"), scored.get(1, {}), "score_bp")
        # Percents are counted for all calls alike, so that a filtered list is read as one range.
        of_scored.sub_ranges = None if self.conditions else self._ranges_by_percent
        yield of_scored
        yield self._range(Where(" AND score_bp IS NULL"), scored.get(0, {}))

    def _ranges_by_percent(self) -> Iterator[CallRange]:
        by_percent = self.counts.by(PERCENT)
        for percent in sorted(by_percent, reverse=self.order.descending):
            bounds = Where(" AND score_bp >= %s AND score_bp < %s", (percent * 100, percent * 100 + 100))
            yield self._range(bounds, by_percent[percent], "score_bp")

    def _ranges_by_mistakes(self) -> Iterator[CallRange]:
        by_mistakes = self.counts.by("mistakes")
        for mistakes in sorted(by_mistakes.keys() - {NO_MISTAKES}, reverse=self.order.descending):
            yield self._range(Where(" AND mistakes = %s", (mistakes,)), by_mistakes[mistakes])
        yield self._range(Where(" AND mistakes IS NULL"), by_mistakes.get(NO_MISTAKES, {}))

    def _ranges_by_agent(self) -> Iterator[CallRange]:
        """Yield a range for each name; agents of the same name share one."""
        by_agent = self.counts.by("agent")
        agents = [agent for agent in by_agent if agent != NO_AGENT]
        for namesakes in group_by_name(agents, descending=self.order.descending):
            where = Where(f" AND agent_id IN ({', '.join(['%s'] * len(namesakes))})", tuple(namesakes))
            yield self._range(where, add_up({0: by_agent[agent]} for agent in namesakes).get(0, {}))
        yield self._range(Where(" AND agent_id IS NULL"), by_agent.get(NO_AGENT, {}))

    def _ranges_by_talk(self, column: str) -> Iterator[CallRange]:
        """Yield the calls of which a talk measure is known, counted in its index, and then all others."""
        places = ", ".join(["%s"] * len(self.project_ids))
        where = days_condition(self.window, by_index=False) + to_where(self.conditions, by_agent=False)
        statement = (
            "SELECT project_id, COUNT(*) FROM reports_callfact"  # noqa: S608 - our own words
            f" WHERE project_id IN ({places}) AND {column} IS NOT NULL{where.sql} GROUP BY project_id"
        )
        parameters = (*self.project_ids, *where.parameters)
        known: dict[int, int] = dict(raw_sql.fetch_rows(statement, parameters)) if self.project_ids else {}
        others = {
            project: calls - known.get(project, 0) for project, calls in self.counts.by_project().items()
        }
        yield self._range(Where(f" AND {column} IS NOT NULL"), known, column)
        yield self._range(Where(f" AND {column} IS NULL"), others)

    def _range(self, where: Where, calls: CallsByProject, column: str = "") -> CallRange:
        """Return the calls of the list that `where` chooses as well, sorted by `column` if there is one."""
        is_windowed = self.window.start is not None or self.window.end is not None
        is_narrowed = bool(self.of_agent or is_windowed)
        sorts = is_narrowed and self._is_sorting_cheaper(calls, ALL_TIME)
        where += days_condition(self.window, by_index=sorts)
        where += to_where(self.conditions, by_agent=sorts or not column)
        place = f"{no_index(sorts)}{column}" if column else ""
        # Where no order decides, the database chooses between the indexes of the range and of agent or days.
        keeps_plan = bool(column) or not is_narrowed
        return CallRange(calls, where, place, self.order.descending, keeps_plan=keeps_plan)

    def _is_sorting_cheaper(self, calls: CallsByProject, passed: Window) -> bool:
        """True if reading all calls of the agent or window costs less than passing others to a page's calls.

        The former are read themselves and then sorted, the latter only passed in the index of the order.
        """
        matching = sum(calls.values())
        read = self._count(calls, ALL_TIME if self.of_agent else self.window, self.of_agent)
        return read * matching * READ_COST <= self._count(calls, passed, ()) * PAGE_ESTIMATE

    def _count(self, projects: Iterable[int], window: Window, conditions: tuple[Condition, ...]) -> int:
        state = self.state if window == self.window else reader.read_fingerprint(self.project_ids, window)
        by_project = CallCounts(self.project_ids, window, conditions, state).by_project()
        return sum(by_project.get(project, 0) for project in projects)


def group_by_name(agents: list[int], *, descending: bool) -> Iterator[list[int]]:
    """Yield the agents of each name in the order of the names; the first few names are read alone."""
    if len(agents) > IDS_AT_ONCE:
        names: list[tuple[str, int]] = []
        for start in range(0, len(agents), IDS_AT_ONCE):
            names += _read_names(agents[start : start + IDS_AT_ONCE], descending=descending)
        yield from _namesakes(sorted(names, key=itemgetter(0), reverse=descending))
        return
    first = _read_names(agents, descending=descending, most=FIRST_NAMES)
    if len(first) < FIRST_NAMES:
        yield from _namesakes(first)
        return
    # More agents may have the last of these names.
    *whole, _ = _namesakes(first)
    yield from whole
    seen = sum(map(len, whole))
    yield from _namesakes(_read_names(agents, descending=descending)[seen:])


def _read_names(agents: list[int], *, descending: bool, most: int = IDS_AT_ONCE) -> list[tuple[str, int]]:
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
    return [(name, agent) for name, agent in raw_sql.fetch_rows(statement, (*agents, most))]


def _namesakes(names: Iterable[tuple[str, int]]) -> Iterator[list[int]]:
    for _, same in groupby(names, key=itemgetter(0)):
        yield [agent for _, agent in same]
