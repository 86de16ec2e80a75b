"""GET /calls/api/report/pdf/: the report as a document, with an executive summary."""

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

from callscope.interfaces.api import call_schema, openapi
from callscope.interfaces.api.call_scope import reachable_scope_of, window_of
from callscope.interfaces.api.views import View
from callscope.pipeline import ledger
from callscope.reports.paper.words import choose_language
from callscope.reports.pdf import report_pdf

TURN_S = 30.0  # how long a second request of the same user waits for the first
RETRY_AFTER_S = 10
MAKING = "Your last PDF is still being made."


class WhateverIsAsked(BaseContentNegotiation):
    """The answer is a PDF, its errors are JSON, whatever Accept says."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class ReportPdfView(View):
    content_negotiation_class = WhateverIsAsked

    @extend_schema(
        operation_id="calls_report_pdf",
        tags=["Reports"],
        summary="The report as a PDF",
        parameters=[
            *call_schema.SCOPE,
            *call_schema.WINDOW,
            OpenApiParameter(
                "Accept-Language",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                description="es for Spanish; else English. With a session, the language of the pages counts.",
            ),
        ],
        responses={
            (200, "application/pdf"): OpenApiTypes.BINARY,
            **{status: error for status, error in call_schema.ERRORS.items() if status != 406},
            404: call_schema.NOT_FOUND,
            429: OpenApiResponse(
                openapi.DETAIL,
                "Too many requests, or this user's last PDF is still being made.",
                [OpenApiExample("429", {"detail": MAKING}, status_codes=["429"])],
            ),
        },
    )
    def get(self, request: Request) -> HttpResponse:
        window = window_of(request)
        scope = reachable_scope_of(request)
        language = self._language(request)
        with one_at_a_time(self.caller.pk):
            document = report_pdf(scope.projects, window, language=language, generated_at=timezone.now())
        if document.narrative.reply and document.model:
            ledger.record_narrative(self.caller, document.model.name, document.narrative.reply)
        return HttpResponse(
            document.content,
            content_type="application/pdf",
            headers={
                "Content-Disposition": f'attachment; filename="{document.file_name}"',
                "Content-Language": language,
                "Cache-Control": "private, no-store",
                "Vary": "Accept-Language, Authorization, Cookie",
            },
        )

    def _language(self, request: Request) -> str:
        """Return the language that was chosen on the pages, where a session came, else that of the header."""
        chosen = ""
        if request.auth is None:
            chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") or self.caller.language
        known = chosen if chosen in dict(settings.LANGUAGES) else ""
        return choose_language(known or request.headers.get("Accept-Language", ""))


@contextlib.contextmanager
def one_at_a_time(user_id: int) -> Iterator[None]:
    """Hold this user's turn, in all processes of this machine. Raises Throttled when it does not come."""
    folder = Path(settings.DATA_DIR) / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    deadline = time.monotonic() + TURN_S
    with (folder / f"pdf-{user_id}").open("w") as turn:
        while True:
            try:
                fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise Throttled(RETRY_AFTER_S, MAKING) from None
                time.sleep(0.05)
        yield
