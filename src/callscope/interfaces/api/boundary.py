"""What holds for every path of the REST door, routed or not.

Errors are JSON, also those that are answered before a view is reached: an
unrouted path, a host that is not allowed, a crash. Rules: docs/api.md, "Errors".
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.module_loading import import_string

PATHS = ("/api/", "/calls/api/")
MAX_READ_ON = 512 * 1024 * 1024  # bytes
_CHUNK = 256 * 1024

DETAILS = {
    400: "The request could not be understood.",
    403: "You do not have permission to perform this action.",
    404: "Not found.",
    405: "This method is not allowed here.",
    411: "Send the body with a Content-Length, not in chunks.",
    413: "The request is too large.",
    416: "The file ends before the range begins.",
    500: "An unexpected error happened. It has been logged.",
    503: "The service is not available now. Try again later.",
}


def is_api_path(request: HttpRequest) -> bool:
    path = request.path_info
    return path.startswith(PATHS) or f"{path}/" in PATHS


def has_key(request: HttpRequest) -> bool:
    """Whether an API key decides, or refuses, the request; a session beside it counts for nothing."""
    return "HTTP_AUTHORIZATION" in request.META and is_api_path(request)


class ApiBoundary:
    """Middleware, placed first: turns pages of error into JSON under the paths of the API."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._answer(request)
        _read_on(request)
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        if not is_api_path(request):
            return self.get_response(request)
        if _comes_in_chunks(request):
            return _problem(411)
        response = self.get_response(request)
        if response.status_code == 301 and request.method not in ("GET", "HEAD", "OPTIONS"):
            # Clients repeat a redirected POST as a GET: the upload would be lost behind a 200.
            return _problem(404, f"{DETAILS[404]} Paths end in a slash: {response.headers['Location']}")
        if response.status_code >= 400 and not _speaks_json(response):
            return _as_json(response)
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        """Answer in English whatever the browser prefers: messages are read by programs and in logs.

        Runs after the language of the browser was chosen, before the view.
        """
        if is_api_path(request):
            translation.activate("en")


class ForPeople:
    """Middleware, placed last: runs settings.MIDDLEWARE_FOR_PEOPLE around all but requests with an API key.

    Sessions, languages, CSRF tokens and messages are of browsers, and cost as much as a page of calls.
    Knows no hooks but process_view.
    """

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.view_hooks: list[Callable[..., HttpResponseBase | None]] = []
        for path in reversed(settings.MIDDLEWARE_FOR_PEOPLE):
            middleware = import_string(path)(get_response)
            get_response = convert_exception_to_response(middleware)
            if hasattr(middleware, "process_view"):
                self.view_hooks.insert(0, middleware.process_view)
        self.for_people = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        has_session = not has_key(request)
        if not has_session:
            request.user = AnonymousUser()
        response: HttpResponseBase = (self.for_people if has_session else self.get_response)(request)
        return response

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        if not has_key(request):
            for hook in self.view_hooks:
                response = hook(request, *view)
                if response is not None:
                    return response
        return None


def _comes_in_chunks(request: HttpRequest) -> bool:
    """Whether the length of the body is not known before its end; WSGI reads such a body as empty."""
    is_chunked = "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower()
    return is_chunked and not request.META.get("CONTENT_LENGTH")


def _read_on(request: HttpRequest) -> None:
    """Read what nobody read of a body, as of an upload that was refused at the door.

    The server closes a connection on bytes that are left, without saying so: the
    next request that a client sends over it would go unanswered.
    """
    body = request.META.get("wsgi.input") if _comes_in_chunks(request) else request
    read = 0
    try:
        while body and read < MAX_READ_ON and (chunk := body.read(_CHUNK)):
            read += len(chunk)
    except OSError:
        pass  # The client went away; nobody waits for the rest.


def _speaks_json(response: HttpResponseBase) -> bool:
    return "json" in response.headers.get("Content-Type", "")


def _as_json(response: HttpResponseBase) -> HttpResponse:
    answer = _problem(response.status_code)
    for name in ("Accept-Ranges", "Allow", "Content-Range", "Retry-After", "WWW-Authenticate", "Vary"):
        if response.has_header(name):
            answer[name] = response.headers[name]
    return answer


def _problem(status: int, detail: str = "") -> HttpResponse:
    usual = DETAILS.get(status, DETAILS[500] if status >= 500 else DETAILS[400])
    return JsonResponse({"detail": detail or usual}, status=status)
