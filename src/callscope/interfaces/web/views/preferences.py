"""How a person wants the pages: language, theme, shortcuts, rows. Kept in cookies, so no page flashes."""

from collections.abc import Collection

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from callscope.accounts.models import User
from callscope.interfaces.web.preferences import (
    COOKIE_AGE_S,
    DENSITIES,
    DENSITY_COOKIE,
    PROJECT_COOKIE,
    SHORTCUTS,
    SHORTCUTS_COOKIE,
    THEME_COOKIE,
    THEMES,
)


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme and go back; an unknown one changes nothing."""
    return _keep_choice(request, "theme", THEMES, THEME_COOKIE)


@require_POST
def set_shortcuts(request: HttpRequest) -> HttpResponse:
    """Keep whether single keys act, and go back; an unknown answer changes nothing."""
    return _keep_choice(request, "shortcuts", SHORTCUTS, SHORTCUTS_COOKIE)


@require_POST
def set_density(request: HttpRequest) -> HttpResponse:
    """Keep how high the rows of tables are, and go back; an unknown height changes nothing."""
    return _keep_choice(request, "rows", DENSITIES, DENSITY_COOKIE)


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Keep the language, in the profile too for who is signed in, and go back."""
    response = HttpResponseRedirect(back(request))
    language = request.POST.get("language", "")
    if language in dict(settings.LANGUAGES):
        keep_language(response, language)
        if isinstance(request.user, User):
            User.objects.filter(pk=request.user.pk).update(language=language)
    return response


def keep_language(response: HttpResponse, language: str) -> None:
    _keep(response, settings.LANGUAGE_COOKIE_NAME, language)


def remember_project(request: HttpRequest, response: HttpResponse, project_id: int | None) -> None:
    """Keep the project, if there is one, that the report opens with the next time."""
    if project_id is not None and request.COOKIES.get(PROJECT_COOKIE) != str(project_id):
        _keep(response, PROJECT_COOKIE, str(project_id))


def back(request: HttpRequest) -> str:
    """Return the address to go back to: `next` of the form, where it is one of ours, else the start page."""
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if is_ours else resolve_url("web:home")


def _keep_choice(request: HttpRequest, field: str, allowed: Collection[str], cookie: str) -> HttpResponse:
    """Keep the value of a form's field in a cookie if it is allowed, and go back."""
    response = HttpResponseRedirect(back(request))
    value = request.POST.get(field, "")
    if value in allowed:
        _keep(response, cookie, value)
    return response


def _keep(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(
        name,
        value,
        max_age=COOKIE_AGE_S,
        path=settings.SESSION_COOKIE_PATH,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
