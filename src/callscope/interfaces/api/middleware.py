"""What holds for every path of the REST door, routed or not.

Errors are JSON, also those that are answered before a view is reached: an
unrouted path, a host that is not allowed, a crash. Rules: docs/api.md, "Errors".
"""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import translation

PATHS = ("/api/", "/calls/api/")
READ_BY_PEOPLE = "api-docs"

DETAILS = {
    400: "The request could not be understood.",
    403: "You do not have permission to perform this action.",
    404: "Not found.",
    405: "This method is not allowed here.",
    413: "The request is too large.",
    416: "The range starts after the end of the file.",
    500: "An unexpected error happened. It has been logged.",
    503: "The service is not available now. Try again later.",
}
UNKNOWN_HOST = (
    "This server does not answer under this name. Add it to CALLSCOPE_ALLOWED_HOSTS if it is yours."
)
KEPT_HEADERS = ("Accept-Ranges", "Allow", "Content-Range", "Retry-After", "WWW-Authenticate", "Vary")


def is_api_path(request: HttpRequest) -> bool:
    path = request.path_info
    return path.startswith(PATHS) or f"{path}/" in PATHS


class ApiBoundary:
    """Middleware, placed first: turns HTML error pages into JSON under the paths of the API.

    It also marks the requests that an API key authenticates or refuses; a session
    cookie that comes with them counts for nothing.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_api = is_api_path(request)
        request.uses_api_key = is_api and "HTTP_AUTHORIZATION" in request.META  # type: ignore[attr-defined]
        response = self.get_response(request)
        if not is_api:
            return response
        if response.status_code == 301 and request.method not in ("GET", "HEAD", "OPTIONS"):
            # Clients repeat a redirected POST as a GET: the upload would be lost behind a 200.
            return _json_error(404, f"{DETAILS[404]} Paths end in a slash: {response.headers['Location']}")
        if response.status_code < 400 or "json" in response.headers.get("Content-Type", ""):
            return response
        error = _json_error(response.status_code, "" if _is_host_allowed(request) else UNKNOWN_HOST)
        for name in KEPT_HEADERS:
            if response.has_header(name):
                error[name] = response.headers[name]
        return error

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        """Answer in English whatever the browser prefers: messages are read by programs and in logs.

        Runs after the language of the browser was chosen, before the view. The page that people
        read is in their language.
        """
        match = request.resolver_match
        if is_api_path(request) and (match is None or match.view_name != READ_BY_PEOPLE):
            translation.activate("en")


def _is_host_allowed(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True


def _json_error(status: int, detail: str = "") -> HttpResponse:
    default = DETAILS.get(status, DETAILS[500] if status >= 500 else DETAILS[400])
    return JsonResponse({"detail": detail or default}, status=status)
