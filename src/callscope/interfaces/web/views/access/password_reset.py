"""Replace a forgotten password, by a link in a mail.

The answer is the same whether or not the address has an account, and so is the time it takes: the
mail is sent later. The link opens for an hour, until the password changes or its user signs in.
"""

import math
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from callscope.accounts import mail, services
from callscope.accounts.models import User
from callscope.accounts.organization import read_shown
from callscope.accounts.password_hasher import TooManyHashes
from callscope.accounts.sign_in_limits import MAILS, TooManyAttempts, fold_email, start_attempt
from callscope.interfaces.web import known_browser
from callscope.interfaces.web.views.access.password_forms import NewPasswordForm
from callscope.interfaces.web.views.session import FILLED_IN


class Forgotten(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("E-mail"),
        max_length=services.MAX_EMAIL_LENGTH,
        widget=forms.EmailInput({"autocomplete": "username", "autofocus": True}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for the e-mail and send a link to it, if an account with a password has it."""
    if not mail.is_mail_set_up():
        raise Http404
    form = Forgotten(request.POST if request.method == "POST" else None)
    if not form.is_bound or not form.is_valid():
        status = 400 if form.is_bound else 200
        return render(request, "web/access/forgotten.html", {"form": form}, status=status)
    email = fold_email(form.cleaned_data["email"])
    try:
        start_attempt(email, known_browser.find_origin(request, email), limits=MAILS)
    except TooManyAttempts as error:
        context = {"form": form, "wait_minutes": math.ceil(error.wait_s / 60)}
        response = render(request, "web/access/forgotten.html", context, status=429)
        response["Retry-After"] = str(math.ceil(error.wait_s))
        return response
    user = User.objects.filter(email=email, is_active=True).first()
    if user is not None and user.has_usable_password():
        send_reset_link(user)
    return render(request, "web/access/forgotten.html", {"sent_to": email})


def send_reset_link(user: User, *, by: User | None = None) -> bool | None:
    """Send the user a link under which a new password can be chosen; `by` is an administrator who asked.

    Return whether the mail server took it; None if that is not known yet, and always without `by`.
    """
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    link = mail.build_link("web:reset-password", uid, default_token_generator.make_token(user))
    names = {"place": read_shown().title, "link": link, "sender": by.email if by else ""}
    text = (
        _(
            "%(sender)s, who administers %(place)s, sends you this link.\n\nChoose a new password within an "
            "hour:\n%(link)s\n\nUntil then your password stays the same."
        )
        if by
        else _(
            "Someone, probably you, asked for a new password for %(place)s.\n\nChoose it here within an "
            "hour:\n%(link)s\n\nIf it was not you, do nothing: your password stays the same."
        )
    )
    subject, text = _("Your new password for %(place)s") % names, text % names
    button = _("Choose a new password")
    if by is not None:
        return mail.send_and_wait(subject, text, to=user.email, button=button)
    mail.send_later(subject, text, to=user.email, button=button)
    return None


class ResetPassword(PasswordResetConfirmView):
    """Choose the new password. Django moves the token from the address into the session first."""

    template_name = "web/access/reset.html"
    form_class = NewPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        """Set the password and end all sessions of its user; the link alone signs nobody in."""
        user = cast(User, self.user)
        try:
            services.set_password(user, form.cleaned_data["new_password1"], by=user, is_reset=True)
        except TooManyHashes:
            context = self.get_context_data(form=form, is_busy=True)
            return render(self.request, self.template_name, context, status=503)
        self.request.session.flush()
        self.request.session[FILLED_IN] = user.email
        messages.success(self.request, _("The password was changed. Sign in with it."))
        return redirect("web:sign-in")
