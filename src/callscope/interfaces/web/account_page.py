"""The visitor's account: password, language, theme."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from callscope.accounts import audit
from callscope.interfaces.web.page import page, visitor


@page
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the account; change its password, which ends every other session."""
    user = visitor(request)
    data: Any = request.POST if request.method == "POST" else None
    form: PasswordChangeForm = PasswordChangeForm(user, data)
    form.fields["old_password"].widget.attrs.pop("autofocus", None)
    if form.is_bound and form.is_valid():
        form.save()
        update_session_auth_hash(request, user)
        audit.record(user, "user.password_changed", f"user {user.pk}")
        messages.success(request, _("The password was changed. Other sessions have ended."))
        return redirect("web:account")
    return render(request, "web/account.html", {"form": form}, status=400 if form.is_bound else 200)
