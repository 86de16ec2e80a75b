"""How many calls of a period lost their results to retention, and have none since: they are in no figure."""

import datetime as dt
from collections.abc import Callable, Sequence
from functools import lru_cache

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import ngettext

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.db.compiled import CompiledQuery, adapt_moment, compile_query, stand_ins
from callscope.reports.window import ALL_TIME, Window

# In place of the moments and the agent in the SQL that is compiled once.
FIRST, AFTER = dt.datetime(2, 1, 1, tzinfo=dt.UTC), dt.datetime(3, 1, 1, tzinfo=dt.UTC)
AGENT = -1


def count_removed_results(
    project_ids: Sequence[int], window: Window = ALL_TIME, agent_id: int | None = None
) -> int:
    """Return how many calls of the window lost their results; with `agent_id` only calls of that agent.

    An index holds the files that lost any, so where none did there is nothing to look through.
    """
    if not project_ids:
        return 0
    others: dict[object, object] = {
        adapt_moment(stand_in): adapt_moment(moment)
        for stand_in, moment in zip((FIRST, AFTER), window.moments, strict=True)
    }
    query = compile_removed(len(project_ids), agent_id is not None)
    return sum(calls for _project, calls in query.fetch(project_ids, others | {AGENT: agent_id}))


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


def describe_removed_results(calls: int, window: Window, write_count: Callable[[int], str]) -> str:
    """Return how many calls that are in the active language, next to figures of the others; "": none."""
    if not calls:
        return ""
    if window == ALL_TIME:
        text = ngettext(
            "The results of %(calls)s call were removed, as set in the retention.",
            "The results of %(calls)s calls were removed, as set in the retention.",
            calls,
        )
    else:
        text = ngettext(
            "The results of %(calls)s call of this period were removed, as set in the retention.",
            "The results of %(calls)s calls of this period were removed, as set in the retention.",
            calls,
        )
    return text % {"calls": write_count(calls)}
