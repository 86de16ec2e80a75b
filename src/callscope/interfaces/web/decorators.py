"""The decorator of every page for signed-in people, and who they are."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.views.decorators.gzip import gzip_page

from callscope.accounts import second_factor_policy
from callscope.accounts.models import User
from callscope.interfaces.web.query_string import with_query


def signed_in_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view that is for people who are signed in.

    Others go to the sign-in page and come back; an htmx request makes the
    whole page go there. The answer is compressed.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not (isinstance(request.user, User) and request.user.is_active):
            return _redirect_to_sign_in(request)
        found = request.resolver_match
        is_setup_page = found is not None and found.view_name == "web:second-factor"
        if second_factor_policy.is_missing(request.session) and not is_setup_page:
            messages.warning(request, gettext("This server requires a second factor. Set yours up first."))
            return redirect("web:second-factor")
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return cast(Callable[..., HttpResponseBase], gzip_page(guarded))


def current_user(request: HttpRequest) -> User:
    """Return who is signed in; only in views that `signed_in_page` guards."""
    return cast(User, request.user)


def _redirect_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    if getattr(request, "htmx", None):
        # htmx would put the sign-in page into the fragment; this header makes it load the whole page.
        address = request.htmx.current_url_abs_path or reverse("web:home")  # type: ignore[attr-defined]
        response = HttpResponse(status=401)
        response["HX-Redirect"] = with_query(reverse("web:sign-in"), {"next": address})
        return response
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path())
    # A form is lost; its page, not its own address, is what can be opened again.
    if request.content_type != "application/json":
        messages.warning(request, gettext("You were signed out, so nothing was changed. Please try again."))
    referer = urlsplit(request.headers.get("Referer", ""))
    is_own_page = referer.netloc == request.get_host() and referer.path.startswith("/")
    page = urlunsplit(("", "", referer.path, referer.query, "")) if is_own_page else reverse("web:home")
    return redirect_to_login(page)
