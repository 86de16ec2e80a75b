"""Sign-in and sign-out. Wrong passwords make the next one wait; see accounts/sign_in_limits.py."""

import math
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from callscope.accounts import mail, single_sign_on
from callscope.accounts.models import User
from callscope.accounts.password_hasher import TooManyHashes, require_place
from callscope.accounts.sign_in_limits import Attempt, TooManyAttempts, fold_email, start_attempt
from callscope.accounts.trail.notes import note_refused_sign_in
from callscope.interfaces.web import known_browser
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.views.session_start import SIGNED_IN_ELSEWHERE, begin_session

MAX_EMAIL = 254  # characters; the column of accounts.User
BUSY_S = 5
FILLED_IN = "sign_in_email"  # of the session: whose password was just chosen
CLEAR_SITE_DATA = '"cache", "storage"'


class SignInForm(AuthenticationForm):
    attempt: Attempt | None = None
    error_messages = {
        "invalid_login": _("There is no account with this e-mail and password. Check both and try again."),
        "inactive": _("This account has been deactivated."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        username, password = self.fields["username"], self.fields["password"]
        username.label, password.label = _("E-mail"), _("Password")
        username.widget = forms.EmailInput(
            {"autocomplete": "username", "autofocus": True, "maxlength": username.max_length}  # type: ignore[attr-defined]
        )

        if self.is_bound or self.initial.get("username"):  # the e-mail is filled in and the password empty
            username.widget.attrs["autofocus"] = not username.get_bound_field(self, "username").value()
            password.widget.attrs["autofocus"] = not username.widget.attrs["autofocus"]

    def clean_username(self) -> str:
        """Refuse what cannot be anybody's e-mail before a password is hashed for it."""
        username: str = self.cleaned_data["username"]
        if len(username) > MAX_EMAIL:
            raise self.get_invalid_login_error()
        return username

    def clean(self) -> dict[str, Any]:
        """Check the password, as one counted attempt. Raises TooManyAttempts and TooManyHashes."""
        email = self.cleaned_data.get("username")
        if email and self.cleaned_data.get("password") and self.request is not None:
            require_place()
            self.attempt = start_attempt(email, known_browser.find_origin(self.request, email))
        try:
            cleaned: dict[str, Any] = super().clean()
        except TooManyHashes:
            if self.attempt is not None:
                self.attempt.cancel()
            raise
        if self.attempt is not None:
            self.attempt.succeed()
        return cleaned


class SignIn(views.LoginView):
    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_initial(self) -> TemplateContext:
        """Fill in the e-mail of who has just chosen a new password, once."""
        return {**super().get_initial(), "username": self.request.session.pop(FILLED_IN, "")}

    def get_context_data(self, **kwargs: Any) -> TemplateContext:
        """Return what the page shows besides the form."""
        return super().get_context_data(**kwargs) | sign_in_context()

    def post(self, request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        """Answer 429 while this e-mail or address has to wait, and 503 while too many sign in at once."""
        try:
            return super().post(request, *args, **kwargs)
        except TooManyAttempts as error:
            note_refused_sign_in(fold_email(request.POST.get("username", "")), "sign_in.locked")
            return refuse_sign_in(request, error.wait_s)
        except TooManyHashes:
            return refuse_sign_in(request, None)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Start the session, or ask for a code of the second factor."""
        user = form.get_user()
        assert isinstance(user, User)
        return begin_session(self.request, user, self.get_success_url())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Say what is wrong; after one wrong password too many, how long to wait."""
        attempt = form.attempt if isinstance(form, SignInForm) else None
        if attempt is not None:
            note_refused_sign_in(fold_email(form.data.get("username", "")), "sign_in.failed")
        if attempt is not None and attempt.wait_s:
            return refuse_sign_in(self.request, attempt.wait_s)
        return super().form_invalid(form)


class SignOut(views.LogoutView):
    next_page = "web:sign-in"

    def post(self, request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        """Sign out, and let the browser forget what it kept; not cookies: language and theme are in them."""
        was_elsewhere = request.session.get(SIGNED_IN_ELSEWHERE, False)
        response = super().post(request, *args, **kwargs)
        if was_elsewhere and single_sign_on.is_set_up():
            response = redirect("web:sso-left")
        response["Clear-Site-Data"] = CLEAR_SITE_DATA
        return response


def sign_in_context() -> TemplateContext:
    """Return which other ways into an account the page offers."""
    provider = settings.ENVIRONMENT.oidc_name if single_sign_on.is_set_up() else ""
    return {"is_mail_set_up": mail.is_mail_set_up(), "provider": provider}


def refuse_sign_in(request: HttpRequest, wait_s: float | None) -> HttpResponse:
    """Answer a sign-in that was not checked, or was wrong once too often; None: too many at once."""
    form = SignInForm(request, initial={"username": request.POST.get("username", "")[:MAX_EMAIL]})
    context = {"form": form, "next": request.POST.get("next", "")}
    context |= sign_in_context() | describe_wait(wait_s)
    response = render(request, "web/sign_in.html", context, status=503 if wait_s is None else 429)
    # Django would log a 503 as an error, and a flood would fill the log.
    response._has_been_logged = True  # type: ignore[attr-defined]
    response["Retry-After"] = str(BUSY_S if wait_s is None else math.ceil(wait_s))
    return response


def describe_wait(wait_s: float | None) -> TemplateContext:
    """Return what web/partials/wait.html shows."""
    return {"is_busy": wait_s is None, "wait_minutes": 0 if wait_s is None else math.ceil(wait_s / 60)}
