"""Find a page of the call list without walking past all the calls before it.

The list is cut into groups that follow each other: months and then days, agents,
numbers of mistakes. The tally says how many calls each group has, so the page's
groups are known before a single call is read. Within a group each project gives
its first calls by index, and they are merged here.
"""

import datetime as dt
import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Protocol

from django.db import models
from django.db.models import F, Q

from callscope.calls.models import Agent
from callscope.projects.models import Project
from callscope.reports import call_query, store
from callscope.reports.call_filters import CallFilters
from callscope.reports.models import CallFact
from callscope.reports.sums import NO_AGENT, NO_MISTAKES, Sums
from callscope.reports.tally import Tally, tally
from callscope.reports.window import Window, midnight_us, month_end, server_zone

NEAR = 1000  # calls before a page that are cheaper to read than to count by groups
FEW = 3000  # calls of a project in a window that are cheaper to sort than to find along another index
IDS_AT_ONCE = 5000  # parameters of one statement


class Found(Protocol):
    """The calls of a list, in its order."""

    def count(self) -> int: ...

    def ids(self, start: int, size: int) -> list[int]:
        """Return the ids of `size` calls after the first `start`."""


def found(projects: Sequence[Project], window: Window, filters: CallFilters) -> Found:
    """Return the calls that the filters leave; use it inside one snapshot()."""
    if filters.search or not filters.behind.is_all:
        return _ByQuery(projects, window, filters)
    return _ByTally(projects, window, filters)


class _ByQuery:
    """What no tally knows: search, and the calls behind a figure."""

    def __init__(self, projects: Sequence[Project], window: Window, filters: CallFilters) -> None:
        self.facts = call_query.chosen(projects, window, filters)
        self.filters = filters

    def count(self) -> int:
        return self.facts.count()

    def ids(self, start: int, size: int) -> list[int]:
        ordered = call_query.ordered(self.facts, self.filters)
        return list(ordered.values_list("pk", flat=True)[start : start + size])


class _ByTally:
    """Everything else: the counts of all groups are known."""

    def __init__(self, projects: Sequence[Project], window: Window, filters: CallFilters) -> None:
        self.project_ids = [project.pk for project in projects]
        self.window = window
        self.filters = filters
        self.tally = tally(self.project_ids, window, filters)

    def count(self) -> int:
        return self.tally.count

    def ids(self, start: int, size: int) -> list[int]:
        return _take(self._groups(), start, size)

    def _groups(self) -> "Iterator[_Group]":
        match self.filters.order_field:
            case "call_datetime":
                yield self._span(self.window, self.tally, self._months)
            case "score_percentage":
                scored = self.tally.by("is_scored")
                yield self._group(Q(score_bp__isnull=False), scored.get(1, {}), "score_bp")
                yield self._group(Q(score_bp__isnull=True), scored.get(0, {}))
            case "mistake_count":
                by_mistakes = self.tally.by("mistakes")
                without = by_mistakes.pop(NO_MISTAKES, {})
                for mistakes in sorted(by_mistakes, reverse=self.filters.descending):
                    yield self._group(Q(mistakes=mistakes), by_mistakes[mistakes])
                yield self._group(Q(mistakes=None), without)
            case _:
                yield from self._agents()

    def _agents(self) -> "Iterator[_Group]":
        """Yield a group for each name; agents of the same name share one."""
        by_agent = self.tally.by("agent")
        without = by_agent.pop(NO_AGENT, {})
        namesakes: dict[str, list[int]] = {}
        for agent, name in _names(list(by_agent)).items():
            namesakes.setdefault(name, []).append(agent)
        for name in sorted(namesakes, reverse=self.filters.descending):
            agents = namesakes[name]
            yield self._group(Q(agent_id__in=agents), _added(by_agent[agent] for agent in agents))
        yield self._group(Q(agent_id=None), without)

    def _months(self) -> "Iterator[_Group]":
        return self._spans(self.window, by_day=False)

    def _spans(self, window: Window, *, by_day: bool) -> "Iterator[_Group]":
        """Yield the months or days of the window that have calls, in the order of the list."""
        parts: dict[int, list[Sums]] = {}
        for first, sums in store.listings(self.project_ids, window, by_day=by_day):
            parts.setdefault(first, []).append(sums)
        for first in sorted(parts, reverse=self.filters.descending):
            span = _part_of(window, first, first if by_day else month_end(first))
            counted = Tally(parts[first], self.filters)
            yield self._span(span, counted, None if by_day else partial(self._spans, span, by_day=True))

    def _span(
        self, window: Window, counted: Tally, parts: "Callable[[], Iterator[_Group]] | None"
    ) -> "_Group":
        group = self._group(_between(window), counted.by_project(), "at_us", is_window=True)
        group.parts = parts
        return group

    def _group(
        self, condition: Q, calls: Mapping[int, int], column: str = "", *, is_window: bool = False
    ) -> "_Group":
        facts = call_query.matching(CallFact.objects.filter(condition), self.filters)

        def of_project(project: int) -> "models.QuerySet[CallFact]":
            mine = facts.filter(project=project)
            return mine if is_window else _on_days(mine, self.window, is_few=calls[project] <= FEW)

        return _Group(calls, of_project, column, descending=self.filters.descending)


