"""GET /calls/api/report/: the report over the calls in scope."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from callscope.interfaces.api.call_scope import get_own_calls, get_scope_or_404, get_window
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import calls
from callscope.interfaces.api.views.base import ApiView
from callscope.reports.overview.report import build_report, report_json


class ReportView(ApiView):
    @extend_schema(
        operation_id="calls_report",
        tags=["Reports"],
        summary="The report over the calls in scope",
        parameters=[*parameters.SCOPE, *parameters.WINDOW],
        responses={200: calls.ReportSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> HttpResponse:
        window = get_window(request)
        own = get_own_calls(request)
        if own is not None:
            report = build_report([own.project], window, own.agent_id)
        else:
            report = build_report(get_scope_or_404(request).projects, window)
        return HttpResponse(calls.encode_json(report_json(report)), content_type="application/json")
