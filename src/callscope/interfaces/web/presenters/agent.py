"""Prepare the page of an agent: each criterion next to all calls of the project, and its course."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reports.charts import dots_svg, spark_svg
from callscope.reports.details.agent_page import AgentPage, CriterionCourse
from callscope.reports.overview.coverage import FEW_CALLS


class AgentCriterion(NamedTuple):
    """One criterion of an agent."""

    course: CriterionCourse
    dots: SafeString  # the agent, hollow for all calls of the project
    everyone: str  # the average of all calls, with how many; "" where it is not shown
    spark: SafeString
    url: str  # of the calls that did not meet it


def build_lines(page: AgentPage) -> list[AgentCriterion]:
    """Return the criteria of the page in the order of the rubric."""
    scope = {
        "project_id": page.project.pk,
        "start_date": page.window.start,
        "end_date": page.window.end,
        "agent": page.agent.pk,
    }
    return [
        AgentCriterion(
            course=each,
            dots=_draw_dots(each),
            everyone=_describe_everyone(each),
            spark=mark_safe(  # noqa: S308 - numbers
                spark_svg([week.average_pct for week in each.weeks], low=0, high=100)
            ),
            url=with_query(
                reverse("web:calls"), {**scope, "criterion": each.row.criterion_id, "result": "not_met"}
            ),
        )
        for each in page.criteria
    ]


def _draw_dots(each: CriterionCourse) -> SafeString:
    drawn = dots_svg(
        each.row.average_pct,
        before_pct=each.everyone.average_pct if each.everyone else None,
        interval=each.row.average_pct_interval,
        is_few=each.row.calls < FEW_CALLS,
    )
    return mark_safe(drawn)  # noqa: S308 - numbers


def _describe_everyone(each: CriterionCourse) -> str:
    if each.everyone is None or each.everyone.average_pct is None:
        return ""
    shown = {"value": number(each.everyone.average_pct, 1), "calls": number(each.everyone.calls)}
    return _("%(value)s %% (n %(calls)s)") % shown
