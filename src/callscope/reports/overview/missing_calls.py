"""Calls that could not be analyzed, or only in part, and those that lost their results to retention.

Without any result they are in no list and no figure.
"""

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef

from callscope.analysis.models import ANY_FAILED, CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.db.compiled import CompiledQuery, adapt_moment, compile_query, stand_ins
from callscope.reports.window import ALL_TIME, Window

# In place of the moments and the agent in the SQL that is compiled once.
FIRST, AFTER = dt.datetime(2, 1, 1, tzinfo=dt.UTC), dt.datetime(3, 1, 1, tzinfo=dt.UTC)
AGENT = -1


class RemovedResults(NamedTuple):
    """How many calls lost their results to retention."""

    calls: int = 0  # of a window
    before: int = 0  # of the window before, with which its figures are compared
    is_all_time: bool = True


NOTHING_REMOVED = RemovedResults()


def count_failed_by_project(
    project_ids: Sequence[int], window: Window, agent_id: int | None = None
) -> dict[int, int]:
    """Return how many calls of the window have a failed analysis, by project, only those that have any.

    An index holds those of all time. With `agent_id` only calls of that agent.
    """
    if not project_ids:
        return {}
    query = compile_failed(len(project_ids), agent_id is not None)
    return dict(query.fetch(project_ids, _fill_in(window, agent_id)))


@lru_cache(maxsize=64)
def compile_failed(projects: int, of_agent: bool) -> CompiledQuery:
    """Return the query over so many projects, with stand-ins for the moments and the agent."""
    ids = stand_ins(projects)
    failed = CallAnalysis.objects.filter(ANY_FAILED, project__in=ids, is_newest=True)
    if of_agent:
        failed = failed.filter(call__agent=AGENT)
    inside = failed.filter(call__call_datetime__gte=FIRST, call__call_datetime__lt=AFTER)
    return compile_query(inside.order_by().values_list("project").annotate(Count("pk")))


def count_removed_results(
    project_ids: Sequence[int], window: Window = ALL_TIME, agent_id: int | None = None
) -> int:
    """Return how many calls of the window lost their results; with `agent_id` only calls of that agent.

    An index holds the files that lost any, so where none did there is nothing to look through.
    """
    if not project_ids:
        return 0
    query = compile_removed(len(project_ids), agent_id is not None)
    return sum(calls for _project, calls in query.fetch(project_ids, _fill_in(window, agent_id)))


def count_removed_of_both(
    project_ids: Sequence[int], window: Window, agent_id: int | None = None
) -> RemovedResults:
    """Return how many calls lost their results in the window, and in the one that it is compared with."""
    previous = window.previous()
    return RemovedResults(
        count_removed_results(project_ids, window, agent_id),
        count_removed_results(project_ids, previous, agent_id) if previous is not None else 0,
        window == ALL_TIME,
    )


@lru_cache(maxsize=64)
def compile_removed(projects: int, of_agent: bool) -> CompiledQuery:
    """Return the query over so many projects, with stand-ins for the moments and the agent."""
    live = CallAnalysis.objects.filter(call=OuterRef("call"), is_live=True)
    emptied = UploadedFile.objects.filter(
        ~Exists(live), project__in=stand_ins(projects), results_removed_at__isnull=False
    )
    if of_agent:
        emptied = emptied.filter(call__agent=AGENT)
    inside = emptied.filter(call__call_datetime__gte=FIRST, call__call_datetime__lt=AFTER)
    return compile_query(inside.order_by().values_list("project").annotate(Count("call", distinct=True)))


def _fill_in(window: Window, agent_id: int | None) -> dict[object, object]:
    """Return what stands in for the moments and the agent, with their values."""
    moments: dict[object, object] = {
        adapt_moment(stand_in): adapt_moment(moment)
        for stand_in, moment in zip((FIRST, AFTER), window.moments, strict=True)
    }
    return moments | {AGENT: agent_id}
