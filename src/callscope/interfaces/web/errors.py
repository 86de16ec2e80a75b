"""Pages for what went wrong: each says what happened and where to go from there."""

# ruff: noqa: ARG001 - Django passes exceptions and reasons by name, whether a page shows them or not

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
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
        _("You may not do this"),
        str(exception) or _("Ask the owner of the project for the right to change it."),
    )


def expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a valid CSRF token."""
    return _page(
        request,
        403,
        _("This form has expired"),
        _("Nothing was changed. Go back, reload the page and send the form again."),
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(
        request,
        404,
        _("There is no such page"),
        _("It does not exist, or it belongs to a project that you cannot see."),
    )


def not_allowed(request: HttpRequest) -> HttpResponse:
    return _page(
        request,
        405,
        _("This address cannot be opened like this"),
        _("It only takes what a form of Callscope sends to it."),
    )


def crashed(request: HttpRequest) -> HttpResponse:
    """Answer a mistake of ours. Asks nothing of the database, which may be what failed."""
    return _page(
        request,
        500,
        _("Something went wrong here"),
        _("The error has been logged. Reading again is safe; after a change, check whether it was made."),
        template="web/error_bare.html",
    )


class ErrorPages:
    """Middleware: gives a page to a 405 that a view answered without one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 405 and not getattr(response, "content", b"-"):
            page = not_allowed(request)
            page["Allow"] = response.headers.get("Allow", "")
            return page
        return response


def _page(
    request: HttpRequest, status: int, title: str, advice: str, *, template: str = "web/error.html"
) -> HttpResponse:
    context: dict[str, Any] = {"status": status, "title": title, "advice": advice}
    return render(request, template, context, status=status)
