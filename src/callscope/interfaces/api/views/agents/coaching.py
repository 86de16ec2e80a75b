"""Notes at a second of a call, and what is shown about one agent. Rules: docs/api.md, "Coaching"."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import User
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import is_own_call
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.call_scope import get_own_calls, get_scope_or_404
from callscope.interfaces.api.docs import openapi, parameters
from callscope.interfaces.api.serializers import appeals as serializers
from callscope.interfaces.api.views.agents.appeals import get_call
from callscope.interfaces.api.views.base import ApiView, require_writer
from callscope.projects import permissions
from callscope.reports.details.agent_page import agent_page_json, build_agent_page, find_agents_project
from callscope.reviews import notes
from callscope.reviews.answers import InvalidReview
from callscope.reviews.calibration.visibility import list_blinded_calls
from callscope.reviews.note_records import CoachingNote

ERRORS = openapi.error_responses(404, *openapi.BODY)


class CallNotesView(ApiView):
    """The notes of one call."""

    @extend_schema(
        operation_id="notes_list",
        tags=["Reviews"],
        summary="The notes of one call, for editors of the project; its agent sees those that are shared",
        responses={200: serializers.NoteSerializer(many=True), **openapi.error_responses(404)},
    )
    def get(self, request: Request, call_id: int) -> Response:
        call, is_own = get_call(self.caller, call_id)
        reads_shared = is_own or is_own_call(self.caller, call)
        may_write = not is_own and permissions.can_write(self.caller, call.project)
        if not reads_shared:
            require_writer(self.caller, call.project)
        found = notes.find_notes(shared_only=not may_write).filter(call=call)
        return Response(
            serializers.NoteSerializer([_describe(each, is_own) for each in found], many=True).data
        )

    @extend_schema(
        operation_id="notes_create",
        tags=["Reviews"],
        request=serializers.NoteInputSerializer,
        responses={201: serializers.NoteSerializer, **ERRORS},
    )
    def post(self, request: Request, call_id: int) -> Response:
        """Add a note at a second of a call, for editors of the project; its agent sees shared ones."""
        call = _get_visible_call(self.caller, call_id)
        require_writer(self.caller, call.project)
        form = serializers.NoteInputSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given: Any = form.validated_data
        try:
            note = notes.create_note(
                call, given["text"], given["at"], self.caller, is_shared=given["is_shared"]
            )
        except InvalidReview as error:
            raise ValidationError({error.field: [str(error)]}) from None
        except Call.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(serializers.NoteSerializer(_describe(note, False)).data, status=201)


class NoteView(ApiView):
    """One note."""

    @extend_schema(
        operation_id="notes_change",
        tags=["Reviews"],
        request=serializers.NoteChangeSerializer,
        responses={200: serializers.NoteSerializer, **ERRORS},
    )
    def patch(self, request: Request, note_id: int) -> Response:
        """Share or close a note; only its author can change its text."""
        note = _get_note(self.caller, note_id)
        form = serializers.NoteChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            notes.change_note(note, self.caller, **form.validated_data)
        except InvalidReview as error:
            raise ValidationError({error.field: [str(error)]}) from None
        except notes.ForeignNote as error:
            raise PermissionDenied(str(error)) from None
        except CoachingNote.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(serializers.NoteSerializer(_describe(note, False)).data)

    @extend_schema(
        operation_id="notes_remove",
        tags=["Reviews"],
        summary="Remove a note",
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, note_id: int) -> Response:
        try:
            notes.remove_note(_get_note(self.caller, note_id), self.caller)
        except CoachingNote.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(status=204)


class AgentPageView(ApiView):
    """One agent."""

    @extend_schema(
        operation_id="agents_read",
        tags=["Reviews"],
        summary="One agent in one project, by default the latest call's: figures by week, quotes, notes",
        parameters=parameters.SCOPE,
        responses={200: serializers.AgentPageSerializer, 404: parameters.NOT_FOUND, **parameters.ERRORS},
    )
    def get(self, request: Request, agent_id: int) -> Response:
        own = get_own_calls(request)
        if own is not None:
            project = own.project if own.agent_id == agent_id else None
        else:
            projects = [each for each in get_scope_or_404(request).projects if agent_id <= MAX_ID]
            project = find_agents_project(projects, agent_id)
        if project is None:
            raise Http404
        page = build_agent_page(
            project,
            Agent.objects.get(pk=agent_id),
            shows_notes=own is not None or permissions.can_write(self.caller, project),
            is_own=own is not None,
            blinded=list_blinded_calls(self.caller),
        )
        return Response(serializers.AgentPageSerializer(agent_page_json(page)).data)


def _get_visible_call(user: User, call_id: int) -> Call:
    calls = Call.objects.select_related("project").filter(project__in=permissions.visible_to(user))
    call = calls.filter(pk=call_id).first() if call_id <= MAX_ID else None
    if call is None:
        raise Http404
    return call


def _get_note(user: User, note_id: int) -> CoachingNote:
    found = CoachingNote.objects.filter(project__in=permissions.visible_to(user), pk=min(note_id, MAX_ID))
    note = found.select_related("project", "call", "author").first()
    if note is None:
        raise Http404
    require_writer(user, note.project)
    return note


def _describe(note: CoachingNote, is_own: bool) -> notes.NoteRow:
    return notes.describe_note(note, is_own=is_own)
