"""Projects: list, create, read, change, delete. Rules: docs/api.md, "Projects"."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import Team
from callscope.calls.own_calls import ROLE, linked_projects
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers.projects import (
    NewProjectSerializer,
    ProjectChangeSerializer,
    ProjectResourceSerializer,
)
from callscope.interfaces.api.views.base import (
    ApiView,
    get_project_or_404,
    require_manager,
    require_writer,
)
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.erasure import removal
from callscope.projects import permissions, services
from callscope.projects.models import Project
from callscope.projects.services import InvalidProject, ProtectedSetting


class ProjectListView(ApiView):
    """All visible projects."""

    @extend_schema(
        operation_id="projects_list",
        tags=["Projects"],
        parameters=[openapi.PAGE],
        responses={200: openapi.paginated(ProjectResourceSerializer), **openapi.error_responses(404)},
    )
    def get(self, request: Request) -> Response:
        """List the visible projects by id, a hundred a page."""
        pages = StandardPagination()
        seen = Q(pk__in=permissions.visible_to(self.caller).values("pk"))
        own = Q(pk__in=linked_projects(self.caller).values("pk"))
        projects = Project.objects.filter(seen | own).select_related("owner").order_by("pk")
        page = pages.paginate_queryset(projects, request, view=self) or []
        roles = permissions.get_roles(self.caller, page)
        rows = [_serialize_for(project, roles) for project in page]
        return pages.get_paginated_response(rows)

    @extend_schema(
        operation_id="projects_create",
        tags=["Projects"],
        request=NewProjectSerializer,
        responses={201: ProjectResourceSerializer, **openapi.error_responses(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Create a project that the caller owns. Settings that are left out get their defaults.

        The language of the calls is detected unless the configuration names one.
        """
        if not permissions.can_create(self.caller):
            raise PermissionDenied("This API key opens one project. It cannot create others.")
        form = NewProjectSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        team_id = given.get("team")
        try:
            project = services.create_project(
                self.caller,
                given["name"],
                type=given["type"],
                team=_get_team(team_id) if team_id is not None else None,
                document=given.get("config", {"language": "auto"}),
                by=self.caller,
            )
        except InvalidProject as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response(_serialize(self, project), status=201)


class ProjectDetailView(ApiView):
    """One project."""

    @extend_schema(
        operation_id="projects_read",
        tags=["Projects"],
        responses={200: ProjectResourceSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, project_id: int) -> Response:
        """Return the project with its whole configuration; an agent's user gets id, name, type and role."""
        own = linked_projects(self.caller).filter(pk=min(project_id, MAX_ID)).first()
        if own is not None:
            return Response(_serialize_for(own, {}))
        return Response(_serialize(self, get_project_or_404(self.caller, project_id)))

    @extend_schema(
        operation_id="projects_change",
        tags=["Projects"],
        request=ProjectChangeSerializer,
        responses={200: ProjectResourceSerializer, **openapi.error_responses(404, *openapi.BODY)},
    )
    def patch(self, request: Request, project_id: int) -> Response:
        """Rename the project, or replace its configuration. Calls that are already analyzed do not change.

        Editors can configure; only the owner and admins of the team can rename it or change
        `private_transcription` and `redact`.
        """
        project = _get_changeable(self, project_id)
        require_writer(self.caller, project)
        form = ProjectChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        _refuse_fixed_fields(request, project)
        given = form.validated_data
        # Checked before anything is written: an editor who sends both must not change the one.
        if given.get("name", project.name) != project.name:
            require_manager(self.caller, project, "rename it")
        try:
            if "name" in given:
                services.rename_project(project, given["name"], by=self.caller)
        except InvalidProject as error:
            raise ValidationError({error.field: [str(error)]}) from None
        if "config" in given:
            try:
                with follow_settings(project):
                    services.configure_project(project, given["config"], by=self.caller)
            except ProtectedSetting as error:
                raise PermissionDenied(str(error)) from None
        return Response(_serialize(self, get_project_or_404(self.caller, project_id)))

    @extend_schema(
        operation_id="projects_delete",
        tags=["Projects"],
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, project_id: int) -> Response:
        """Erase the project with all its files, results and recordings; for its owner and team admins."""
        project = _get_changeable(self, project_id)
        require_manager(self.caller, project, "delete it")
        removal.delete_project(project, by=self.caller)
        return Response(status=204)


def _get_team(team_id: int) -> Team:
    """Return the team. Raises InvalidProject for an absent one."""
    # The same words as for a foreign team, so that nobody learns which teams exist.
    team = Team.objects.filter(pk=team_id).first() if 0 < team_id <= MAX_ID else None
    if team is None:
        raise InvalidProject("team", "you_not_in_team", value=team_id)
    return team


def _refuse_fixed_fields(request: Request, project: Project) -> None:
    """Refuse to change what is fixed at creation; repeating its value is harmless."""
    fixed = {"type": project.type, "team": project.team_id, "owner": project.owner.email}
    data: Any = request.data
    errors = {
        name: ["This cannot be changed after the project was created."]
        for name, value in fixed.items()
        if name in data and str(data[name]) != str(value)
    }
    if errors:
        raise ValidationError(errors)


def _get_changeable(view: ApiView, project_id: int) -> Project:
    """Return the project; Http404 where it is not visible, PermissionDenied for an agent's user."""
    if linked_projects(view.caller).filter(pk=min(project_id, MAX_ID)).exists():
        raise PermissionDenied("You see your own calls of this project. Its members change it.")
    return get_project_or_404(view.caller, project_id)


def _serialize(view: ApiView, project: Project) -> dict[str, Any]:
    return _serialize_for(project, permissions.get_roles(view.caller, [project]))


def _serialize_for(project: Project, roles: Mapping[int, permissions.Role]) -> dict[str, Any]:
    """Return the project as its caller sees it: without a role in it, no more than its name and kind."""
    if project.pk not in roles:
        return {"id": project.pk, "name": project.name, "type": project.type, "role": ROLE}
    return dict(ProjectResourceSerializer(project, context={"roles": roles}).data)
