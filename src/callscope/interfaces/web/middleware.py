"""The middleware of pages: run what only browsers need, and keep to the rate limit."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import TooManyFieldsSent
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

from callscope.interfaces.guard import rate_limit
from callscope.interfaces.web.views.errors import bad_request, too_many_requests

WEIGHTS = {  # by the name of the address; all others count once
    "report-csv": rate_limit.EXPORT,
    "report-xlsx": rate_limit.EXPORT,
    "calls-csv": rate_limit.EXPORT,
    "calls-xlsx": rate_limit.EXPORT,
    "questions-csv": rate_limit.EXPORT,
    "audit-csv": rate_limit.EXPORT,
    "manifest-template": rate_limit.EXPORT,
    "project-try": rate_limit.TRIAL,
    "project-try-criterion": rate_limit.ONE_OF_TRIALS,
}


class BrowserMiddleware:
    """Run settings.BROWSER_MIDDLEWARE around every request but those with an API key.

    Placed last. The REST door, whose middleware comes first, marks requests with a
    key by `request.uses_api_key`. Of the hooks only process_view is supported.
    """

    # For a request with a key the whole chain costs as much as a page of calls, and does nothing.

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.view_hooks: list[Callable[..., HttpResponseBase | None]] = []
        for path in reversed(settings.BROWSER_MIDDLEWARE):
            middleware = import_string(path)(get_response)
            get_response = convert_exception_to_response(middleware)
            if hasattr(middleware, "process_view"):
                self.view_hooks.insert(0, middleware.process_view)
        self.browser_chain = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase
        try:
            request.GET  # noqa: B018, it is read here first
        except TooManyFieldsSent:  # each reader would raise it again, the pages of errors, too
            request.GET, request.has_long_query = QueryDict(), True  # type: ignore[attr-defined]
        if getattr(request, "uses_api_key", False):
            request.user = AnonymousUser()
            response = self.get_response(request)
        else:
            response = self.browser_chain(request)
        return response

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        if getattr(request, "has_long_query", False):
            return bad_request(request)
        if not getattr(request, "uses_api_key", False):
            for hook in self.view_hooks:
                response = hook(request, *view)
                if response is not None:
                    return response
        return None


class LimitPages:
    """Middleware: counts the pages of a signed-in user; sign-ins have limits of their own.

    The API counts its requests itself, because it finds out whose key comes.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        """Answer 429 to one request too many."""
        match = request.resolver_match
        if match is None or match.namespace != "web" or not request.user.is_authenticated:
            return None
        wait_s = rate_limit.find_wait(request.user.pk, WEIGHTS.get(match.url_name or "", 1))
        return None if wait_s is None else too_many_requests(request, wait_s)
