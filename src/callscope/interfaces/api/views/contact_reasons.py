"""Contact reasons: list, edit, merge, split, move, history, undo. Rules: docs/api.md, "Contact reasons"."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.contact_reasons import listing
from callscope.contact_reasons.codes.wish import ChosenReason, Wish
from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.call_scope import get_scope
from callscope.interfaces.api.docs import openapi, parameters
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.query_params import parse_integer
from callscope.interfaces.api.serializers import contact_reasons as serializers
from callscope.interfaces.api.views.base import ApiView, find_writable_project, require_writer
from callscope.pipeline.decisions import reason_edits
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.details.reason_detail import load_reason_detail

CHANGE_ERRORS = openapi.error_responses(404, 409, *openapi.BODY)


class ReasonListView(ApiView):
    @extend_schema(
        operation_id="reasons_list",
        tags=["Contact reasons"],
        summary="The contact reasons of the projects in scope, those with most calls first",
        parameters=parameters.SCOPE,
        responses={200: serializers.ReasonSerializer(many=True), **parameters.ERRORS},
    )
    def get(self, request: Request) -> Response:
        project_ids = [project.pk for project in get_scope(request).projects]
        return Response(serializers.ReasonSerializer(listing.list_reasons(project_ids), many=True).data)


class ReasonDetailView(ApiView):
    """One contact reason."""

    @extend_schema(
        operation_id="reasons_read",
        tags=["Contact reasons"],
        responses={200: serializers.ReasonDetailSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, reason_id: int) -> Response:
        """Return the reason with its figures: weeks, share, scores, outcomes, agents and quotes."""
        reason = _get_reason(self, reason_id)
        figures = serializers.FiguresSerializer(load_reason_detail(reason)).data
        return Response({**_serialize(reason), "figures": figures})

    @extend_schema(
        operation_id="reasons_change",
        tags=["Contact reasons"],
        request=serializers.ReasonChangeSerializer,
        responses={200: serializers.ReasonSerializer, **CHANGE_ERRORS},
    )
    def patch(self, request: Request, reason_id: int) -> Response:
        """Rename, describe, nest, set aside or pin the reason. Regrouping keeps names given by people.

        Reports follow at once. 409: the project's reasons are predefined codes, which only its settings
        rename.
        """
        reason = _get_writable_reason(self, reason_id)
        values = _validated(serializers.ReasonChangeSerializer, request)
        with _errors_as_answers():
            return Response(_serialize(reason_edits.edit_reason(reason.pk, values, self.caller)))


class ReasonMergeView(ApiView):
    @extend_schema(
        operation_id="reasons_merge",
        tags=["Contact reasons"],
        request=serializers.MergeSerializer,
        responses={200: serializers.ReasonSerializer, **CHANGE_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Move all calls of one or several reasons into another, where they stay, and delete those."""
        given = _validated(serializers.MergeSerializer, request)
        into = _get_reason_of_body(self, "into", given["into"])
        require_writer(self.caller, into.project)
        for each in given["from"]:
            _get_reason_of_body(self, "from", each)
        with _errors_as_answers():
            return Response(_serialize(reason_edits.merge_reasons(into.pk, given["from"], self.caller)))


class ReasonSplitView(ApiView):
    @extend_schema(
        operation_id="reasons_split",
        tags=["Contact reasons"],
        request=serializers.SplitSerializer,
        responses={201: serializers.ReasonSerializer, **CHANGE_ERRORS},
    )
    def post(self, request: Request, reason_id: int) -> Response:
        """Move some calls of the reason into a new one, where they stay."""
        reason = _get_writable_reason(self, reason_id)
        given = _validated(serializers.SplitSerializer, request)
        with _errors_as_answers():
            new = reason_edits.split_reason(reason.pk, given["call_ids"], given["name"], self.caller)
        return Response(_serialize(new), status=201)


class ReasonCallsView(ApiView):
    @extend_schema(
        operation_id="reasons_move_calls",
        tags=["Contact reasons"],
        request=serializers.CallIdsSerializer,
        responses={200: serializers.ReasonSerializer, **CHANGE_ERRORS},
    )
    def post(self, request: Request, reason_id: int) -> Response:
        """Move calls of the project into the reason, where they stay."""
        reason = _get_writable_reason(self, reason_id)
        given = _validated(serializers.CallIdsSerializer, request)
        with _errors_as_answers():
            return Response(_serialize(reason_edits.move_calls(reason.pk, given["call_ids"], self.caller)))


