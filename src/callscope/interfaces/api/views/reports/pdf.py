"""GET /calls/api/report/pdf/: the report as a document, with an executive summary."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation.trans_real import parse_accept_lang_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note
from callscope.calls.private_words import engines_for_projects
from callscope.interfaces.api.call_scope import get_own_calls, get_scope_or_404, get_window
from callscope.interfaces.api.docs import openapi, parameters
from callscope.interfaces.api.views.base import ApiView, IgnoreClientContentNegotiation
from callscope.interfaces.guard.rate_limit import PDF
from callscope.pipeline.ledger import usage
from callscope.processes.file_lock import FileLock
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reviews.calibration.visibility import list_blinded_calls
from callscope.reviews.reading import list_hidden

AT_ONCE = 2  # PDFs; each holds a thread of the web for as long as a language model takes
TURN_S = 30.0  # how long a request waits for somebody else's PDF
RETRY_AFTER_S = 10
MAKING = "Your last PDF is still being made."
BUSY = "Several PDFs are being made. Try again in a few seconds."


class ReportPdfView(ApiView):
    content_negotiation_class = IgnoreClientContentNegotiation
    request_weight = PDF

    @extend_schema(
        operation_id="calls_report_pdf",
        tags=["Reports"],
        summary="The report as a PDF",
        parameters=[
            *parameters.SCOPE,
            *parameters.WINDOW,
            OpenApiParameter(
                "Accept-Language",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                description="es for Spanish, otherwise English. With a session, the language of the pages.",
            ),
        ],
        responses={
            (200, "application/pdf"): OpenApiTypes.BINARY,
            **{status: error for status, error in parameters.ERRORS.items() if status != 406},
            404: parameters.NOT_FOUND,
            429: OpenApiResponse(
                openapi.DETAIL,
                "Too many requests, this user's last PDF is still being made, or too many others are.",
                [OpenApiExample("429", {"detail": MAKING}, status_codes=["429"])],
            ),
        },
    )
    def get(self, request: Request) -> HttpResponse:
        window = get_window(request)
        own = get_own_calls(request)
        projects = [own.project] if own is not None else get_scope_or_404(request).projects
        language = choose_language(request, self.caller)
        hosts = engines_for_projects(*projects).llm_hosts
        with hold_turn(self.caller.pk):
            note(
                self.caller,
                "report.printed",
                "report",
                projects=[project.pk for project in projects],
                hosts=hosts,
            )
            document = build_report_pdf(
                projects,
                window,
                language=language,
                generated_at=timezone.now(),
                agent_id=own.agent_id if own is not None else None,
                blinded=find_kept_back(request, self.caller),
                scope={"team": team} if (team := request.query_params.get("team", "")) else {},
            )
        if document.narrative.reply and document.model:
            usage.record_narrative(self.caller, document.model.name, document.narrative.reply)
        return HttpResponse(
            document.content,
            content_type="application/pdf",
            headers={
                "Content-Disposition": f'attachment; filename="{document.file_name}"',
                "Content-Language": language,
                "Vary": "Accept-Language, Authorization, Cookie",
            },
        )


def find_kept_back(request: Request, user: User) -> frozenset[int]:
    """Return the calls that the PDF must not quote; of a session, which is of pages, blind reviews count."""
    return list_hidden(user).all if request.auth is None else list_blinded_calls(user)


def choose_language(request: Request, user: User) -> str:
    """Return the language that a person chose on the pages, else the best one of Accept-Language, else en."""
    languages = dict(settings.LANGUAGES)
    if request.auth is None:  # a session: somebody looks at pages
        chosen: str = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") or user.language
        if chosen in languages:
            return chosen
    for tag, quality in parse_accept_lang_header(request.headers.get("Accept-Language", "")):
        primary = tag.partition("-")[0]
        if quality and primary in languages:
            return primary
    return "en"


@contextlib.contextmanager
def hold_turn(user_id: int) -> Iterator[None]:
    """Hold a turn to make a PDF, in all processes of this machine. Raises Throttled.

    A user has one PDF in the making; AT_ONCE are made at once, and as many more requests wait.
    """
    with contextlib.ExitStack() as held:

        def take(name: str, timeout_s: float = 0.0) -> bool:
            lock = held.enter_context(contextlib.closing(FileLock(Path(settings.DATA_DIR) / "locks" / name)))
            return lock.acquire(timeout_s=timeout_s)

        if not take(f"pdf-{user_id}"):
            raise Throttled(RETRY_AFTER_S, MAKING)
        if not any(take(f"pdf-turn-{number}") for number in range(AT_ONCE)):
            place = next((number for number in range(AT_ONCE) if take(f"pdf-waits-{number}")), None)
            if place is None or not take(f"pdf-turn-{place}", TURN_S):
                raise Throttled(RETRY_AFTER_S, BUSY)
        yield
