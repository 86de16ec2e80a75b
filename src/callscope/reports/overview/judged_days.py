"""From which day on the calls of a report are judged by the last version that changed their rubric."""

from dataclasses import replace

from django.db.models import Max, Min, Q

from callscope.analysis.models import CallAnalysis
from callscope.reports.overview.schemas import Report


def place_change(report: Report, agent_id: int | None = None) -> Report:
    """Return the report of one project with the day from which on its last version judged all calls.

    That is not the day of its publication where calls of some days before were scored again. Two queries
    where the version judged some of the calls, and none elsewhere.
    """
    changes = report.judged_changes
    if not report.judged_calls or not report.marked_changes or len({c.project_id for c in changes}) > 1:
        return report
    live = CallAnalysis.objects.filter(
        project=changes[-1].project_id, is_live=True, call__fact__max_points__isnull=False
    )
    first, last = report.window.days
    live = live.filter(call__fact__day__gte=first, call__fact__day__lte=last)
    live = live if agent_id is None else live.filter(call__fact__agent_id=agent_id)
    earlier = live.filter(Q(config_version__lt=changes[-1].version) | Q(config_version=None))
    days = earlier.order_by().aggregate(last=Max("call__fact__day"))
    later = live if days["last"] is None else live.filter(call__fact__day__gt=days["last"])
    return replace(report, judged_from=later.order_by().aggregate(first=Min("call__fact__day"))["first"])
