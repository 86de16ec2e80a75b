"""Erase a user, for administrators of the instance.

Projects go only to somebody who may change them already, so that nobody gets to see calls this way.
"""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from callscope.accounts.models import User
from callscope.accounts.services import InvalidAccount
from callscope.accounts.sign_in_limits import fold_email
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.users import find_person, require_administrator
from callscope.messages.translation import translate
from callscope.pipeline.erasure.receipt import Receipt
from callscope.pipeline.erasure.users import InvalidHeir, OwnsProjects, erase_user, list_heirs
from callscope.projects.models import Project

ERASE = "erase"
COUNTED = {
    "projects": gettext_lazy("Projects"),
    "calls": gettext_lazy("Calls"),
    "files": gettext_lazy("Files"),
    "users": gettext_lazy("Users"),
    "sessions": gettext_lazy("Sessions"),
    "api_keys": gettext_lazy("API keys"),
    "shares": gettext_lazy("Shares"),
    "memberships": gettext_lazy("Team memberships"),
    "agent_users": gettext_lazy("Links to agents"),
}


class Erasure(forms.Form):
    """What happens to the projects, and the e-mail once more."""

    email = forms.CharField(label=gettext_lazy("Type the e-mail to confirm"), max_length=254)

    def __init__(self, user: User, projects: list[Project], data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.user = user
        self.heirs = {str(each.pk): each for each in list_heirs(user)} if projects else {}
        self.fields["email"].widget.attrs["autocomplete"] = "off"
        if projects:
            choices = [
                ("", _("Select")),
                *(
                    (pk, _("They are transferred to %(email)s") % {"email": each.email})
                    for pk, each in self.heirs.items()
                ),
                (ERASE, _("They are erased with all of their calls")),
            ]
            self.fields["projects"] = forms.ChoiceField(
                label=_("What happens to the projects"), choices=choices
            )

    def clean_email(self) -> str:
        """Return the e-mail. Refuses another one."""
        email: str = fold_email(self.cleaned_data["email"])
        if email != self.user.email:
            raise forms.ValidationError(_("Nothing was erased: the typed e-mail does not match."))
        return email


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, user_id: int) -> HttpResponse:
    """Show what goes with a user, and erase the user once the e-mail was typed; the answer is the receipt."""
    require_administrator(request)
    user = find_person(user_id)
    if user.is_superuser:
        messages.error(request, _("Administrators can only be erased on the command line."))
        return redirect("web:users")
    projects = list(Project.objects.filter(owner=user).order_by("name", "pk"))
    form = Erasure(user, projects, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        receipt = _erase(request, form)
        if receipt is not None:
            document = receipt.to_json()
            erased = document["erased"]
            counted = [(label, erased[name]) for name, label in COUNTED.items() if erased[name]]
            return render(request, "web/access/erased.html", {"receipt": document, "counted": counted})
    context = {"person": user, "projects": projects, "form": form}
    return render(request, "web/access/erase_user.html", context, status=400 if form.is_bound else 200)


def _erase(request: HttpRequest, form: Erasure) -> Receipt | None:
    """Erase the user of a valid form; None with the error in the form when that cannot be done."""
    chosen = form.cleaned_data.get("projects", "")
    try:
        return erase_user(
            form.user,
            move_projects_to=form.heirs.get(chosen),
            erase_projects=chosen == ERASE,
            by=current_user(request),
        )
    except (InvalidAccount, InvalidHeir, OwnsProjects) as error:
        form.add_error(None, translate(error.message))
        return None
