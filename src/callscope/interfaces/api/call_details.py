"""GET /calls/api/calls/{id}/: one call with its findings."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import scope_of
from callscope.interfaces.api.views import LARGEST_ID, View
from callscope.reports.call_detail import detail_json, find_call


class CallDetailView(View):
    @extend_schema(
        operation_id="calls_detail",
        tags=["Calls"],
        summary="One call with everything that was found in it",
        parameters=call_schema.SCOPE,
        responses={200: call_schema.CallDetail, **call_schema.ERRORS, 404: call_schema.NOT_FOUND},
    )
    def get(self, request: Request, call_id: int) -> Response:
        scope = scope_of(request)
        detail = find_call(scope.named, call_id) if 0 < call_id <= LARGEST_ID else None
        if detail is None:
            raise Http404
        return Response(detail_json(detail))
