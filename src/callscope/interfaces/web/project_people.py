"""Who may see and change one project: sharing, its name, and deleting it."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import administration as accounts
from callscope.accounts.models import User
from callscope.interfaces.web import own_projects
from callscope.interfaces.web.page import page, visitor
from callscope.interfaces.web.told import told
from callscope.pipeline import removal
from callscope.projects import administration
from callscope.projects.models import Project, ProjectShare

ROLES = [
    (ProjectShare.Role.VIEWER, gettext_lazy("Viewer: sees everything, changes nothing")),
    (ProjectShare.Role.EDITOR, gettext_lazy("Editor: also uploads, deletes files and changes settings")),
]


class Share(forms.Form):
    """Whom to let in, and as what."""

    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=accounts.MAX_EMAIL_LENGTH)
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLES)


class Rename(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=administration.MAX_NAME_LENGTH)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show who has access; share the project, or change a role by sharing it again."""
    project = own_projects.find(request, project_id)
    form = Share(request.POST if request.method == "POST" else None)
    if form.is_bound:
        own_projects.require_manager(request, project)
        if form.is_valid() and _share(request, project, form):
            return redirect("web:project-people", project.pk)
    return _show(request, project, form, Rename(initial={"name": project.name}))


@page
@require_POST
def unshare(request: HttpRequest, project_id: int, user_id: int) -> HttpResponse:
    """Take a share back."""
    project = own_projects.find(request, project_id)
    own_projects.require_manager(request, project)
    user = User.objects.filter(pk=min(user_id, own_projects.LARGEST_ID)).first()
    try:
        if user is not None:
            administration.unshare(project, user, by=visitor(request))
            messages.success(request, _("%(email)s no longer has access.") % {"email": user.email})
    except administration.WrongProject:  # somebody else was faster
        messages.info(request, _("The project was not shared with this person any more."))
    return redirect("web:project-people", project.pk)


@page
@require_POST
def rename(request: HttpRequest, project_id: int) -> HttpResponse:
    """Give the project another name."""
    project = own_projects.find(request, project_id)
    own_projects.require_manager(request, project)
    form = Rename(request.POST)
    if form.is_valid():
        try:
            administration.rename(project, form.cleaned_data["name"], by=visitor(request))
        except administration.WrongProject as error:
            form.add_error("name", told(str(error)))
        else:
            messages.success(request, _("The project has its new name."))
            return redirect("web:project-people", project.pk)
    project.refresh_from_db()
    return _show(request, project, Share(), form)


@page
@require_POST
def delete(request: HttpRequest, project_id: int) -> HttpResponse:
    """Erase the project with everything in it, once its name was typed."""
    project = own_projects.find(request, project_id)
    own_projects.require_manager(request, project)
    if " ".join(request.POST.get("name", "").split()) != project.name:
        messages.error(request, _("Nothing was deleted: the name that was typed is another one."))
        return redirect("web:project-people", project.pk)
    removal.delete_project(project, by=visitor(request))
    messages.success(request, _("The project %(name)s was deleted.") % {"name": project.name})
    return redirect("web:projects")


def _share(request: HttpRequest, project: Project, form: Share) -> bool:
    try:
        user = accounts.find_user(form.cleaned_data["email"])
        administration.share(project, user, form.cleaned_data["role"], by=visitor(request))
    except accounts.NoSuchAccount:
        form.add_error(
            "email",
            _("Nobody here has this e-mail. The person who runs this server makes accounts."),
        )
    except administration.WrongProject:
        form.add_error("email", _("This person owns the project already."))
    else:
        messages.success(request, _("%(email)s has access.") % {"email": user.email})
        return True
    return False


def _show(request: HttpRequest, project: Project, share: Share, rename_form: Rename) -> HttpResponse:
    admins = (
        User.objects.filter(memberships__team=project.team_id, memberships__is_admin=True).order_by("email")
        if project.team_id
        else []
    )
    shares = list(ProjectShare.objects.filter(project=project).select_related("user").order_by("user__email"))
    context = {
        **own_projects.surroundings(request, project, "people"),
        "admins": admins,
        "shares": [{"user": share.user, "role": own_projects.ROLE_NAMES[share.role]} for share in shares],
        "share_form": share,
        "rename_form": rename_form,
    }
    status = 400 if share.is_bound or rename_form.is_bound else 200
    return render(request, "web/projects/people.html", context, status=status)
