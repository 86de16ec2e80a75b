"""Count every request by its door, and how long it took, for the metrics."""

import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from callscope.processes import counters

DOORS = {"/api/": "api", "/calls/api/": "api", "/static/": "static"}
PROBES = {"/healthz", "/readyz", "/metrics"}
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class CountRequests:
    """Middleware, placed outside of all that answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.monotonic()
        response = self.get_response(request)
        door = find_door(request.path_info)
        method = request.method if request.method in METHODS else "other"
        status = f"{response.status_code // 100}xx"
        counters.count("callscope_requests_total", door=door, method=str(method), status=status)
        counters.observe("callscope_request_seconds", time.monotonic() - began, door=door)
        return response


def find_door(path: str) -> str:
    """Return api, static, probe or page. Paths themselves would be a label for each call."""
    if path in PROBES:
        return "probe"
    return next((door for start, door in DOORS.items() if path.startswith(start)), "page")
