"""The visitor's account: password, sessions, language, theme."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import audit, services, sessions
from callscope.accounts.models import User
from callscope.accounts.password_hasher import TooManyHashes
from callscope.accounts.sign_in_limits import TooManyAttempts, start_attempt
from callscope.accounts.trail.notes import note_refused_sign_in
from callscope.interfaces.web import known_browser
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.password_forms import ChangedPasswordForm
from callscope.interfaces.web.views.session import CLEAR_SITE_DATA, describe_wait
from callscope.interfaces.web.views.session_start import describe_session


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the account; change its password, which ends every other session."""
    user = current_user(request)
    data: Any = request.POST if request.method == "POST" else None
    form: ChangedPasswordForm = ChangedPasswordForm(user, data)
    form.fields["old_password"].widget.attrs.pop("autofocus", None)
    try:
        is_valid = form.is_bound and _check_form(request, user, form)
        if is_valid:
            form.save()
    except (TooManyAttempts, TooManyHashes) as error:
        wait_s = error.wait_s if isinstance(error, TooManyAttempts) else None
        status = 503 if wait_s is None else 429
        return _show(request, user, ChangedPasswordForm(user), status=status, **describe_wait(wait_s))
    if is_valid:
        update_session_auth_hash(request, user)
        describe_session(request)
        sessions.end_other_sessions(user, request.session.session_key or "")
        audit.record(user, "user.password_changed", f"user {user.pk}")
        messages.success(request, _("The password was changed. Other sessions have ended."))
        return redirect("web:account")
    return _show(request, user, form, status=400 if form.is_bound else 200)


@signed_in_page
@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End one session of the visitor, or all of them, this one too."""
    user = current_user(request)
    session = request.POST.get("session", "")
    if session:
        ended = sessions.end_session(user, session)
        if ended:
            messages.success(request, _("The session has ended."))
        return redirect("web:account")
    services.end_sessions(user, by=user)
    logout(request)
    response = redirect("web:sign-in")
    response["Clear-Site-Data"] = CLEAR_SITE_DATA
    return response


def _show(
    request: HttpRequest, user: User, form: ChangedPasswordForm, *, status: int, **context: Any
) -> HttpResponse:
    context |= {
        "form": form,
        "sessions": sessions.list_sessions(user, now=timezone.now()),
        "this_session": sessions.hash_key(request.session.session_key or ""),
    }
    return render(request, "web/account.html", context, status=status)


def _check_form(request: HttpRequest, user: User, form: ChangedPasswordForm) -> bool:
    """Return whether the form is valid. The old password counts as a sign-in: a session may be stolen."""
    attempt = start_attempt(user.email, known_browser.find_origin(request, user.email), is_signed_in=True)
    try:
        is_valid = form.is_valid()
    except TooManyHashes:
        attempt.cancel()
        raise
    if "old_password" in form.errors:
        note_refused_sign_in(user.email, "password.refused")
    else:
        attempt.succeed()
    return is_valid