class ReasonCodesView(ApiView):
    """Contact reasons as the codes of a project."""

    @extend_schema(
        operation_id="reasons_propose_codes",
        tags=["Contact reasons"],
        summary="The codes that the reasons of the projects in scope would make",
        parameters=parameters.SCOPE,
        responses={200: serializers.ProposedCodeSerializer(many=True), **parameters.ERRORS},
    )
    def get(self, request: Request) -> Response:
        from callscope.contact_reasons.codes.proposal import propose_codes

        rows = [each for project in get_scope(request).projects for each in propose_codes(project)]
        return Response(serializers.ProposedCodeSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="reasons_make_codes",
        tags=["Contact reasons"],
        request=serializers.NewCodesSerializer,
        responses={200: serializers.MadeCodesSerializer, **openapi.error_responses(409, *openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Make codes of reasons; with `mode` predefined every call has one of them, or Other, at once.

        Recorded in the history and undone there in one step. 409: the engine that compares topics is away.
        """
        given = _validated(serializers.NewCodesSerializer, request)
        project = find_writable_project(self.caller, given["project_id"])
        with _errors_as_answers():
            outcome = reason_edits.adopt_codes(project, _read_wish(project, given), self.caller)
        reasons = Project.objects.get(pk=project.pk).configuration.contact_reasons
        made = {
            "mode": reasons.mode,
            "codes": [each.model_dump() for each in reasons.codes],
            "calls_kept": outcome.kept,
            "calls_classified": outcome.coded,
            "calls_other": outcome.other,
            "change_id": outcome.change,
        }
        return Response(serializers.MadeCodesSerializer(made).data)


class ReasonHistoryView(ApiView):
    @extend_schema(
        operation_id="reasons_history",
        tags=["Contact reasons"],
        summary="Changes by people and regroupings, newest first, at most a hundred",
        parameters=[
            *parameters.SCOPE,
            openapi.integer_parameter("before", "Only changes with a smaller id, for the next page."),
        ],
        responses={200: serializers.HistorySerializer(many=True), **parameters.ERRORS},
    )
    def get(self, request: Request) -> Response:
        project_ids = [project.pk for project in get_scope(request).projects]
        before = parse_integer(request.query_params, "before")
        rows = listing.list_history(project_ids, before=before)
        return Response(serializers.HistorySerializer(rows, many=True).data)


class ReasonUndoView(ApiView):
    @extend_schema(
        operation_id="reasons_undo",
        tags=["Contact reasons"],
        request=None,
        responses={200: serializers.HistorySerializer, **openapi.error_responses(404, 409)},
    )
    def post(self, request: Request, change_id: int) -> Response:
        """Undo the change. 409: it is already undone, or a later change must be undone first."""
        visible = ReasonChange.objects.filter(project__in=permissions.visible_to(self.caller))
        change = (
            visible.select_related("project").filter(pk=change_id).first() if change_id <= MAX_ID else None
        )
        if change is None:
            raise Http404
        require_writer(self.caller, change.project)
        with _errors_as_answers():
            reason_edits.undo_change(change.pk, self.caller)
        (row,) = listing.list_history([change.project_id], before=change.pk + 1, most=1)
        return Response(serializers.HistorySerializer(row).data)


def _get_reason(view: ApiView, reason_id: int) -> ContactReason:
    """Return the reason; Http404 when it does not exist or is not visible."""
    visible = ContactReason.objects.filter(project__in=permissions.visible_to(view.caller))
    found = visible.select_related("project").filter(pk=reason_id).first() if reason_id <= MAX_ID else None
    if found is None:
        raise Http404
    return found


def _get_writable_reason(view: ApiView, reason_id: int) -> ContactReason:
    reason = _get_reason(view, reason_id)
    require_writer(view.caller, reason.project)
    return reason


def _get_reason_of_body(view: ApiView, field: str, reason_id: int) -> ContactReason:
    """Return the reason that a field names; the same answer for an absent and an invisible one."""
    try:
        return _get_reason(view, reason_id)
    except Http404:
        raise ValidationError({field: [f"No contact reason has the id {reason_id}."]}) from None


def _read_wish(project: Project, given: Mapping[str, Any]) -> Wish:
    from callscope.contact_reasons.codes.proposal import list_candidates, propose_codes

    if "codes" in given:
        chosen = [ChosenReason(**each) for each in given["codes"]]
    else:
        pinned = {row.id for row in list_candidates(project) if row.is_pinned}
        codes = propose_codes(project, pinned)
        chosen = [ChosenReason(each.reason, each.description, each.phrases) for each in codes]
    return Wish(chosen, given["mode"], replaces=given["existing"] == "replace")


def _validated(form_class: Any, request: Request) -> Any:
    form = form_class(data=request.data)
    form.is_valid(raise_exception=True)
    return form.validated_data


@contextmanager
def _errors_as_answers() -> Iterator[None]:
    """Turn what a change may raise into 400, 404 and 409."""
    try:
        yield
    except InvalidReason as error:
        raise ValidationError({error.field: [str(error)]}) from None
    except ReasonConflict as error:
        raise Conflict(str(error)) from None
    except (ContactReason.DoesNotExist, ReasonChange.DoesNotExist):  # gone since it was looked up
        raise Http404 from None


def _serialize(reason: ContactReason) -> Mapping[str, Any]:
    """Return the reason as it is now; Http404 where somebody merged or deleted it since it was looked up."""
    for row in listing.list_reasons([reason.project_id], reason_id=reason.pk):
        return serializers.ReasonSerializer(row).data
    raise Http404