class _Group:
    """Calls that follow each other in the list, by `column` and then by the higher id."""

    def __init__(
        self,
        calls: Mapping[int, int],
        of_project: "Callable[[int], models.QuerySet[CallFact]]",
        column: str,
        *,
        descending: bool,
    ) -> None:
        self.calls = {project: count for project, count in calls.items() if count}
        self.count = sum(self.calls.values())
        self.of_project = of_project
        self.column = column
        self.sign = -1 if descending else 1
        self.parts: Callable[[], Iterator[_Group]] | None = None  # the same calls in smaller groups

    def ids(self, start: int, size: int) -> list[int]:
        """Return the ids of `size` calls after the first `start` of this group."""
        merged = heapq.merge(*(self._first(project, start + size) for project in self.calls))
        return [-minus_id for _, minus_id in islice(merged, start, start + size)]

    def _first(self, project: int, size: int) -> list[tuple[int, int]]:
        """Return sort keys of the first calls of one project, in order."""
        facts = self.of_project(project)
        if not self.column:
            return [(0, -pk) for pk in facts.order_by("-pk").values_list("pk", flat=True)[:size]]
        order = self.column if self.sign > 0 else f"-{self.column}"
        rows = facts.order_by(order, "-pk").values_list(self.column, "pk")[:size]
        return [(self.sign * value, -pk) for value, pk in rows]


def _take(groups: Iterator[_Group], start: int, size: int) -> list[int]:
    found: list[int] = []
    for group in groups:
        if start >= group.count:
            start -= group.count
            continue
        wanted = size - len(found)
        if group.parts is not None and start + wanted > NEAR:
            found += _take(group.parts(), start, wanted)
        else:
            found += group.ids(start, wanted)
        start = 0
        if len(found) >= size:
            break
    return found


def _names(agents: list[int]) -> dict[int, str]:
    names = dict.fromkeys(agents, "")
    for start in range(0, len(agents), IDS_AT_ONCE):
        some = Agent.objects.filter(pk__in=agents[start : start + IDS_AT_ONCE])
        names.update(some.values_list("pk", "name_key"))
    return names


def _added(parts: Iterable[Mapping[int, int]]) -> dict[int, int]:
    added: dict[int, int] = {}
    for calls in parts:
        for project, count in calls.items():
            added[project] = added.get(project, 0) + count
    return added


def _part_of(window: Window, first: int, last: int) -> Window:
    start, end = window.days
    return Window(dt.date.fromordinal(max(first, start)), dt.date.fromordinal(min(last, end)))


def _between(window: Window) -> Q:
    """Narrow to the window by moment, so that one index serves both window and order."""
    condition = Q()
    if window.start is not None:
        condition &= Q(at_us__gte=midnight_us(window.start.toordinal(), server_zone()))
    if window.end is not None and window.end < dt.date.max:
        condition &= Q(at_us__lt=midnight_us(window.end.toordinal() + 1, server_zone()))
    return condition


def _on_days(
    facts: "models.QuerySet[CallFact]", window: Window, *, is_few: bool
) -> "models.QuerySet[CallFact]":
    """Narrow to the window by day.

    Few calls are found by day and sorted. Many are found in order: the sum with 0
    keeps the databases from preferring the index by day.
    """
    first, last = window.days
    facts = facts if is_few else facts.alias(any_day=F("day") + 0)
    column = "day" if is_few else "any_day"
    if window.start is not None:
        facts = facts.filter(**{f"{column}__gte": first})
    if window.end is not None:
        facts = facts.filter(**{f"{column}__lte": last})
    return facts
