"""Calls that could not be analyzed, or only in part. Without any result they are in no list and no figure."""

from collections.abc import Sequence

from django.db.models import Count

from callscope.analysis.models import ANY_FAILED, CallAnalysis
from callscope.reports.window import Window


def count_failed_by_project(
    project_ids: Sequence[int], window: Window, agent_id: int | None = None
) -> dict[int, int]:
    """Return how many calls of the window have a failed analysis, by project, only those that have any.

    An index holds those of all time. With `agent_id` only calls of that agent.
    """
    first, after = window.moments
    failed = CallAnalysis.objects.filter(ANY_FAILED, project__in=project_ids, is_newest=True)
    if agent_id is not None:
        failed = failed.filter(call__agent=agent_id)
    inside = failed.filter(call__call_datetime__gte=first, call__call_datetime__lt=after)
    return dict(inside.order_by().values_list("project").annotate(Count("pk")))
