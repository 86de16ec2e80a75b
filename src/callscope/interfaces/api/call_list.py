"""GET /calls/api/calls/: the call list, in pages."""

import json
from urllib.parse import parse_qs, urlencode

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import scope_of, window_of
from callscope.interfaces.api.views import View
from callscope.reports.call_filters import CallFilters, InvalidFilter
from callscope.reports.call_table import CallPage, NoSuchPage, find_page, rows_text

PAGE = "page"


class CallListView(View):
    @extend_schema(
        operation_id="calls_list",
        tags=["Calls"],
        summary="The calls in scope, filtered, ordered, 25 a page",
        parameters=[*call_schema.SCOPE, *call_schema.WINDOW, *call_schema.FILTERS],
        responses={200: call_schema.CallPage, **call_schema.ERRORS, 404: call_schema.NOT_FOUND},
    )
    def get(self, request: Request) -> HttpResponse:
        window = window_of(request)
        filters = _filters_of(request)
        scope = scope_of(request)
        try:
            page = find_page(scope.project_ids, window, filters, request.query_params.get(PAGE) or "1")
        except NoSuchPage:
            raise NotFound("Invalid page.") from None
        return HttpResponse(_page_text(request, page), content_type="application/json")


def _page_text(request: Request, page: CallPage) -> str:
    """Return the page as JSON text; making it from a dictionary takes longer than finding the calls."""
    after, before = (json.dumps(url) for url in _urls(request, page.next_number, page.previous_number))
    return f'{{"count":{page.count},"next":{after},"previous":{before},"results":{rows_text(page.rows)}}}'


def _filters_of(request: Request) -> CallFilters:
    try:
        return CallFilters.from_query(request.query_params)
    except InvalidFilter as error:
        raise ValidationError({error.field: [error.message]}) from None


def _urls(request: Request, *pages: int | None) -> list[str | None]:
    """Return the absolute addresses of these pages, with the other parameters as they were sent."""
    if not any(pages):
        return [None] * len(pages)
    here = request.build_absolute_uri(request.path)
    query = parse_qs(request.META.get("QUERY_STRING", ""), keep_blank_values=True)
    query.pop(PAGE, None)
    urls: list[str | None] = []
    for number in pages:
        asked = query if number == 1 else query | {PAGE: [str(number)]}
        address = f"{here}?{urlencode(sorted(asked.items()), doseq=True)}" if asked else here
        urls.append(address if number else None)
    return urls
