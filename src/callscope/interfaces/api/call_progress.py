"""GET /calls/api/analysis-status/ and POST /calls/api/recluster/: how far the work is, and regrouping."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import User
from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import scope_of
from callscope.interfaces.api.views import View
from callscope.pipeline.progress import analysis_status
from callscope.pipeline.regrouping import request_regrouping
from callscope.projects import access
from callscope.projects.models import Project


class AnalysisStatusView(View):
    @extend_schema(
        operation_id="calls_analysis_status",
        tags=["Calls"],
        summary="How far the analyses are; poll until in_progress is false",
        parameters=call_schema.SCOPE,
        responses={200: call_schema.AnalysisStatus, **call_schema.ERRORS},
    )
    def get(self, request: Request) -> Response:
        return Response(analysis_status(scope_of(request).named))


class ReclusterView(View):
    @extend_schema(
        operation_id="calls_recluster",
        tags=["Calls"],
        summary="Group the contact reasons of every open-ended project in scope anew",
        parameters=call_schema.SCOPE,
        request=None,
        responses={202: call_schema.Recluster, **call_schema.ERRORS},
    )
    def post(self, request: Request) -> Response:
        projects = _writable(self.caller, scope_of(request).projects)
        queued = request_regrouping(projects)
        return Response({"reclustering": queued, "count": len(queued)}, status=202)


def _writable(user: User, projects: list[Project]) -> list[Project]:
    roles = access.roles_of(user, projects)
    return [project for project in projects if access.may_write(roles.get(project.pk))]
