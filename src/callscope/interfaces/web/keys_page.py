"""The visitor's API keys: made, shown once, revoked."""

import datetime as dt

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import administration
from callscope.interfaces.web.page import page, visitor
from callscope.interfaces.web.told import told


class NewKey(forms.Form):
    """What a key is for, and until when it opens."""

    name = forms.CharField(
        label=gettext_lazy("What it is for"), max_length=administration.MAX_KEY_NAME_LENGTH
    )
    expires = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("Empty: until it is revoked."),
    )

    def clean_expires(self) -> dt.datetime | None:
        """Return the moment at which the last day ends. Refuses days that are past."""
        day: dt.date | None = self.cleaned_data["expires"]
        if day is None:
            return None
        if not timezone.localdate() <= day <= timezone.localdate() + dt.timedelta(days=36_500):
            raise forms.ValidationError(_("The last day must not be past."))
        after = dt.datetime.combine(day + dt.timedelta(days=1), dt.time())
        return timezone.make_aware(after)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """List the keys; a new one is shown in the answer to its form and never again."""
    user = visitor(request)
    form, plaintext = NewKey(request.POST if request.method == "POST" else None), ""
    if form.is_bound and form.is_valid():
        try:
            _key, plaintext = administration.create_key(
                user, name=form.cleaned_data["name"], expires_at=form.cleaned_data["expires"], by=user
            )
            form = NewKey()
        except administration.WrongAccount as error:
            form.add_error(error.field if error.field in form.fields else None, told(str(error)))
    context = {
        "form": form,
        "plaintext": plaintext,
        "keys": administration.list_keys(user).reverse(),
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    response = render(request, "web/keys.html", context, status=400 if form.is_bound else 200)
    response["Cache-Control"] = "no-store"
    return response


@page
@require_POST
def revoke(request: HttpRequest, prefix: str) -> HttpResponse:
    """Make one of the visitor's keys worthless for ever."""
    user = visitor(request)
    try:
        administration.revoke_key(prefix, owner=user, by=user)
        messages.success(request, _("The key was revoked. It opens nothing any more."))
    except administration.NoSuchAccount:
        messages.error(request, _("You have no such key."))
    return redirect("web:keys")
