"""What holds for every path of the REST door, routed or not.

Errors are JSON, also those that are answered before a view is reached: an
unrouted path, a host that is not allowed, a crash. Rules: docs/api.md, "Errors".
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import translation

PATHS = ("/api/", "/calls/api/")

DETAILS = {
    400: "The request could not be understood.",
    403: "You do not have permission to perform this action.",
    404: "Not found.",
    405: "This method is not allowed here.",
    413: "The request is too large.",
    500: "An unexpected error happened. It has been logged.",
    503: "The service is not available now. Try again later.",
}


def is_api_path(request: HttpRequest) -> bool:
    path = request.path_info
    return path.startswith(PATHS) or f"{path}/" in PATHS


class ApiBoundary:
    """Middleware, placed first: turns pages of error into JSON under the paths of the API."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_api_path(request):
            return self.get_response(request)
        response = self.get_response(request)
        if response.status_code >= 400 and not _speaks_json(response):
            return _as_json(response)
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        """Answer in English whatever the browser prefers: messages are read by programs and in logs.

        Runs after the language of the browser was chosen, before the view.
        """
        if is_api_path(request):
            translation.activate("en")


def _speaks_json(response: HttpResponseBase) -> bool:
    kind = response.headers.get("Content-Type", "")
    return "json" in kind or response.status_code == 416


def _as_json(response: HttpResponseBase) -> HttpResponse:
    status = response.status_code
    detail = DETAILS.get(status, DETAILS[500] if status >= 500 else DETAILS[400])
    answer = JsonResponse({"detail": detail}, status=status)
    for name in ("Allow", "Retry-After", "WWW-Authenticate", "Vary"):
        if response.has_header(name):
            answer[name] = response.headers[name]
    return answer
