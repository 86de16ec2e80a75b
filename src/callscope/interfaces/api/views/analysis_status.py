"""GET /calls/api/analysis-status/ and POST /calls/api/recluster/: how far the work is, and regrouping."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.call_scope import get_scope
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import calls
from callscope.interfaces.api.views.base import ApiView
from callscope.pipeline.files.progress import load_analysis_status
from callscope.pipeline.files.regrouping import request_regrouping
from callscope.projects import permissions


class AnalysisStatusView(ApiView):
    @extend_schema(
        operation_id="calls_analysis_status",
        tags=["Calls"],
        summary="Progress of the analyses; poll until in_progress is false",
        parameters=parameters.SCOPE,
        responses={200: calls.AnalysisStatusSerializer, **parameters.ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Return how many calls are analyzed, waiting and failed, and whether reasons are being regrouped."""
        return Response(load_analysis_status(get_scope(request).project_refs))


class ReclusterView(ApiView):
    @extend_schema(
        operation_id="calls_recluster",
        tags=["Calls"],
        summary="Regroup the contact reasons of every open-ended project in scope",
        parameters=parameters.SCOPE,
        request=None,
        responses={202: calls.ReclusterSerializer, **parameters.ERRORS},
    )
    def post(self, request: Request) -> Response:
        projects = permissions.writable(self.caller, get_scope(request).projects)
        queued = request_regrouping(projects, by=self.caller)
        return Response({"reclustering": queued, "count": len(queued)}, status=202)
