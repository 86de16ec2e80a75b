"""Invitations to projects and teams: list, send, withdraw. Rules: docs/api.md, "Invitations"."""

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import Team, TeamMember, User
from callscope.accounts.services import InvalidAccount
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers.access import InvitationSerializer, NewInvitationSerializer
from callscope.interfaces.api.views.base import ApiView, require_manager
from callscope.pipeline.files.intake import project_not_found
from callscope.projects import invitations, permissions
from callscope.projects.models import Invitation, Project


def list_managed_invitations(user: User) -> QuerySet[Invitation]:
    """Return the open invitations that the user may withdraw, oldest first."""
    offered = Q(project__in=permissions.list_managed(user))
    if user.key_project_id is None:
        teams = TeamMember.objects.filter(user=user, is_admin=True)
        offered |= Q(team__in=teams.values("team"))
    return invitations.list_open(now=timezone.now()).filter(offered)


class InvitationListView(ApiView):
    """The invitations that the caller looks after."""

    @extend_schema(
        operation_id="invitations_list",
        tags=["Access"],
        parameters=[openapi.PAGE],
        responses={200: openapi.paginated(InvitationSerializer), **openapi.error_responses(404)},
    )
    def get(self, request: Request) -> Response:
        """List the open invitations to projects and teams that you manage, oldest first."""
        pages = StandardPagination()
        page = pages.paginate_queryset(list_managed_invitations(self.caller), request, view=self)
        return pages.get_paginated_response(InvitationSerializer(page or [], many=True).data)

    @extend_schema(
        operation_id="invitations_send",
        tags=["Access"],
        request=NewInvitationSerializer,
        responses={201: InvitationSerializer, **openapi.error_responses(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Invite somebody to a project or a team; the answer does not say whether the e-mail has an account.

        A second invitation of the same e-mail replaces the first.
        """
        form = NewInvitationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        project = self._find_project(given["project"]) if given.get("project") is not None else None
        team = self._find_team(given["team"]) if given.get("team") is not None else None
        try:
            sent = invitations.send(given["email"], given["role"], project=project, team=team, by=self.caller)
        except InvalidAccount as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response(InvitationSerializer(sent.invitation).data, status=201)

    def _find_project(self, project_id: int) -> Project:
        seen = permissions.visible_to(self.caller).filter(pk=project_id) if 0 < project_id <= MAX_ID else None
        project = seen.first() if seen is not None else None
        if project is None:
            raise ValidationError({"project": [str(project_not_found(project_id))]})
        require_manager(self.caller, project, "share it")
        return project

    def _find_team(self, team_id: int) -> Team:
        """Return a team that the caller administers; foreign and absent ones look alike."""
        memberships = TeamMember.objects.filter(user=self.caller, team=min(team_id, MAX_ID))
        membership = (
            memberships.select_related("team").first() if self.caller.key_project_id is None else None
        )
        if membership is None:
            raise ValidationError({"team": [f"You are not a member of team {str(team_id)[:40]}."]})
        if not membership.is_admin:
            raise PermissionDenied("Only admins of the team can invite others.")
        return membership.team


class InvitationDetailView(ApiView):
    """One invitation."""

    @extend_schema(
        operation_id="invitations_withdraw",
        tags=["Access"],
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, invitation_id: int) -> Response:
        """Withdraw an open invitation to a project or team that you manage."""
        found = list_managed_invitations(self.caller).filter(pk=min(invitation_id, MAX_ID)).first()
        if found is None:
            raise Http404
        invitations.withdraw(found, by=self.caller)
        return Response(status=204)
