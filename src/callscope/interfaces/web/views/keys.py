"""The visitor's API keys: made, shown once, revoked."""

import datetime as dt

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import services
from callscope.accounts.models import ApiKey
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.request_data import NO_ID
from callscope.messages.translation import translate
from callscope.projects.scope import ProjectRef

SCOPES = [
    (ApiKey.Scope.READ, gettext_lazy("Read only")),
    (ApiKey.Scope.WRITE, gettext_lazy("Everything you can do")),
]
SCOPE_NAMES = {str(value): label for value, label in SCOPES}


class NewKey(forms.Form):
    """What a key is for, until when it opens, and how much."""

    name = forms.CharField(label=gettext_lazy("Purpose"), max_length=services.MAX_KEY_NAME_LENGTH)
    expires = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("Empty: until it is revoked."),
    )

    scope = forms.ChoiceField(label=gettext_lazy("Access"), choices=SCOPES, initial=ApiKey.Scope.READ)

    def __init__(self, projects: list[ProjectRef], data: QueryDict | None = None) -> None:
        super().__init__(data)
        choices = [("", _("Everything you can see")), *((str(each.pk), each.name) for each in projects)]
        self.fields["project"] = forms.ChoiceField(label=_("Projects"), choices=choices, required=False)

    def clean_expires(self) -> dt.datetime | None:
        """Return the moment at which the last day ends. Refuses days that are past."""
        day: dt.date | None = self.cleaned_data["expires"]
        if day is None:
            return None
        if not timezone.localdate() <= day <= timezone.localdate() + dt.timedelta(days=36_500):
            raise forms.ValidationError(_("The last day must not be in the past."))
        after = dt.datetime.combine(day + dt.timedelta(days=1), dt.time())
        return timezone.make_aware(after)


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """List the keys; a new one is shown in the answer to its form and never again."""
    user = current_user(request)
    projects = project_access.tell_apart(project_access.list_projects(request))
    form, plaintext = NewKey(projects, request.POST if request.method == "POST" else None), ""
    if form.is_bound and form.is_valid():
        try:
            project = form.cleaned_data["project"]
            _key, plaintext = services.create_key(
                user,
                name=form.cleaned_data["name"],
                expires_at=form.cleaned_data["expires"],
                scope=form.cleaned_data["scope"],
                project_id=int(project) if project else None,
                by=user,
            )
            form = NewKey(projects)
        except services.InvalidAccount as error:
            form.add_error(error.field if error.field in form.fields else None, translate(error.message))
    names = {each.pk: each.name for each in projects}
    context = {
        "form": form,
        "plaintext": plaintext,
        "keys": [
            {
                "key": key,
                "scope": SCOPE_NAMES[key.scope],
                "project": names.get(key.project_id or NO_ID),
                "last_day": find_last_day(key.expiry_date),
            }
            for key in services.list_keys(user).reverse()
        ],
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "web/keys.html", context, status=400 if form.is_bound else 200)


def find_last_day(expires_at: dt.datetime | None) -> dt.date | None:
    """Return the last day of a key that ends with a day; None for one that ends within a day, or never."""
    if expires_at is None or (local := timezone.localtime(expires_at)).time() != dt.time():
        return None
    return local.date() - dt.timedelta(days=1)


@signed_in_page
@require_POST
def revoke(request: HttpRequest, prefix: str) -> HttpResponse:
    """Revoke one of the visitor's keys permanently."""
    user = current_user(request)
    try:
        services.revoke_key(prefix, owner=user, by=user)
        messages.success(request, _("The key was revoked and no longer works."))
    except services.NoSuchAccount:
        messages.error(request, _("You do not have this key."))
    return redirect("web:keys")
