"""GET /calls/api/report/findings/: mistakes and missed prompts of the calls in scope."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.call_scope import get_own_calls, get_scope_or_404, get_window
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import calls
from callscope.interfaces.api.views.base import ApiView
from callscope.reports.overview.findings import find_in_window, findings_json


class ReportFindingsView(ApiView):
    @extend_schema(
        operation_id="calls_report_findings",
        tags=["Reports"],
        summary="Mistakes and missed prompts of the calls in scope",
        parameters=[*parameters.SCOPE, *parameters.WINDOW],
        responses={200: calls.ReportFindingsSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        window = get_window(request)
        own = get_own_calls(request)
        if own is not None:
            found = find_in_window([own.project], window, own.agent_id)
        else:
            found = find_in_window(get_scope_or_404(request).projects, window)
        return Response(findings_json(found))
