"""Pages for what went wrong: each says what happened and where to go from there."""

# ruff: noqa: ARG001 - Django passes exceptions and reasons by name, whether a page shows them or not

import math
import sys
from collections.abc import Callable
from http import HTTPStatus

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.db.trouble import passes_by_itself
from callscope.interfaces.gate.body_gate import REFUSED, RETRY_AFTER_S, Refusal
from callscope.interfaces.web.page_context import TemplateContext
from callscope.processes.log_formats import get_ids

LEADS_BACK = (403, 408, 411, 413, 429, 503)  # to where the form was sent from


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        return _page(
            request,
            400,
            _("This server does not respond under this name"),
            _("The operator can add the name to CALLSCOPE_ALLOWED_HOSTS."),
            template="web/error_bare.html",
        )
    return _page(
        request,
        400,
        _("This address or form could not be read"),
        _("Go back, reload the page and try again."),
        template="web/error_bare.html",
    )


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(
        request,
        403,
        _("You are not allowed to do this"),
        str(exception) or _("Ask the owner of the project for permission to change it."),
    )


def expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a valid CSRF token."""
    return _page(
        request,
        403,
        _("This form has expired"),
        _("Nothing was changed. Go back and send the form again."),
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(
        request,
        404,
        _("This page cannot be shown"),
        _("It does not exist, or it belongs to a project that you cannot see."),
    )


def not_allowed(request: HttpRequest) -> HttpResponse:
    return _page(
        request,
        405,
        _("This address cannot be opened this way"),
        _("This address only accepts what a form of Callscope sends to it."),
    )


def crashed(request: HttpRequest) -> HttpResponse:
    """Answer trouble of the database or disk, or a mistake of ours; ask nothing of the database here."""
    if passes_by_itself(sys.exc_info()[1]):
        page = _page(
            request,
            503,
            _("Callscope cannot store or read anything right now"),
            _(
                "The database is busy, or the disk is full. Nothing was changed. Go back and send it "
                "again in a moment."
            )
            if request.method == "POST"
            else _("The database is busy, or the disk is full. Nothing was changed. Try again in a moment."),
            template="web/error_bare.html",
        )
        page["Retry-After"] = RETRY_AFTER_S
        return page
    return _page(
        request,
        500,
        _("Something went wrong"),
        _(
            "The error was logged. You can safely reload the page; after a change, check whether "
            "it was saved."
        ),
        template="web/error_bare.html",
    )


def too_many_requests(request: HttpRequest, wait_s: float) -> HttpResponse:
    """Answer one request too many within the period of the rate limit."""
    seconds = math.ceil(wait_s)
    advice = ngettext(
        "You have made too many requests. Try again in %(count)s second.",
        "You have made too many requests. Try again in %(count)s seconds.",
        seconds,
    ) % {"count": seconds}
    answer: HttpResponse
    if request.content_type == "application/json":
        answer = JsonResponse({"detail": advice}, status=429)
    else:
        answer = _page(request, 429, _("Too many requests"), advice, template="web/error_bare.html")
    answer["Retry-After"] = str(seconds)
    return answer


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Answer a form whose body the gate refused: too large, too late, without a length, or one too many."""
    seconds = int(RETRY_AFTER_S)
    again = ngettext(
        "Nothing was saved. Try again in %(count)s second.",
        "Nothing was saved. Try again in %(count)s seconds.",
        seconds,
    ) % {"count": seconds}
    title, advice = {
        HTTPStatus.REQUEST_TIMEOUT: (
            _("This form took too long to arrive"),
            _("Check your connection, look whether your change was saved, and send the form again."),
        ),
        HTTPStatus.LENGTH_REQUIRED: (
            _("This form arrived without its length"),
            _("Nothing was saved. A proxy on the way may cause this: ask the operator."),
        ),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (
            _("This form is too large"),
            _("Nothing was saved. A form may hold at most %(most)s. Go back and shorten it.")
            % {"most": refusal.most},
        ),
        HTTPStatus.TOO_MANY_REQUESTS: (_("You are sending too much at once"), again),
        HTTPStatus.SERVICE_UNAVAILABLE: (_("Too many people are sending something right now"), again),
    }[refusal.status]
    answer = _page(request, refusal.status.value, title, advice, template="web/error_bare.html")
    if refusal.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        answer["Retry-After"] = RETRY_AFTER_S
    return answer


class ErrorPages:
    """Middleware: gives a page to a 405 that a view answered without one, and to a body that was refused."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if REFUSED in request.META:
            return refused(request, request.META[REFUSED])
        response = self.get_response(request)
        if response.status_code == 405 and not getattr(response, "content", b"-"):
            page = not_allowed(request)
            page["Allow"] = response.headers.get("Allow", "")
            return page
        return response


def _page(
    request: HttpRequest, status: int, title: str, advice: str, *, template: str = "web/error.html"
) -> HttpResponse:
    context: TemplateContext = {"status": status, "title": title, "advice": advice}
    if request.method == "POST" and status in LEADS_BACK:
        came_from = request.headers.get("Referer", "")
        is_here = url_has_allowed_host_and_scheme(came_from, {request.get_host()})
        context["back_url"] = came_from if is_here else ""
    if status == 503 and request.method == "GET":  # a form is sent again from its own page
        context["retry_url"] = request.get_full_path()
    if status == 500:
        context["request_id"] = get_ids().get("request_id", "")
    return render(request, template, context, status=status)
