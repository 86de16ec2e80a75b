"""What every page shares: who may see it, how it is sent, and the navigation around it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.gzip import gzip_page

from callscope.accounts.models import User
from callscope.interfaces.web import preferences

# What a link to another page takes along, so that the question stays the same.
SCOPE_PARAMETERS = ("project_id", "team")
WINDOW_PARAMETERS = ("date_range", "start_date", "end_date")


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation; `name` is both the url name and the first part of its path."""

    name: str
    label: str | Promise
    icon: str
    keeps: tuple[str, ...] = SCOPE_PARAMETERS


SHORTCUT_LABELS = (("on", _("On")), ("off", _("Off")))
THEME_LABELS = (("auto", _("As the system")), ("light", _("Light")), ("dark", _("Dark")))
PLACES = (
    Place("report", _("Report"), "report", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    Place("calls", _("Calls"), "calls", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    Place("questions", _("Questions"), "unknown", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    Place("upload", _("Upload"), "upload", ("project_id",)),
    Place("projects", _("Projects"), "settings", ()),
)


def page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view that is for people who are signed in.

    Others go to the sign-in page and come back; an htmx request makes the
    whole page go there. The answer is compressed and stays out of shared caches.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not (isinstance(request.user, User) and request.user.is_active):
            return _to_sign_in(request)
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, ["HX-Request"])
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return cast(Callable[..., HttpResponseBase], gzip_page(guarded))


def visitor(request: HttpRequest) -> User:
    """Return who is signed in; only in views that `page` guards."""
    return cast(User, request.user)


def show(
    request: HttpRequest, template: str, fragment: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render `fragment` for an htmx request and `template`, which includes it, for any other."""
    return render(request, fragment if wants_fragment(request) else template, context, status=status)


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page; a link that htmx follows wants all of it."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def surroundings(request: HttpRequest) -> dict[str, Any]:
    """Give every template theme, shortcuts, languages and the navigation (a context processor)."""
    return {
        "theme": preferences.theme_of(request),
        "themes": THEME_LABELS,
        "shortcuts": preferences.shortcuts_of(request),
        "shortcut_choices": SHORTCUT_LABELS,
        "languages": settings.LANGUAGES,
        "places": _places(request),
    }


def _places(request: HttpRequest) -> list[dict[str, Any]]:
    path = request.path_info.strip("/").split("/")[0]
    return [
        {
            "label": place.label,
            "icon": place.icon,
            "url": with_query(reverse(f"web:{place.name}"), kept(request, place.keeps)),
            "is_current": place.name == path,
        }
        for place in PLACES
    ]


def kept(request: HttpRequest, names: tuple[str, ...]) -> dict[str, str]:
    """Return those parameters of the address that are filled."""
    return {name: request.GET[name] for name in names if request.GET.get(name)}


def with_query(url: str, query: dict[str, Any]) -> str:
    """Return the address with its query; parameters that are None or "" are left out."""
    filled = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{url}?{urlencode(filled)}" if filled else url


def _page_of(request: HttpRequest) -> str:
    """Return the address to come back to: that of its page for a form, whose loss is told."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    if request.content_type != "application/json":
        messages.warning(request, gettext("You were signed out, so nothing was changed. Please do it again."))
    referer = urlsplit(request.headers.get("Referer", ""))
    is_ours = referer.netloc == request.get_host() and referer.path.startswith("/")
    return urlunsplit(("", "", referer.path, referer.query, "")) if is_ours else reverse("web:home")


def _to_sign_in(request: HttpRequest) -> HttpResponseBase:
    if not getattr(request, "htmx", None):
        return redirect_to_login(_page_of(request))
    address = request.htmx.current_url_abs_path or reverse("web:home")  # type: ignore[attr-defined]
    response = HttpResponse(status=401)
    response["HX-Redirect"] = with_query(reverse("web:sign-in"), {"next": address})
    return response
