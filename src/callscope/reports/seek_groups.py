"""Groups of calls that follow each other in the call list; one statement reads a page of one.

A group is known by how many calls of each project it has and by a condition. The
statement merges the projects, each read in the order of an index and only as far as needed.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from callscope.reports import call_rows, drilldown, statements
from callscope.reports.call_filters import CallFilters
from callscope.reports.call_rows import Row
from callscope.reports.drilldown import Behind
from callscope.reports.window import Window, midnight_us, server_zone

NEAR = 1000  # calls before a page that are cheaper to read than to count by groups
PROJECTS_AT_ONCE = 100  # merged by one statement; SQLite allows 500


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a WHERE, which may be empty, with its parameters."""

    sql: str = ""
    parameters: tuple[Any, ...] = ()

    def __add__(self, other: "Condition") -> "Condition":
        return Condition(self.sql + other.sql, self.parameters + other.parameters)


class Group:
    """Calls that follow each other in the list, by `column` and then by the higher id."""

    def __init__(
        self,
        calls: Mapping[int, int],
        where: Condition,
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


Parts = Callable[[], Iterator[Group]]


def take(groups: Iterator[Group], start: int, size: int) -> list[Row]:
    found: list[Row] = []
    for group in groups:
        if start >= group.count:
            start -= group.count
            continue
        wanted = size - len(found)
        if group.parts is not None and start + wanted > NEAR:
            found += take(group.parts(), start, wanted)
        else:
            found += group.rows(start, wanted)
        start = 0
        if len(found) >= size:
            break
    return found


def unordered(is_few: bool) -> str:
    """Return what before a column keeps both databases from using an index for it."""
    return "+" if is_few else ""


def between(window: Window) -> Condition:
    """Narrow to the window by moment, so that one index serves both window and order."""
    condition = Condition()
    if window.start is not None:
        at = midnight_us(window.start.toordinal(), server_zone())
        condition += Condition(" AND at_us >= %s", (at,))
    if window.end is not None and window.end < dt.date.max:
        at = midnight_us(window.end.toordinal() + 1, server_zone())
        condition += Condition(" AND at_us < %s", (at,))
    return condition


def part_of(window: Window, first: int, last: int) -> Window:
    start, end = window.days
    return Window(dt.date.fromordinal(max(first, start)), dt.date.fromordinal(min(last, end)))


def matching(filters: CallFilters, *, is_few: bool) -> Condition:
    """Return the filters as a condition on one call."""
    wanted = Condition()
    if filters.agent is not None:
        wanted += Condition(f" AND {unordered(not is_few)}agent_id = %s", (filters.agent,))
    if filters.without_agent:
        wanted += Condition(f" AND {unordered(not is_few)}agent_id IS NULL")
    if filters.sentiment is not None:
        wanted += Condition(" AND sentiment = %s", (filters.sentiment,))
    if filters.direction is not None:
        wanted += Condition(" AND direction = %s", (filters.direction,))
    if filters.critical:
        wanted += Condition(" AND critical")
    return wanted


def on_days(window: Window, *, is_few: bool) -> Condition:
    """Narrow to the window by day, by the index where the calls are few."""
    first, last = window.days
    day = f"{unordered(not is_few)}day"
    condition = Condition()
    if window.start is not None:
        condition += Condition(f" AND {day} >= %s", (first,))
    if window.end is not None:
        condition += Condition(f" AND {day} <= %s", (last,))
    return condition


def behind_condition(figure: Behind, project_ids: Sequence[int]) -> Condition:
    """Return Behind.narrow() as a condition on one call of these projects."""
    wanted = Condition()
    if figure.goal is not None:
        wanted += Condition(" AND goal_reached" if figure.goal else " AND NOT goal_reached")
    if figure.scored:
        wanted += Condition(" AND max_points IS NOT NULL")
    if figure.timed:
        wanted += Condition(" AND hour IS NOT NULL")
    if figure.shift:
        wanted += _in_shift(drilldown.hours_of(project_ids, figure.shift))
    if figure.topic:
        wanted += _one_of("topic_id", drilldown.topic_ids(project_ids, figure.topic))
    return wanted


def _in_shift(hours: Mapping[int, Sequence[int]]) -> Condition:
    """Name the hours of each project; those that share them are named together."""
    projects: dict[tuple[int, ...], list[int]] = {}
    for project, of_project in hours.items():
        projects.setdefault(tuple(of_project), []).append(project)
    if len(projects) == 1:
        return _one_of("hour", next(iter(projects)))
    either = [(_one_of("project_id", some) + _one_of("hour", shared)) for shared, some in projects.items()]
    sql = " OR ".join(f"({each.sql.removeprefix(' AND ')})" for each in either)
    return Condition(f" AND ({sql or '1 = 0'})", tuple(p for each in either for p in each.parameters))


def _one_of(column: str, values: Sequence[int]) -> Condition:
    if not values:
        return Condition(" AND 1 = 0")
    return Condition(f" AND {column} IN ({', '.join(['%s'] * len(values))})", tuple(values))
