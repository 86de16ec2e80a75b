"""Over HTTPS, send cookies over HTTPS alone and bind them to this host.

A name that begins with `__Host-` is taken by browsers only from this very host, over HTTPS and for
the whole of it: another host of the domain, or somebody on an unencrypted network, can then set no
session or token of theirs here. Under a path of its own Callscope must not use such names.
"""

from collections.abc import Callable
from http.cookies import Morsel
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from callscope.interfaces.web import known_browser

HOST_PREFIX = "__Host-"


class SecureCookies:
    """Browser middleware, placed first: the rest knows the cookies by their names without prefix."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.is_secure():
            return self.get_response(request)
        names: list[str] = []
        if settings.SESSION_COOKIE_PATH == "/":  # browsers take the prefix with no other
            names = [settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, known_browser.COOKIE]
        for name in names:
            bound = request.COOKIES.pop(HOST_PREFIX + name, None)
            request.COOKIES.pop(name, None)  # anybody may have set it
            if bound is not None:
                request.COOKIES[name] = bound
        response = self.get_response(request)
        for name, morsel in list(response.cookies.items()):
            morsel["secure"] = True
            if name in names:
                del response.cookies[name]
                renamed: Morsel[Any] = Morsel()
                renamed.set(HOST_PREFIX + name, morsel.value, morsel.coded_value)
                renamed.update(morsel)
                response.cookies[HOST_PREFIX + name] = renamed
        return response
