"""Appeals: file, list, decide, withdraw; and acknowledging a review. Rules: docs/api.md, "Appeals"."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.calls.own_calls import find_own_call, find_own_calls, is_own_call, list_users_of_call
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.call_scope import get_own_calls, get_scope
from callscope.interfaces.api.docs import openapi, parameters
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers import appeals as serializers
from callscope.interfaces.api.views.base import ApiView, require_writer
from callscope.messages.message import Message
from callscope.pipeline.decisions import appeal_edits
from callscope.projects import permissions
from callscope.reviews.answers import InvalidReview
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import OwnJudgement
from callscope.reviews.appeals.listing import describe_appeal, list_appeals
from callscope.reviews.appeals.withdrawing import OthersAppeal
from callscope.reviews.calibration.visibility import list_blinded_calls
from callscope.reviews.revisions import ReviewConflict

PAGE_OF_APPEALS = openapi.paginated(serializers.AppealSerializer)
ERRORS = openapi.error_responses(404, 409, *openapi.BODY)


class AppealListView(ApiView):
    """All appeals in scope."""

    @extend_schema(
        operation_id="appeals_list",
        tags=["Reviews"],
        summary="The appeals of your own calls, or of the projects in scope that you can edit; newest first",
        parameters=[
            *parameters.SCOPE,
            openapi.text_parameter("state", "open, accepted, refused or withdrawn."),
            openapi.PAGE,
        ],
        responses={
            200: PAGE_OF_APPEALS,
            404: parameters.NOT_FOUND,
            **parameters.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:
        own = get_own_calls(request)
        writable = permissions.writable(self.caller, get_scope(request).projects) if own is None else []
        appeals = list_appeals(writable, own, blinded=list_blinded_calls(self.caller))
        state = request.query_params.get("state") or ""
        if state:
            if state not in Appeal.State.values:
                allowed = ", ".join(Appeal.State.values)
                raise ValidationError({"state": [f"{state[:40]!r} is not a state. Allowed: {allowed}."]})
            appeals = appeals.filter(state=state)
        return _page(self, request, appeals, is_own=own is not None)


class CallAppealsView(ApiView):
    """The appeals of one call."""

    @extend_schema(
        operation_id="call_appeals_list",
        tags=["Reviews"],
        summary="The appeals of one call, newest first; for its agent and for editors of the project",
        parameters=[openapi.PAGE],
        responses={200: PAGE_OF_APPEALS, **openapi.error_responses(404)},
    )
    def get(self, request: Request, call_id: int) -> Response:
        call, is_own = get_call(self.caller, call_id)
        if not is_own and not is_own_call(self.caller, call):
            require_writer(self.caller, call.project)
        appeals = list_appeals([call.project], blinded=list_blinded_calls(self.caller)).filter(call=call)
        if not permissions.can_write(self.caller, call.project):
            appeals = appeals.filter(appellant__in=list_users_of_call(call))
        return _page(self, request, appeals, is_own=is_own)

    @extend_schema(
        operation_id="appeals_file",
        tags=["Reviews"],
        request=serializers.AppealInputSerializer,
        responses={201: serializers.AppealSerializer, **ERRORS},
    )
    def post(self, request: Request, call_id: int) -> Response:
        """Appeal a criterion of one of your own calls, within the project's `appeal_days` after its result.

        409: the time to appeal is over, this result has an appeal already, or the call has no scores.
        """
        call, is_own = _get_agents_call(self.caller, call_id)
        form = serializers.AppealInputSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        with errors_as_answers():
            appeal = appeal_edits.file_appeal(call.pk, given["criterion_id"], given["reason"], self.caller)
        return Response(_serialize(appeal, self.caller, is_own=is_own), status=201)


class AppealDecideView(ApiView):
    """The decision about one appeal."""

    @extend_schema(
        operation_id="appeals_decide",
        tags=["Reviews"],
        request=serializers.DecisionInputSerializer,
        responses={200: serializers.AppealSerializer, **ERRORS},
    )
    def post(self, request: Request, appeal_id: int) -> Response:
        """Accept the appeal, which makes a new revision with the new answer, or refuse it with a reason.

        403 for the reviewer whose answers are appealed and for the agent. 409: it is already decided, or
        the retention removed the results of its call.
        """
        appeal = _get_decidable(self.caller, appeal_id)
        form = serializers.DecisionInputSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        with errors_as_answers():
            decided = appeal_edits.decide_appeal(
                appeal.pk, given["decision"], given["reason"], given.get("answer"), self.caller
            )
        return Response(_serialize(decided, self.caller, is_own=False))


class AppealWithdrawView(ApiView):
    """The withdrawal of one appeal."""

    @extend_schema(
        operation_id="appeals_withdraw",
        tags=["Reviews"],
        request=None,
        responses={200: serializers.AppealSerializer, **openapi.error_responses(404, 409)},
    )
    def post(self, request: Request, appeal_id: int) -> Response:
        """Take back an appeal that you filed about your own call; the criterion can be appealed again.

        403 for anybody else. 409: it is already decided or withdrawn.
        """
        found = Appeal.objects.filter(pk=min(appeal_id, MAX_ID)).values_list("call_id", flat=True).first()
        if found is None:
            raise Http404
        _call, is_own = _get_agents_call(self.caller, found)
        with errors_as_answers():
            appeal = appeal_edits.withdraw_appeal(appeal_id, self.caller)
        return Response(_serialize(appeal, self.caller, is_own=is_own))


class AcknowledgeView(ApiView):
    """The agent has read a review."""

    @extend_schema(
        operation_id="reviews_acknowledge",
        tags=["Reviews"],
        request=None,
        responses={200: serializers.AcknowledgementSerializer, **openapi.error_responses(404, 409)},
    )
    def post(self, request: Request, call_id: int) -> Response:
        """Confirm that you have read the review of your call; harmless to repeat. 409: there is no review."""
        call, _is_own = _get_agents_call(self.caller, call_id)
        with errors_as_answers():
            found = appeal_edits.acknowledge_review(call.pk, self.caller)
        row = {
            "call_id": call.pk,
            "review_id": found.review_id,
            "revision": found.review.revision,
            "acknowledged_at": found.at,
        }
        return Response(serializers.AcknowledgementSerializer(row).data)


def get_call(user: User, call_id: int) -> tuple[Call, bool]:
    """Return the call, and whether the user sees it as its agent alone; Http404 when it is not visible."""
    calls = Call.objects.select_related("project")
    if find_own_call(user, call_id) is not None:
        return calls.get(pk=call_id), True
    visible = calls.filter(project__in=permissions.visible_to(user))
    call = visible.filter(pk=call_id).first() if call_id <= MAX_ID else None
    if call is None:
        raise Http404
    return call, False


def _get_agents_call(user: User, call_id: int) -> tuple[Call, bool]:
    call, is_own = get_call(user, call_id)
    if not is_own and not is_own_call(user, call):
        raise PermissionDenied(str(Message("not_your_call")))
    return call, is_own


def _get_decidable(user: User, appeal_id: int) -> Appeal:
    appeals = Appeal.objects.select_related("project", "call")
    appeal = appeals.filter(pk=appeal_id).first() if appeal_id <= MAX_ID else None
    if appeal is None:
        raise Http404
    if not permissions.visible_to(user).filter(pk=appeal.project_id).exists():
        own = find_own_calls(user, project_id=appeal.project_id)
        if own is None or own.agent_id != appeal.call.agent_id:
            raise Http404
        raise PermissionDenied(str(Message("appeal_by_appellant", value=appeal.pk)))
    require_writer(user, appeal.project)
    return appeal


@contextmanager
def errors_as_answers() -> Iterator[None]:
    """Turn what an appeal may raise into 400, 403, 404 and 409."""
    try:
        yield
    except InvalidReview as error:
        raise ValidationError({error.field: [str(error)]}) from None
    except (OwnJudgement, OthersAppeal) as error:
        raise PermissionDenied(str(error)) from None
    except ReviewConflict as error:
        raise Conflict(str(error)) from None
    except (Call.DoesNotExist, Appeal.DoesNotExist):  # gone since it was looked up
        raise Http404 from None


def _page(view: ApiView, request: Request, appeals: QuerySet[Appeal], *, is_own: bool) -> Response:
    pages = StandardPagination()
    page = pages.paginate_queryset(appeals, request, view=view)
    rows = [_serialize(each, view.caller, is_own=is_own) for each in page or []]
    return pages.get_paginated_response(rows)


def _serialize(appeal: Appeal, reader: User, *, is_own: bool) -> Any:
    return serializers.AppealSerializer(describe_appeal(appeal, reader, is_own=is_own)).data
