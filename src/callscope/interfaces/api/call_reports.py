"""GET /calls/api/report/: the report over the calls in scope."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import reachable_scope_of, window_of
from callscope.interfaces.api.views import View
from callscope.reports.report import build_report, report_json


class ReportView(View):
    @extend_schema(
        operation_id="calls_report",
        tags=["Reports"],
        summary="The report over the calls in scope",
        parameters=[*call_schema.SCOPE, *call_schema.WINDOW],
        responses={200: call_schema.Report, **call_schema.ERRORS, 404: call_schema.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        window = window_of(request)
        scope = reachable_scope_of(request)
        return Response(report_json(build_report(scope.projects, window)))
