"""The name of a project, its team, its owner, and the end of it."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from callscope.accounts.models import Team, User
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.settings_parts import catalog
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.settings.parts import layout
from callscope.messages.translation import translate
from callscope.pipeline.decisions import ownership, team_moves
from callscope.pipeline.erasure import removal
from callscope.pipeline.erasure.losses import count_losses
from callscope.projects import services
from callscope.projects.models import Project

NO_TEAM = "none"
MAX_SHOWN = 200  # characters of what was typed
PART = catalog.PARTS["general"]


class Move(forms.Form):
    """Where the project goes."""

    def __init__(self, places: list[Team | None], data: QueryDict | None = None) -> None:
        super().__init__(data)
        choices = [
            (str(place.pk) if place else NO_TEAM, place.name if place else _("No team")) for place in places
        ]
        self.fields["team"] = forms.ChoiceField(label=_("Team"), choices=[("", _("Choose a team")), *choices])


class Transfer(forms.Form):
    """Who is to be the owner."""

    def __init__(self, heirs: list[User], data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.heirs = {str(each.pk): each for each in heirs}
        choices = [(pk, each.email) for pk, each in self.heirs.items()]
        self.fields["owner"] = forms.ChoiceField(
            label=_("New owner"), choices=[("", _("Choose a person")), *choices]
        )


class Rename(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=services.MAX_NAME_LENGTH)


@signed_in_page
@require_safe
def general(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the name and the team, and what managers can do with them."""
    project = project_access.get_project_or_404(request, project_id)
    return show_general(request, project, Rename(initial={"name": project.name}))


def show_general(
    request: HttpRequest, project: Project, rename_form: Rename, *, mistyped: str | None = None
) -> HttpResponse:
    """Show the page; `mistyped` is what was typed in place of the name to delete the project."""
    places = team_moves.list_places(current_user(request), project)
    around = layout(request, project, PART)
    heirs = list(ownership.list_heirs(project)) if around["may_manage"] else []
    context = {
        **around,
        "rename_form": rename_form,
        "move_form": Move(places) if places else None,
        "transfer_form": Transfer(heirs) if heirs else None,
        "losses": list_losses(project) if around["may_manage"] else [],
        "manager_notice": "" if around["may_manage"] else project_access.manager_notice(project),
        "mistyped": mistyped,
        "type_name": project_access.TYPE_NAMES[Project.Type(project.type)],
    }
    is_refused = rename_form.is_bound or mistyped is not None
    return render(request, "web/settings/general.html", context, status=400 if is_refused else 200)


def list_losses(project: Project) -> list[str]:
    """Return in words how much would be deleted with the project."""
    found = count_losses(project, timezone.now())
    counted = (
        (found.files, ngettext("%(count)s file", "%(count)s files", found.files)),
        (
            found.reviewed_calls,
            ngettext("%(count)s reviewed call", "%(count)s reviewed calls", found.reviewed_calls),
        ),
        (found.share_links, ngettext("%(count)s share link", "%(count)s share links", found.share_links)),
    )
    return [words % {"count": number(count)} for count, words in counted if count]


@signed_in_page
@require_POST
def rename(request: HttpRequest, project_id: int) -> HttpResponse:
    """Give the project another name."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    form = Rename(request.POST)
    if form.is_valid():
        try:
            renamed = services.rename_project(project, form.cleaned_data["name"], by=current_user(request))
        except services.InvalidProject as error:
            form.add_error("name", translate(error.message))
        else:
            if renamed:
                messages.success(request, _("The project was renamed."))
            else:
                messages.info(request, _("Nothing changed: the project has this name already."))
            if warning := project_access.name_shared_with_others(request, project):
                messages.warning(request, warning)
            return redirect("web:project-settings-general", project.pk)
    project.refresh_from_db()
    return show_general(request, project, form)


@signed_in_page
@require_POST
def move(request: HttpRequest, project_id: int) -> HttpResponse:
    """Move the project into another team, or out of its team."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    user = current_user(request)
    form = Move(team_moves.list_places(user, project), request.POST)
    if form.is_valid():
        team = form.cleaned_data["team"]
        try:
            moved = team_moves.move_project(project.pk, None if team == NO_TEAM else int(team), user)
        except team_moves.MayNotMove:  # the team was left meanwhile
            raise PermissionDenied from None
        text = (
            _("The project is now in the team %(team)s.")
            if moved.team
            else _("The project is no longer in a team.")
        )
        messages.success(request, text % {"team": moved.team.name if moved.team else ""})
    else:
        messages.error(request, _("Nothing was moved: choose a team that you administer."))
    return redirect("web:project-settings-general", project.pk)


@signed_in_page
@require_POST
def transfer_project(request: HttpRequest, project_id: int) -> HttpResponse:
    """Make somebody who sees the project its owner."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    user = current_user(request)
    form = Transfer(list(ownership.list_heirs(project)), request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was transferred: choose a person who has access to the project."))
        return redirect("web:project-settings-general", project.pk)
    former, heir = project.owner, form.heirs[form.cleaned_data["owner"]]
    try:
        ownership.transfer_project(project.pk, heir, user)
    except (ownership.MayNotTransfer, services.InvalidProject):  # roles were changed meanwhile
        raise PermissionDenied from None
    text = _("%(owner)s owns the project now. %(former)s is an editor.")
    messages.success(request, text % {"owner": heir.email, "former": former.email})
    return redirect("web:project-settings-general", project.pk)


@signed_in_page
@require_POST
def delete(request: HttpRequest, project_id: int) -> HttpResponse:
    """Erase the project with everything in it, once its name was typed."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    typed = " ".join(request.POST.get("name", "").split())
    if typed != project.name:
        return show_general(
            request, project, Rename(initial={"name": project.name}), mistyped=typed[:MAX_SHOWN]
        )
    removal.delete_project(project, by=current_user(request))
    messages.success(request, _("The project %(name)s was deleted.") % {"name": project.name})
    return redirect("web:projects")
