"""What every page shows around its content, and how a page or a part of it is rendered."""

from functools import cache, partial
from typing import Any

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from callscope.accounts.models import User
from callscope.accounts.organization import NOTHING, Shown, read_shown
from callscope.calls.own_calls import OwnCalls, find_all_there_is
from callscope.interfaces.web import preferences
from callscope.interfaces.web.engine_notices import build_engine_notices
from callscope.interfaces.web.navigation import NavLink, build_navigation
from callscope.interfaces.web.waiting import build_badges, count_waiting
from callscope.projects.models import Project
from callscope.projects.permissions import visible_to, writes_anywhere

TemplateContext = dict[str, object]

# Of pages with filters and a list.
FILTERS_ID = "narrowing"
LIST_ID = "list"

SHORTCUT_LABELS = (("on", _("On")), ("off", _("Off")))
THEME_LABELS = (("auto", _("System")), ("light", _("Light")), ("dark", _("Dark")))

DENSITY_LABELS = (("normal", _("Normal")), ("compact", pgettext_lazy("rows of tables", "Compact")))


def read_organization() -> Shown:
    """Return what pages show of the organization; nothing while the database is away."""
    try:
        return read_shown()
    except Error:
        return NOTHING


def may_review(request: HttpRequest) -> bool:
    """True if there is a project whose calls the visitor may review."""
    user = request.user
    return isinstance(user, User) and writes_anywhere(user, Project.Type.CALL)


def may_upload(user: object) -> bool:
    """True where there is a project to upload to, and for who sees none yet: that page says how to begin."""
    return isinstance(user, User) and (writes_anywhere(user) or not visible_to(user).exists())


def list_nav_links(request: HttpRequest, own: OwnCalls | None) -> list[NavLink]:
    """Return the navigation, with what waits for a visitor who may work on it."""
    user = request.user
    if not isinstance(user, User) or not may_review(request):
        return build_navigation(
            request, own, {}, may_review=False, may_upload=own is None and may_upload(user)
        )
    badges = build_badges(count_waiting(user))
    return build_navigation(request, own, badges, may_review=True, may_upload=True)


def page_context(request: HttpRequest) -> TemplateContext:
    """Give every template theme, shortcuts, rows, languages and the navigation (a context processor)."""
    find_own = cache(lambda: find_all_there_is(request.user))  # asked by whole pages only
    return {
        "organization": SimpleLazyObject(read_organization),
        "theme": preferences.get_theme(request),
        "themes": THEME_LABELS,
        "shortcuts": preferences.get_shortcuts(request),
        "shortcut_choices": SHORTCUT_LABELS,
        "density": preferences.get_density(request),
        "densities": DENSITY_LABELS,
        "languages": settings.LANGUAGES,
        "sees_own_calls_only": lambda: find_own() is not None,
        "nav_links": SimpleLazyObject(lambda: list_nav_links(request, find_own())),
        "engine_notices": partial(build_engine_notices, request),  # asked by whole pages only
    }


def render_page_or_fragment(
    request: HttpRequest, template: str, fragment: str, context: TemplateContext, *, status: int = 200
) -> HttpResponse:
    """Render `fragment` for an htmx request and `template`, which includes it, for any other."""
    chosen = fragment if wants_fragment(request) else template
    return render(request, chosen, {"is_part": False} | context, status=status)


def render_page_or_list(
    request: HttpRequest, folder: str, context: TemplateContext, *, status: int = 200
) -> HttpResponse:
    """Render a page of filters and a list whole, its body, or the list with what depends on the filters.

    The last leaves the fields of the filters as they are, since somebody may be typing in them.
    """
    if not wants_list(request):
        return render_page_or_fragment(
            request, f"web/{folder}.html", f"web/{folder}/body.html", context, status=status
        )
    is_by_form = request.headers.get("HX-Trigger") == FILTERS_ID
    return render(request, f"web/{folder}/part.html", {"is_part": True, "is_by_form": is_by_form} | context)


def wants_list(request: HttpRequest) -> bool:
    """True if htmx asks for the list of a page without the filters above it."""
    return wants_fragment(request) and request.headers.get("HX-Target") == LIST_ID


def wants_fragment(request: HttpRequest) -> bool:
    """True if htmx asks for a part of the page; a link that htmx follows wants all of it."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request
