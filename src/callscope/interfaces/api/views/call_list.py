"""GET /calls/api/calls/: the call list, in pages."""

from urllib.parse import parse_qs, urlencode

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from callscope.interfaces.api.call_scope import get_own_calls, get_scope, get_window
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import calls
from callscope.interfaces.api.views.base import ApiView
from callscope.reports.call_list.call_rows import hide_results_of
from callscope.reports.call_list.filters import CallFilters, InvalidFilter
from callscope.reports.call_list.listing import NoSuchPage, find_page
from callscope.reviews.calibration.visibility import list_blinded_calls

PAGE = "page"


class CallListView(ApiView):
    @extend_schema(
        operation_id="calls_list",
        tags=["Calls"],
        summary="The calls in scope, filtered and ordered, 25 per page",
        parameters=[*parameters.SCOPE, *parameters.WINDOW, *parameters.FILTERS],
        responses={200: calls.CallPageSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> HttpResponse:
        window = get_window(request)
        try:
            filters = CallFilters.from_query(request.query_params)
        except InvalidFilter as error:
            raise ValidationError({error.field: [str(error.message)]}) from None
        own = get_own_calls(request)
        if own is not None:
            project_ids, filters = [own.project.pk], filters.of_agent(own.agent_id)
        else:
            project_ids = get_scope(request).project_ids
        blinded = list_blinded_calls(self.caller)
        filters = filters.blinded_to(blinded)
        try:
            page = find_page(project_ids, window, filters, request.query_params.get(PAGE) or "1")
        except NoSuchPage:
            raise NotFound("Invalid page.") from None
        following, previous = _get_page_urls(request, page.next_number, page.previous_number)
        items = list(hide_results_of(page.items, blinded))
        answer = calls.CallPage(page.count, following, previous, items)
        return HttpResponse(calls.encode_json(answer), content_type="application/json")


def _get_page_urls(request: Request, *numbers: int | None) -> list[str | None]:
    """Return the absolute addresses of these pages, with the other parameters as they were sent."""
    if not any(numbers):
        return [None] * len(numbers)
    path = request.build_absolute_uri(request.path)
    query = parse_qs(request.META.get("QUERY_STRING", ""), keep_blank_values=True)
    query.pop(PAGE, None)
    urls: list[str | None] = []
    for number in numbers:
        page_query = query if number == 1 else query | {PAGE: [str(number)]}
        url = f"{path}?{urlencode(sorted(page_query.items()), doseq=True)}" if page_query else path
        urls.append(url if number else None)
    return urls
