"""Projects: list, create, read, change, delete. Rules: docs/api.md, "Projects"."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import Team
from callscope.interfaces.api import openapi
from callscope.interfaces.api.fields import Moment, Text
from callscope.interfaces.api.paging import Pages
from callscope.interfaces.api.views import LARGEST_ID, View, require_manager, require_writer, visible_project
from callscope.pipeline import removal
from callscope.projects import access, administration, configuration
from callscope.projects.administration import WrongProject
from callscope.projects.configuration import WrongConfiguration
from callscope.projects.models import Project

ROLES = ["owner", "admin", "editor", "viewer"]


@extend_schema_field({"type": "object", "additionalProperties": True})
class Document(serializers.Field[Any, Any, Any, Any]):
    """The configuration as one document: an object, or the same as YAML text."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        try:
            config = configuration.parse_yaml(data) if isinstance(data, str) else configuration.parse(data)
        except WrongConfiguration as error:
            raise ValidationError(error.messages()) from None
        return config.as_document()

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"oneOf": [{"type": "object", "additionalProperties": True}, {"type": "string"}]})
class DocumentOrText(Document):
    """What a configuration can be sent as."""


class ProjectResource(serializers.ModelSerializer[Project]):
    """One project as its caller sees it."""

    type = serializers.ChoiceField(Project.Type.choices, read_only=True)
    owner = serializers.EmailField(source="owner.email", read_only=True)
    team = serializers.IntegerField(source="team_id", read_only=True, allow_null=True)
    role = serializers.SerializerMethodField()
    config = Document(read_only=True)
    created_at = Moment(read_only=True)

    class Meta:
        model = Project
        fields = ["id", "name", "type", "owner", "team", "role", "config", "created_at"]
        read_only_fields = fields

    @extend_schema_field({"type": "string", "enum": ROLES})
    def get_role(self, project: Project) -> str | None:
        return self.context["roles"].get(project.pk)  # type: ignore[no-any-return]


class NewProject(serializers.Serializer[Any]):
    """What a new project is made from."""

    name = Text(max_length=administration.MAX_NAME_LENGTH)
    type = serializers.ChoiceField(Project.Type.choices, required=False, default=Project.Type.CALL)
    team = serializers.IntegerField(
        required=False, allow_null=True, help_text="A team that you are a member of."
    )
    config = DocumentOrText(required=False)


class ProjectChange(serializers.Serializer[Any]):
    """What can be changed; the configuration is replaced as a whole."""

    name = Text(max_length=administration.MAX_NAME_LENGTH, required=False)
    config = DocumentOrText(required=False)


class Projects(View):
    """All visible projects."""

    @extend_schema(
        operation_id="projects_list",
        tags=["Projects"],
        parameters=[openapi.PAGE],
        responses={200: openapi.page_of(ProjectResource), **openapi.errors(404)},
    )
    def get(self, request: Request) -> Response:
        """List the visible projects by id, a hundred a page."""
        pages = Pages()
        projects = Project.objects.visible_to(self.caller).select_related("owner").order_by("pk")
        page = pages.paginate_queryset(projects, request, view=self) or []
        roles = access.roles_of(self.caller, page)
        return pages.get_paginated_response(ProjectResource(page, many=True, context={"roles": roles}).data)

    @extend_schema(
        operation_id="projects_create",
        tags=["Projects"],
        request=NewProject,
        responses={201: ProjectResource, **openapi.errors(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Create a project that the caller owns. Without a configuration every setting has its default."""
        form = NewProject(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        team_id = given.get("team")
        try:
            project = administration.create_project(
                self.caller,
                given["name"],
                type=given["type"],
                team=_team(team_id) if team_id is not None else None,
                document=given.get("config"),
                by=self.caller,
            )
        except WrongProject as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response(_shown(self, project), status=201)


class OneProject(View):
    """One project."""

    @extend_schema(
        operation_id="projects_read",
        tags=["Projects"],
        responses={200: ProjectResource, **openapi.errors(404)},
    )
    def get(self, request: Request, project_id: int) -> Response:
        """Return the project with its whole configuration."""
        return Response(_shown(self, visible_project(self.caller, project_id)))

    @extend_schema(
        operation_id="projects_change",
        tags=["Projects"],
        request=ProjectChange,
        responses={200: ProjectResource, **openapi.errors(404, *openapi.BODY)},
    )
    def patch(self, request: Request, project_id: int) -> Response:
        """Rename the project, or replace its configuration. Calls that are analysed already stay as they are.

        Editors configure; only the owner and admins of the team rename.
        """
        project = visible_project(self.caller, project_id)
        require_writer(self.caller, project)
        form = ProjectChange(data=request.data)
        form.is_valid(raise_exception=True)
        _refuse_fixed(request, project)
        given = form.validated_data
        if given.get("name", project.name) != project.name:
            require_manager(self.caller, project, "rename it")
        try:
            if "name" in given:
                administration.rename(project, given["name"], by=self.caller)
        except WrongProject as error:
            raise ValidationError({error.field: [str(error)]}) from None
        if "config" in given:
            administration.configure(project, given["config"], by=self.caller)
        return Response(_shown(self, visible_project(self.caller, project_id)))

    @extend_schema(
        operation_id="projects_delete", tags=["Projects"], responses={204: None, **openapi.errors(404)}
    )
    def delete(self, request: Request, project_id: int) -> Response:
        """Erase the project with all its files, results and recordings; for its owner and team admins."""
        project = visible_project(self.caller, project_id)
        require_manager(self.caller, project, "delete it")
        removal.delete_project(project, by=self.caller)
        return Response(status=204)


def _team(team_id: int) -> Team:
    """Return the team; a team that is absent and one that the caller is no member of answer alike."""
    team = Team.objects.filter(pk=team_id).first() if 0 < team_id <= LARGEST_ID else None
    if team is None:
        raise WrongProject("team", f"You are not a member of team {team_id}.")
    return team


def _refuse_fixed(request: Request, project: Project) -> None:
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


def _shown(view: View, project: Project) -> dict[str, Any]:
    roles = access.roles_of(view.caller, [project])
    return dict(ProjectResource(project, context={"roles": roles}).data)
