"""Who may see and change one project: sharing, its name, and deleting it."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import services as accounts
from callscope.accounts.models import Team, User
from callscope.accounts.sign_in_limits import fold_email
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.invitations import send_invitation
from callscope.interfaces.web.views.agents.links import Link
from callscope.messages.translation import translate
from callscope.pipeline.decisions import team_moves
from callscope.pipeline.erasure import removal
from callscope.projects import services
from callscope.projects.invitations import list_open
from callscope.projects.models import Project, ProjectShare

NO_TEAM = "none"
ROLES = [
    (ProjectShare.Role.VIEWER, gettext_lazy("Viewer: sees everything, changes nothing")),
    (ProjectShare.Role.EDITOR, gettext_lazy("Editor: also uploads, deletes files and changes settings")),
]


class Share(forms.Form):
    """Whom to let in, and as what."""

    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=accounts.MAX_EMAIL_LENGTH)
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLES)


class Move(forms.Form):
    """Where the project goes."""

    def __init__(self, places: list[Team | None], data: QueryDict | None = None) -> None:
        super().__init__(data)
        choices = [
            (str(place.pk) if place else NO_TEAM, place.name if place else _("No team")) for place in places
        ]
        self.fields["team"] = forms.ChoiceField(label=_("Team"), choices=choices)


class Rename(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=services.MAX_NAME_LENGTH)


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show who has access; share the project, or change a role by sharing it again."""
    project = project_access.get_project_or_404(request, project_id)
    form = Share(request.POST if request.method == "POST" else None)
    if form.is_bound:
        project_access.require_manager(request, project)
        if form.is_valid() and _share(request, project, form):
            return redirect("web:project-people", project.pk)
    return _show(request, project, form, Rename(initial={"name": project.name}))


@signed_in_page
@require_POST
def unshare(request: HttpRequest, project_id: int, user_id: int) -> HttpResponse:
    """Take a share back."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    user = User.objects.filter(pk=min(user_id, MAX_ID)).first()
    try:
        if user is not None:
            services.unshare_project(project, user, by=current_user(request))
            messages.success(request, _("%(email)s no longer has access.") % {"email": user.email})
    except services.InvalidProject:  # somebody else was faster
        messages.info(request, _("The project had already stopped being shared with this person."))
    return redirect("web:project-people", project.pk)


@signed_in_page
@require_POST
def rename(request: HttpRequest, project_id: int) -> HttpResponse:
    """Give the project another name."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    form = Rename(request.POST)
    if form.is_valid():
        try:
            services.rename_project(project, form.cleaned_data["name"], by=current_user(request))
        except services.InvalidProject as error:
            form.add_error("name", translate(error.message))
        else:
            messages.success(request, _("The project was renamed."))
            return redirect("web:project-people", project.pk)
    project.refresh_from_db()
    return _show(request, project, Share(), form)


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
    return redirect("web:project-people", project.pk)


@signed_in_page
@require_POST
def delete(request: HttpRequest, project_id: int) -> HttpResponse:
    """Erase the project with everything in it, once its name was typed."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    if " ".join(request.POST.get("name", "").split()) != project.name:
        messages.error(request, _("Nothing was deleted: the typed name does not match."))
        return redirect("web:project-people", project.pk)
    removal.delete_project(project, by=current_user(request))
    messages.success(request, _("The project %(name)s was deleted.") % {"name": project.name})
    return redirect("web:projects")


def _share(request: HttpRequest, project: Project, form: Share) -> bool:
    """Invite somebody, or change the role of somebody who has access already."""
    email, role = fold_email(form.cleaned_data["email"]), form.cleaned_data["role"]
    if email == project.owner.email:
        form.add_error("email", _("This person already owns the project."))
        return False
    shared = ProjectShare.objects.filter(project=project, user__email=email).select_related("user").first()
    if shared is None:
        send_invitation(request, email, role, project=project)
    else:
        services.share_project(project, shared.user, role, by=current_user(request))
        messages.success(request, _("The role of %(email)s was changed.") % {"email": email})
    return True


def _show(request: HttpRequest, project: Project, share: Share, rename_form: Rename) -> HttpResponse:
    admins = (
        User.objects.filter(memberships__team=project.team_id, memberships__is_admin=True).order_by("email")
        if project.team_id
        else []
    )
    shares = list(ProjectShare.objects.filter(project=project).select_related("user").order_by("user__email"))
    context = {
        **project_access.project_context(request, project, "people"),
        "admins": admins,
        "shares": [{"user": share.user, "role": project_access.ROLE_NAMES[share.role]} for share in shares],
        "share_form": share,
        "invitations": list_open(now=timezone.now()).filter(project=project),
        "rename_form": rename_form,
        "move_form": Move(places)
        if (places := team_moves.list_places(current_user(request), project))
        else None,
        "agent_users": project.agent_users.select_related("agent").order_by("email"),
        "link_form": Link(project) if project.type == Project.Type.CALL else None,
    }
    status = 400 if share.is_bound or rename_form.is_bound else 200
    return render(request, "web/projects/people.html", context, status=status)
