"""GET /calls/api/calls/: the call list, in pages."""

from typing import Any

from django.utils.encoding import iri_to_uri
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import scope_of, window_of
from callscope.interfaces.api.views import View
from callscope.reports.call_filters import CallFilters, InvalidFilter
from callscope.reports.call_table import NoSuchPage, find_calls, item_json


class CallListView(View):
    @extend_schema(
        operation_id="calls_list",
        tags=["Calls"],
        summary="The calls in scope, filtered, ordered, 25 a page",
        parameters=[*call_schema.SCOPE, *call_schema.WINDOW, *call_schema.FILTERS],
        responses={200: call_schema.CallPage, **call_schema.ERRORS, 404: call_schema.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        window = window_of(request)
        filters = _filters_of(request)
        scope = scope_of(request)
        try:
            page = find_calls(scope.projects, window, filters, request.query_params.get("page") or "1")
        except NoSuchPage:
            raise NotFound("Invalid page.") from None
        return Response(
            {
                "count": page.count,
                "next": _page_url(request, page.next_number),
                "previous": _page_url(request, page.previous_number),
                "results": [item_json(item) for item in page.items],
            }
        )


def _filters_of(request: Request) -> CallFilters:
    try:
        return CallFilters.from_query(request.query_params)
    except InvalidFilter as error:
        raise ValidationError({error.field: [error.message]}) from None


def _page_url(request: Request, number: int | None) -> str | None:
    if number is None:
        return None
    url: Any = request.build_absolute_uri()
    moved = remove_query_param(url, "page") if number == 1 else replace_query_param(url, "page", number)
    return iri_to_uri(moved)
