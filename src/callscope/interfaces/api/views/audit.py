"""GET /api/audit/: what happened in the projects that the caller manages."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.trail.search import AuditFilters, find_events, hide_other_projects
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.query_params import parse_integer
from callscope.interfaces.api.serializers.audit import AuditEventSerializer
from callscope.interfaces.api.views.base import ApiView, get_project_or_404, require_manager
from callscope.projects import permissions


class AuditView(ApiView):
    """The events of projects, for those who manage them, and all events for administrators."""

    @extend_schema(
        operation_id="audit_list",
        tags=["Audit"],
        summary="The audit events of your projects, newest first",
        parameters=[openapi.integer_parameter("project_id", "Only events of this project."), openapi.PAGE],
        responses={200: openapi.paginated(AuditEventSerializer), **openapi.error_responses(400, 403, 404)},
    )
    def get(self, request: Request) -> Response:
        """List the events of each project that the caller owns or administers, newest first.

        Administrators of the instance see all events.
        """
        project_id = parse_integer(request.query_params, "project_id")
        managed = self._list_managed(project_id)
        pages = StandardPagination()
        events = find_events(managed, AuditFilters(project_id=project_id)).select_related("actor")
        page = pages.paginate_queryset(events, request, view=self)
        shown = list(hide_other_projects(page or [], managed))
        return pages.get_paginated_response(AuditEventSerializer(shown, many=True).data)

    def _list_managed(self, project_id: int | None) -> list[int] | None:
        """Return the projects whose events the caller may see; None: all of the instance."""
        if self.caller.is_superuser and self.caller.key_project_id is None:
            return None
        if project_id is not None:
            project = get_project_or_404(self.caller, project_id)
            require_manager(self.caller, project, "read its audit trail")
            return [project.pk]
        return permissions.list_managed(self.caller)
