"""Calls that could not be analyzed, or only in part. Without any result they are in no list and no figure."""

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache

from django.db.models import Count

from callscope.analysis.models import ANY_FAILED, CallAnalysis
from callscope.db.compiled import CompiledQuery, adapt_moment, compile_query, stand_ins
from callscope.reports.window import Window

# In place of the moments and the agent in the SQL that is compiled once.
FIRST, AFTER = dt.datetime(2, 1, 1, tzinfo=dt.UTC), dt.datetime(3, 1, 1, tzinfo=dt.UTC)
AGENT = -1


def count_failed_by_project(
    project_ids: Sequence[int], window: Window, agent_id: int | None = None
) -> dict[int, int]:
    """Return how many calls of the window have a failed analysis, by project, only those that have any.

    An index holds those of all time. With `agent_id` only calls of that agent.
    """
    if not project_ids:
        return {}
    others: dict[object, object] = {
        adapt_moment(stand_in): adapt_moment(moment)
        for stand_in, moment in zip((FIRST, AFTER), window.moments, strict=True)
    }
    query = compile_failed(len(project_ids), agent_id is not None)
    return dict(query.fetch(project_ids, others | {AGENT: agent_id}))


@lru_cache(maxsize=64)
def compile_failed(projects: int, of_agent: bool) -> CompiledQuery:
    """Return the query over so many projects, with stand-ins for the moments and the agent."""
    ids = stand_ins(projects)
    failed = CallAnalysis.objects.filter(ANY_FAILED, project__in=ids, is_newest=True)
    if of_agent:
        failed = failed.filter(call__agent=AGENT)
    inside = failed.filter(call__call_datetime__gte=FIRST, call__call_datetime__lt=AFTER)
    return compile_query(inside.order_by().values_list("project").annotate(Count("pk")))
