"""GET /calls/api/calls/{id}/: one call with its findings."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.trail.notes import note
from callscope.calls.own_calls import find_own_call
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.call_scope import get_scope
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.query_params import parse_integer
from callscope.interfaces.api.serializers import calls
from callscope.interfaces.api.views.base import ApiView
from callscope.reports.call_list.call_detail import (
    blinded_detail_json,
    detail_json,
    find_call,
    own_detail_json,
)
from callscope.reports.details.absences import absences_json
from callscope.reviews.calibration.visibility import is_blinded


class CallDetailView(ApiView):
    @extend_schema(
        operation_id="calls_detail",
        tags=["Calls"],
        summary="One call with everything that was found in it",
        parameters=parameters.SCOPE,
        responses={200: calls.CallDetailSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request, call_id: int) -> Response:
        own = find_own_call(self.caller, call_id)
        if own is not None and parse_integer(request.query_params, "project_id") in (None, own.project.pk):
            detail = find_call([own.project], call_id, own.agent_id)
            if detail is None:
                raise Http404
            note(self.caller, "call.read", f"call {call_id}", project=own.project.pk)
            absences = absences_json(detail, shows_phrases=False)  # the rubric is not for agents
            return Response(own_detail_json(detail) | {"absences": absences})
        scope = get_scope(request)
        detail = find_call(scope.project_refs, call_id) if 0 < call_id <= MAX_ID else None
        if detail is None:
            raise Http404
        note(self.caller, "call.read", f"call {call_id}", project=detail.call.project_id)
        if is_blinded(call_id, self.caller):
            return Response(blinded_detail_json(detail) | {"absences": []})
        return Response(detail_json(detail) | {"absences": absences_json(detail, shows_phrases=True)})
