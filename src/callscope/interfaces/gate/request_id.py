"""Give each request an id that its answer and its log lines carry.

A proxy may have given it one already (X-Request-ID), which is kept if it is harmless.
"""

import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from callscope.processes import log_formats

HEADER = "X-Request-ID"
HARMLESS = re.compile(r"[A-Za-z0-9._:-]{8,64}", re.ASCII)
# What the addresses call the things that log lines name.
NAMED = {"project_id": "project", "file_id": "file", "call_id": "call", "task_id": "job"}


class RequestId:
    """Middleware, placed first, so that every answer has an id, also that of an error."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        request_id = given if HARMLESS.fullmatch(given) else uuid.uuid4().hex
        with log_formats.note(request_id=request_id):
            response = self.get_response(request)
        response[HEADER] = request_id
        return response

    def process_view(
        self, _request: HttpRequest, _view: Any, _args: Any, kwargs: Mapping[str, object]
    ) -> None:
        """Note what the address names."""
        log_formats.add_ids(**{NAMED[name]: value for name, value in kwargs.items() if name in NAMED})
