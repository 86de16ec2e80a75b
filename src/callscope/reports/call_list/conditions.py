"""What a filter asks of a call, as data, and its three readings: Django's, SQL text and numpy.

CallFilters and DrilldownFilter say what they ask as a list of conditions on columns of
CallFact. The queries and counts read that list and never the filters themselves, so that a
new filter is one more condition: lists follow it at once, and the sums say if they cannot.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import F, Q, QuerySet
from django.db.models.lookups import Exact

from callscope.analysis.models import ANY_FAILED, STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import Call
from callscope.reports.models import CallMark
from callscope.reports.store.aggregates import NO_AGENT, TABLES, IntMatrix
from callscope.reviews.models import Review

DAYS_PER_WEEK = 7
ProjectHours = tuple[tuple[int, tuple[int, ...]], ...]  # (project, its hours) by project

# The columns of CallFact that the sums of the call list keep, and their names there.
COUNTED_COLUMNS = {
    "agent_id": "agent",
    "sentiment": "sentiment",
    "direction": "direction",
    "critical": "critical",
}


# An index holds these rows alone. Spelled as its condition, which only then serves.
FAILED_CALLS = "SELECT call_id FROM analysis_callanalysis WHERE is_newest AND ({})".format(  # noqa: S608 - our own words
    " OR ".join(f"{column} = {AnalysisState.FAILED.value}" for column in STATE_FIELDS.values())
)


REVIEWED_CALLS = "SELECT call_id FROM reviews_review WHERE is_current AND NOT is_outdated"


class Operator(Enum):
    EQUALS = "equals"
    IS_NULL = "is null"
    NOT_NULL = "is not null"
    IN = "is one of"
    NOT_IN = "is none of"
    ON_WEEKDAY = "is a day that falls on this weekday, 0 for Monday"
    IN_HOURS_OF_PROJECT = "is one of the hours of the call's project"
    AT_LEAST = "is at least"
    AT_MOST = "is at most"
    IS_REVIEWED = "is a call whose review stands"
    NOT_REVIEWED = "is a call without a review that stands"
    HAS_FAILED = "is a call of whose newest file an analysis failed"
    HAS_TEXT = "is a call with a text in a column of its own"
    HAS_MARK = "is a call that carries a mark"


class TextSought(NamedTuple):
    """A text that a column of models.Call holds, exactly."""

    column: str
    text: str


class MarkSought(NamedTuple):
    """A mark that a call of these projects carries."""

    project_ids: tuple[int, ...]
    kind: int  # reports.store.marks.TRACKER or NOT_EVALUATED
    key: str


class Condition(NamedTuple):
    """One thing that a filter asks of a call; several of them hold together."""

    column: str  # of CallFact
    operator: Operator
    value: Any = None  # one value, a tuple, ProjectHours, TextSought or MarkSought

    @property
    def is_counted(self) -> bool:
        """True if the sums of the call list keep the column, so that they alone can count the calls."""
        return self.column in COUNTED_COLUMNS


@dataclass(frozen=True, slots=True)
class Where:
    """A part of a WHERE, which may be empty, with its parameters."""

    sql: str = ""
    parameters: tuple[Any, ...] = ()

    def __add__(self, other: "Where") -> "Where":
        return Where(self.sql + other.sql, self.parameters + other.parameters)


def to_queries(conditions: Iterable[Condition]) -> list[Q]:
    """Return each condition as an argument of CallFact.objects.filter()."""
    queries = []
    for column, operator, value in conditions:
        match operator:
            case Operator.EQUALS:
                queries.append(Q(**{column: value}))
            case Operator.IS_NULL:
                queries.append(Q(**{column: None}))
            case Operator.NOT_NULL:
                queries.append(Q(**{f"{column}__isnull": False}))
            case Operator.IN:
                queries.append(Q(**{f"{column}__in": value}))
            case Operator.NOT_IN:
                queries.append(~Q(**{f"{column}__in": value}))
            case Operator.ON_WEEKDAY:  # the first day of the calendar, 1, was a Monday
                queries.append(Q(Exact((F(column) - 1) % DAYS_PER_WEEK, value)))
            case Operator.IN_HOURS_OF_PROJECT:
                either = Q(pk__in=[])
                for project, hours in value:
                    either |= Q(project=project, **{f"{column}__in": hours})
                queries.append(either)
            case Operator.AT_LEAST:
                queries.append(Q(**{f"{column}__gte": value}))
            case Operator.AT_MOST:
                queries.append(Q(**{f"{column}__lte": value}))
            case Operator.HAS_MARK:
                marks = CallMark.objects.filter(project__in=value.project_ids, kind=value.kind, key=value.key)
                queries.append(Q(**{f"{column}__in": marks.values("call")}))
            case Operator.IS_REVIEWED:
                queries.append(Q(**{f"{column}__in": _find_reviewed()}))
            case Operator.NOT_REVIEWED:
                queries.append(~Q(**{f"{column}__in": _find_reviewed()}))
            case Operator.HAS_TEXT:
                calls = Call.objects.filter(**{value.column: value.text})
                queries.append(Q(**{f"{column}__in": calls.values("pk")}))
            case Operator.HAS_FAILED:
                failed = CallAnalysis.objects.filter(ANY_FAILED, is_newest=True)
                queries.append(Q(**{f"{column}__in": failed.values("call")}))
    return queries


def _find_reviewed() -> "QuerySet[Review, int]":
    return Review.objects.filter(is_current=True, is_outdated=False).values_list("call_id", flat=True)


def to_where(conditions: Iterable[Condition], *, by_agent: bool) -> Where:
    """Return the conditions as SQL on one row of reports_callfact.

    `by_agent` lets the databases find the calls by the index of agents; without it they
    read on in the order of the list, which is faster where the agent has many calls.
    """
    where = Where()
    for column, operator, value in conditions:
        name = f"{no_index(not by_agent)}{column}" if column == "agent_id" else column
        match operator:
            case Operator.EQUALS if isinstance(value, bool):
                where += Where(f" AND {column}" if value else f" AND NOT {column}")
            case Operator.EQUALS:
                where += Where(f" AND {name} = %s", (value,))
            case Operator.IS_NULL:
                where += Where(f" AND {name} IS NULL")
            case Operator.NOT_NULL:
                where += Where(f" AND {name} IS NOT NULL")
            case Operator.IN:
                where += _one_of(column, value)
            case Operator.NOT_IN:
                where += Where(f" AND {column} NOT IN ({', '.join(['%s'] * len(value))})", value)
            case Operator.ON_WEEKDAY:  # no percent sign: see raw_sql.py
                where += Where(f" AND {column} - 1 - ({column} - 1) / 7 * 7 = %s", (value,))
            case Operator.IN_HOURS_OF_PROJECT:
                where += _in_hours(column, value)
            case Operator.AT_LEAST:
                where += Where(f" AND {column} >= %s", (value,))
            case Operator.AT_MOST:
                where += Where(f" AND {column} <= %s", (value,))
            case Operator.HAS_MARK:
                projects = _one_of("project_id", value.project_ids)
                marks = f"SELECT call_id FROM reports_callmark WHERE kind = %s AND key = %s{projects.sql}"  # noqa: S608
                where += Where(f" AND {column} IN ({marks})", (value.kind, value.key, *projects.parameters))
            case Operator.IS_REVIEWED:
                where += Where(f" AND {column} IN ({REVIEWED_CALLS})")
            case Operator.NOT_REVIEWED:
                where += Where(f" AND {column} NOT IN ({REVIEWED_CALLS})")
            case Operator.HAS_TEXT:
                calls = f"SELECT id FROM calls_call WHERE {value.column} = %s"  # noqa: S608
                where += Where(f" AND {column} IN ({calls})", (value.text,))
            case Operator.HAS_FAILED:
                where += Where(f" AND {column} IN ({FAILED_CALLS})")
    return where


def no_index(is_unwanted: bool) -> str:
    """Return what before a column keeps both databases from using an index for it."""
    return "+" if is_unwanted else ""


def _in_hours(column: str, hours_by_project: ProjectHours) -> Where:
    """Name the hours of each project; those that share them are named together."""
    projects: dict[tuple[int, ...], list[int]] = {}
    for project, hours in hours_by_project:
        projects.setdefault(hours, []).append(project)
    if len(projects) == 1:
        return _one_of(column, next(iter(projects)))
    either = [_one_of("project_id", tuple(ids)) + _one_of(column, hours) for hours, ids in projects.items()]
    sql = " OR ".join(f"({each.sql.removeprefix(' AND ')})" for each in either)
    return Where(f" AND ({sql or '1 = 0'})", tuple(p for each in either for p in each.parameters))


def _one_of(column: str, values: tuple[int, ...]) -> Where:
    if not values:
        return Where(" AND 1 = 0")
    return Where(f" AND {column} IN ({', '.join(['%s'] * len(values))})", values)


def to_mask(conditions: Iterable[Condition], matrix: IntMatrix) -> npt.NDArray[np.bool_]:
    """Return which rows of the "list" table meet the conditions, all of which are counted."""
    is_met = np.ones(len(matrix), bool)
    for column, operator, value in conditions:
        wanted = NO_AGENT if operator is Operator.IS_NULL else value
        is_met &= matrix[:, TABLES["list"].column(COUNTED_COLUMNS[column])] == wanted
    return is_met
