"""Start a session once somebody has shown who they are; before, ask for a code of the second factor."""

import time

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from callscope.accounts import audit, second_factor, sessions
from callscope.accounts.models import User
from callscope.accounts.second_factor_policy import VERIFIED
from callscope.accounts.sign_in_limits import remember_origin
from callscope.interfaces.web import known_browser
from callscope.interfaces.web.views import preferences
from callscope.projects import invitations

BACKEND = "callscope.accounts.sign_in.EmailBackend"
PENDING = "waits_for_code"  # in the session: who has shown the password
PENDING_S = 300
SIGNED_IN_ELSEWHERE = "signed_in_elsewhere"  # in the session: at an identity provider


def begin_session(
    request: HttpRequest, user: User, next_page: str, *, is_verified: bool = False
) -> HttpResponse:
    """Sign the user in, or ask for a code first; `is_verified`: somebody else asked for a second factor."""
    if not second_factor.is_set_up(user):
        return finish_session(request, user, next_page, is_verified=is_verified)
    request.session.cycle_key()
    request.session[PENDING] = {
        "user": user.pk,
        "password": user.get_session_auth_hash(),
        "next": next_page,
        "until": time.time() + PENDING_S,
    }
    return redirect("web:sign-in-code")


def get_pending(request: HttpRequest) -> tuple[User, str] | None:
    """Return who has to show a code, and where to go then; None when that took too long."""
    pending = request.session.get(PENDING)
    if not pending or pending["until"] < time.time():
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    if user is None or user.get_session_auth_hash() != pending["password"]:
        return None
    return user, pending["next"]


def finish_session(
    request: HttpRequest, user: User, next_page: str, *, is_verified: bool = False
) -> HttpResponse:
    """Sign in, know this browser again, and speak the language of the profile from now on."""
    request.session.pop(PENDING, None)
    login(request, user, backend=BACKEND)
    if is_verified:
        request.session[VERIFIED] = True
    response = HttpResponseRedirect(next_page)
    audit.record(user, "user.signed_in", f"user {user.pk}", second_factor=is_verified)
    remember_origin(user.email, known_browser.remember(response, user.email))
    describe_session(request)
    if invitations.list_for(user, now=timezone.now()):
        messages.info(request, _("You have been invited: see Invitations in your account menu."))
    if user.language:
        preferences.keep_language(response, user.language)
    return response


def describe_session(request: HttpRequest) -> None:
    """Note address and browser of a session that has just begun."""
    sessions.describe_session(
        request.session.session_key or "",
        address=request.META.get("REMOTE_ADDR", ""),
        browser=request.headers.get("User-Agent", ""),
    )
