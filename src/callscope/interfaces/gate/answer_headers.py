"""What every answer tells the browser: keep nothing, run nothing in a download, use HTTPS again."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase

STATIC_PATH = "/static/"
KEPT_STATUSES = (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED)
HSTS = "max-age=31536000"  # a year; other names of the domain are the operator's business
# A file that a stranger made gets no scripts, no forms, no origin and no network, even if a browser shows it.
FILE_POLICY = "sandbox; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'"


class AnswerHeaders:
    """Middleware, placed first, because the API's errors are built behind all others.

    Pages, figures and recordings are about people: a browser must not write them to its disk, where
    the next person at that computer finds them after the sign-out. Static files are everybody's.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_static = request.path_info.startswith(STATIC_PATH) and response.status_code in KEPT_STATUSES
        if not is_static:
            response["Cache-Control"] = "no-store"
        if response.has_header("Content-Disposition"):
            response["Content-Security-Policy"] = FILE_POLICY
        if request.is_secure():
            response["Strict-Transport-Security"] = HSTS
        return response
