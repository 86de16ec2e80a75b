"""The versions of a rubric. Rules: docs/api.md, "Rubric versions"."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers.rubrics import RestoredSerializer, RubricVersionSerializer
from callscope.interfaces.api.views.base import ApiView, get_project_or_404, require_writer
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.projects import versions
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.services import ProtectedSetting


class _Pages(StandardPagination):
    page_size = 20  # each holds a whole configuration


class RubricVersionListView(ApiView):
    """What a project asked of its calls over time."""

    @extend_schema(
        operation_id="projects_rubric_versions_list",
        tags=["Rubrics"],
        parameters=[openapi.PAGE],
        responses={200: openapi.paginated(RubricVersionSerializer), **openapi.error_responses(404)},
    )
    def get(self, request: Request, project_id: int) -> Response:
        """List the versions of the configuration with their changes, newest first, twenty per page."""
        project = get_project_or_404(self.caller, project_id)
        pages = _Pages()
        numbers = range(versions.count_versions(project))
        places: Any = pages.paginate_queryset(numbers, request, view=self)
        page = versions.list_versions(project, first=places[0], count=len(places)) if places else []
        return pages.get_paginated_response(
            RubricVersionSerializer(page, many=True, context={"project": project}).data
        )


class RubricVersionRestoreView(ApiView):
    """The way back to a version."""

    @extend_schema(
        operation_id="projects_rubric_versions_restore",
        tags=["Rubrics"],
        request=None,
        responses={200: RestoredSerializer, **openapi.error_responses(400, 403, 404)},
    )
    def post(self, request: Request, project_id: int, number: int) -> Response:
        """Restore this version as a new version. Calls that are already analyzed do not change.

        The settings that protect people keep their current values: `private_transcription`, `redact` and
        `retention`.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        try:
            with follow_settings(project):
                changed = versions.restore_version(project, number, by=self.caller)
        except versions.NoSuchVersion:
            raise Http404 from None
        except InvalidConfiguration as error:
            raise ValidationError({"config": error.messages()}) from None
        except ProtectedSetting as error:
            raise PermissionDenied(str(error)) from None
        answer = {"number": project.config_version, "restored": number, "changed": changed}
        return Response(RestoredSerializer(answer).data)
