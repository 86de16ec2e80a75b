"""The second factor: asked for at the sign-in, set up and removed on a page of the account."""

import math
import textwrap

import segno
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from callscope.accounts import second_factor, second_factor_policy, sessions
from callscope.accounts.models import RecoveryCode, User
from callscope.accounts.password_hasher import TooManyHashes
from callscope.accounts.sign_in_limits import CODES, TooManyAttempts, start_attempt
from callscope.accounts.trail.notes import note_refused_sign_in
from callscope.interfaces.web import known_browser
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.views.session import describe_wait
from callscope.interfaces.web.views.session_start import finish_session, get_pending

GROUP_LENGTH = 4  # letters of the key that are read, and typed, at once
MAX_CODE_LENGTH = 40  # of a recovery code with its dashes and some spaces


class Code(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=MAX_CODE_LENGTH,
        help_text=gettext_lazy("The six digits that your app shows, or a recovery code."),
        widget=forms.TextInput({"autocomplete": "one-time-code", "autofocus": True}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def ask_for_code(request: HttpRequest) -> HttpResponse:
    """Ask who has shown the password for a code, which is tried a few times at most."""
    pending = get_pending(request)
    if pending is None:
        messages.warning(request, _("The sign-in took too long. Start again."))
        return redirect("web:sign-in")
    user, next_page = pending
    form = Code(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            attempt = start_attempt(user.email, known_browser.find_origin(request, user.email), limits=CODES)
        except TooManyAttempts as error:
            return _refuse(request, error.wait_s)
        if second_factor.check_code(user, form.cleaned_data["code"]):
            attempt.succeed()
            return finish_session(request, user, next_page, is_verified=True)
        note_refused_sign_in(user.email, "sign_in.failed")
        if attempt.wait_s:
            return _refuse(request, attempt.wait_s)
        form.add_error("code", _("This code is wrong, or it was already used. Wait for the next one."))
    status = 400 if form.is_bound else 200
    return render(request, "web/access/code.html", {"form": form}, status=status)


def _refuse(request: HttpRequest, wait_s: float) -> HttpResponse:
    context = {"form": Code(), "wait_minutes": math.ceil(wait_s / 60)}
    response = render(request, "web/access/code.html", context, status=429)
    response["Retry-After"] = str(math.ceil(wait_s))
    return response


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest) -> HttpResponse:
    """Show the state of the second factor; the button that was pressed says what to do."""
    user, do = current_user(request), request.POST.get("do", "")
    is_set_up = second_factor.is_set_up(user)
    if is_set_up and second_factor_policy.is_missing(request.session):
        logout(request)  # the session began before a factor was asked for
        return redirect("web:sign-in")
    if do == "confirm" and not is_set_up:
        return _confirm(request, user)
    if do in ("start", "codes", "remove"):
        problem, wait_s, status = _check_password(request, user)
        if status != 200:
            context: TemplateContext = {"problem": problem}
            if status != 400:
                context |= describe_wait(wait_s)
            return _show(request, user, context, status=status)
        if do == "start" and not is_set_up:
            return _show(request, user, _setup_context(user))
        if do == "codes" and is_set_up:
            return _show(request, user, {"codes": second_factor.make_recovery_codes(user)})
        if do == "remove" and second_factor.remove(user, by=user):
            request.session.pop(second_factor_policy.VERIFIED, None)
            messages.success(request, _("The second factor was removed."))
        return redirect("web:second-factor")
    return _show(request, user, {})


def _confirm(request: HttpRequest, user: User) -> HttpResponse:
    codes = second_factor.confirm(user, request.POST.get("code", "")[:MAX_CODE_LENGTH])
    if not codes:
        problem = _("This code is wrong. Is the clock of your phone right? Try the next code.")
        return _show(request, user, {"problem": problem, **_setup_context(user)}, status=400)
    request.session[second_factor_policy.VERIFIED] = True
    sessions.end_other_sessions(user, request.session.session_key or "")
    messages.success(request, _("The second factor is set up. Other sessions have ended."))
    return _show(request, user, {"codes": codes})


def _setup_context(user: User) -> TemplateContext:
    secret = second_factor.start_setup(user)
    code = segno.make(second_factor.setup_address(user, secret), error="m")
    return {
        "secret": secret,
        "secret_groups": textwrap.wrap(secret, GROUP_LENGTH),
        "qr": code.svg_inline(scale=4, light="white"),
    }


def _check_password(request: HttpRequest, user: User) -> tuple[str, float | None, int]:
    """Return (problem, seconds to wait, status): a session may be stolen, so the password is asked again."""
    if not user.has_usable_password():  # who signs in elsewhere has none
        return "", None, 200
    try:
        attempt = start_attempt(user.email, known_browser.find_origin(request, user.email), is_signed_in=True)
    except TooManyAttempts as error:
        return "", error.wait_s, 429
    try:
        is_right = user.check_password(request.POST.get("password", ""))
    except TooManyHashes:
        attempt.cancel()
        return "", None, 503
    if not is_right:
        return _("The password is wrong."), None, 400
    attempt.succeed()
    return "", None, 200


def _show(request: HttpRequest, user: User, context: TemplateContext, *, status: int = 200) -> HttpResponse:
    context |= {
        "is_set_up": second_factor.is_set_up(user),
        "is_required": second_factor_policy.is_required(),
        "codes_left": RecoveryCode.objects.filter(user=user).count(),
        "asks_password": user.has_usable_password(),
    }
    return render(request, "web/access/second_factor.html", context, status=status)
