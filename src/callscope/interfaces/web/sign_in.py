"""Sign-in and sign-out. Too many wrong passwords lock one e-mail from one address for a while."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from callscope.accounts.models import User
from callscope.interfaces.web import preferences

MAX_EMAIL = 254  # characters; the column of accounts.User


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": _("No account has this e-mail and password. Check both and try again."),
        "inactive": _("This account has been deactivated."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        username, password = self.fields["username"], self.fields["password"]
        username.label, password.label = _("E-mail"), _("Password")
        username.widget = forms.EmailInput(
            {"autocomplete": "username", "autofocus": True, "maxlength": username.max_length}  # type: ignore[attr-defined]
        )

    def clean_username(self) -> str:
        """Refuse what cannot be anybody's e-mail before the log of failures tries to store it."""
        username: str = self.cleaned_data["username"]
        if len(username) > MAX_EMAIL:
            raise self.get_invalid_login_error()
        return username


class SignIn(views.LoginView):
    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, and speak the language of the profile from now on."""
        response = super().form_valid(form)
        user = form.get_user()
        if isinstance(user, User) and user.language:
            preferences.keep_language(response, user.language)
        return response


class SignOut(views.LogoutView):
    next_page = "web:sign-in"


def locked_out(
    request: HttpRequest, _original: HttpResponse | None = None, _credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """Answer a sign-in that is refused for its many failures; django-axes calls this."""
    wait_minutes = round(settings.AXES_COOLOFF_TIME * 60)
    form = SignInForm(request, initial={"username": request.POST.get("username", "")[:MAX_EMAIL]})
    context = {"form": form, "wait_minutes": wait_minutes, "limit": settings.AXES_FAILURE_LIMIT}
    return render(request, "web/sign_in.html", context, status=429)
