"""Links between users and agents: list, make, remove. Rules: docs/api.md, "Agents' users"."""

from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.calls import own_calls
from callscope.calls.models import AgentUser
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers import agents as serializers
from callscope.interfaces.api.views.base import (
    ApiView,
    get_project_or_404,
    require_manager,
    require_writer,
)

ACTION = "link agents to users"


class AgentUserListView(ApiView):
    """List the users who see the calls of one agent."""

    @extend_schema(
        operation_id="agent_users_list",
        tags=["Access"],
        summary="Users who see their own calls of a project as one of its agents",
        parameters=[openapi.PAGE],
        responses={200: openapi.paginated(serializers.AgentUserSerializer), **openapi.error_responses(404)},
    )
    def get(self, request: Request, project_id: int) -> Response:
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        links = AgentUser.objects.filter(project=project).select_related("agent").order_by("pk")
        pages = StandardPagination()
        page = pages.paginate_queryset(links, request, view=self)
        return pages.get_paginated_response(serializers.AgentUserSerializer(page or [], many=True).data)

    @extend_schema(
        operation_id="agent_users_link",
        tags=["Access"],
        request=serializers.NewAgentUserSerializer,
        responses={201: serializers.AgentUserSerializer, **openapi.error_responses(404, *openapi.BODY)},
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Let an e-mail see the calls of one agent; a second link of the same e-mail replaces the first.

        The answer does not say whether the e-mail has an account; the link works as soon as there is one.
        """
        project = get_project_or_404(self.caller, project_id)
        require_manager(self.caller, project, ACTION)
        form = serializers.NewAgentUserSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        try:
            with transaction.atomic():
                agent = own_calls.find_agent(project, given["agent_id"])
                link = own_calls.link_user(project, given["email"], agent, by=self.caller)
        except own_calls.InvalidLink as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response(serializers.AgentUserSerializer(link).data, status=201)


class AgentUserDetailView(ApiView):
    """One link."""

    @extend_schema(
        operation_id="agent_users_unlink",
        tags=["Access"],
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, project_id: int, link_id: int) -> Response:
        """Remove the link: this e-mail no longer sees anything of the project."""
        project = get_project_or_404(self.caller, project_id)
        require_manager(self.caller, project, ACTION)
        with transaction.atomic():
            link = AgentUser.objects.filter(project=project, pk=min(link_id, MAX_ID)).first()
            if link is None:
                raise Http404
            own_calls.unlink_user(link, by=self.caller)
        return Response(status=204)
