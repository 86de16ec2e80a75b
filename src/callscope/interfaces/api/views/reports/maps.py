"""GET /calls/api/report/agent-criteria/ and …/week-hours/: the two maps of the calls in scope."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.call_scope import get_own_calls, get_scope_or_404, get_window
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import maps
from callscope.interfaces.api.views.base import ApiView
from callscope.projects.models import Project
from callscope.reports.overview.maps.agent_criteria import agent_map_json, build_agent_map
from callscope.reports.overview.maps.week_hours import count_week_hours, week_hours_json
from callscope.reports.overview.report import build_report
from callscope.reports.window import Window


class AgentCriteriaView(ApiView):
    @extend_schema(
        operation_id="calls_report_agent_criteria",
        tags=["Reports"],
        summary="Criteria by agent, for the agents with most calls",
        parameters=[*parameters.SCOPE, *parameters.WINDOW],
        responses={200: maps.AgentMapSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        scope = get_counted(request)
        return Response(agent_map_json(build_agent_map(build_report(*scope), *scope)))


class WeekHoursView(ApiView):
    @extend_schema(
        operation_id="calls_report_week_hours",
        tags=["Reports"],
        summary="Calls and average score by weekday and hour",
        parameters=[*parameters.SCOPE, *parameters.WINDOW],
        responses={200: maps.WeekHoursSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        return Response(week_hours_json(count_week_hours(*get_counted(request))))


def get_counted(request: Request) -> tuple[list[Project], Window, int | None]:
    """Return the projects and the window to count in, and the agent of a user who sees own calls alone."""
    window = get_window(request)
    own = get_own_calls(request)
    if own is not None:
        return [own.project], window, own.agent_id
    return get_scope_or_404(request).projects, window, None
