"""Who may see and change one project: people it is shared with, its invitations, and its agents."""

from dataclasses import dataclass, field
from typing import NamedTuple

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import services as accounts
from callscope.accounts.mail import is_mail_set_up
from callscope.accounts.models import User
from callscope.accounts.sign_in_limits import fold_email
from callscope.calls import own_calls
from callscope.calls.models import AgentUser
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.invitations import InvitedByLink, list_rows, send_invitation
from callscope.interfaces.web.views.agents.links import (
    Link,
    announce_link,
    find_similar,
    is_waiting,
    list_seen,
)
from callscope.messages.translation import translate
from callscope.projects import services
from callscope.projects.invitations import list_open
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Project, ProjectShare

ROLES = [
    (ProjectShare.Role.VIEWER, gettext_lazy("Viewer: sees everything, changes nothing")),
    (ProjectShare.Role.EDITOR, gettext_lazy("Editor: also uploads, deletes files and changes settings")),
]


class Share(forms.Form):
    """Whom to let in, and as what."""

    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=accounts.MAX_EMAIL_LENGTH)
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLES)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who has access: once, whatever gives it."""

    user: User
    roles: list[str | Promise] = field(default_factory=list)
    is_shared: bool = False  # a share can be taken back
    share_role: str = ""  # where the share alone gives access, and can be changed

    def __str__(self) -> str:
        return " · ".join(map(str, self.roles))


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show who has access; share the project, or change a role by sharing it again."""
    project = project_access.get_project_or_404(request, project_id)
    form = Share(request.POST if request.method == "POST" else None)
    if form.is_bound:
        project_access.require_manager(request, project)
        if form.is_valid() and _is_new(project, form):
            invited = _share(request, project, form)
            return _show(request, project, Share(), invited) if invited else _to_people(project)
    return _show(request, project, form)


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
    return _to_people(project)


@signed_in_page
@require_POST
def leave(request: HttpRequest, project_id: int) -> HttpResponse:
    """Give up the visitor's own share."""
    project = project_access.get_project_or_404(request, project_id)
    visitor = current_user(request)
    try:
        services.unshare_project(project, visitor, by=visitor)
    except services.InvalidProject:
        messages.error(
            request, _("You own this project or administer its team, so you cannot leave it here.")
        )
        return _to_people(project)
    messages.success(request, _("You have left the project “%(name)s”.") % {"name": project.name})
    return redirect("web:projects")


@signed_in_page
@require_POST
def link_agent(request: HttpRequest, project_id: int) -> HttpResponse:
    """Let somebody see the calls of one agent."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    form = Link(project, request.POST)
    if not form.is_valid():
        return _show(request, project, Share(), link_form=form)
    email = fold_email(form.cleaned_data["email"])
    try:
        with transaction.atomic():
            get_locked_project(project.pk)
            agent = own_calls.find_agent(project, form.cleaned_data["agent_id"])
            former = own_calls.find_link(project, email)
            if not form.asks_to_replace(former, agent):
                own_calls.link_user(project, email, agent, by=current_user(request))
    except own_calls.InvalidLink as error:
        form.add_error("agent_id", translate(error.message))
    if not form.is_valid():
        return _show(request, project, Share(), link_form=form)
    role = next((str(each) for each in _list_people(project) if each.user.email == email), "")
    announce_link(request, form, email, agent, former, role)
    if similar := find_similar(form.agents, agent):
        messages.warning(
            request,
            _(
                "Calls of %(others)s are not among them. If that is the same person, correct the agent "
                "of these calls in their reviews."
            )
            % {"others": ", ".join(similar)},
        )
    return _to_people(project)


@signed_in_page
@require_POST
def unlink_agent(request: HttpRequest, project_id: int, link_id: int) -> HttpResponse:
    """Take the sight of these calls back."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_manager(request, project)
    with transaction.atomic():
        found = AgentUser.objects.filter(project=project, pk=min(link_id, MAX_ID)).first()
        if found is not None:
            own_calls.unlink_user(found, by=current_user(request))
    if found is None:  # somebody else was faster
        messages.info(request, _("This link no longer exists."))
    else:
        messages.success(request, _("%(email)s no longer has access.") % {"email": found.email})
    return _to_people(project)


def _to_people(project: Project) -> HttpResponse:
    return redirect("web:project-people", project.pk)


def _is_new(project: Project, form: Share) -> bool:
    """Return whether the project can be shared with this person; the form says why not."""
    if fold_email(form.cleaned_data["email"]) != project.owner.email:
        return True
    form.add_error("email", _("This person already owns the project."))
    return False


def _share(request: HttpRequest, project: Project, form: Share) -> InvitedByLink | None:
    """Invite somebody, or change the role of somebody who has access already."""
    email, role = fold_email(form.cleaned_data["email"]), form.cleaned_data["role"]
    shared = ProjectShare.objects.filter(project=project, user__email=email).select_related("user").first()
    if shared is None and request.POST.get("do") == "change":  # somebody else was faster
        messages.info(request, _("The project had already stopped being shared with this person."))
        return None
    if shared is None:
        return send_invitation(request, email, role, project=project)
    former = shared.role
    services.share_project(project, shared.user, role, by=current_user(request))
    roles = {"former": project_access.ROLE_NAMES[former], "role": project_access.ROLE_NAMES[role]}
    if former == role:
        text = _("%(email)s already has the role %(role)s.")
    else:
        text = _("The role of %(email)s was changed from %(former)s to %(role)s.")
    messages.success(request, text % {"email": email, **roles})
    return None


def _show(
    request: HttpRequest,
    project: Project,
    share: Share,
    invited: InvitedByLink | None = None,
    link_form: Link | None = None,
) -> HttpResponse:
    people = _list_people(project)
    choices = link_form or (Link(project) if project.type == Project.Type.CALL else None)
    agent_users = _list_agent_users(current_user(request), project, people, choices) if choices else []
    context = {
        **project_access.project_context(request, project, "people"),
        "people": people,
        "can_leave": any(each.is_shared and each.user == current_user(request) for each in people),
        "share_form": share,
        "share_roles": [(role, project_access.ROLE_NAMES[role]) for role, _description in ROLES],
        "invited": invited,
        "is_mail_set_up": is_mail_set_up(),
        "invitations": list_rows(list_open(now=timezone.now()).filter(project=project)),
        "agent_users": agent_users,
        "some_unseen": any(row.is_unseen for row in agent_users),
        "link_form": choices,
    }
    status = 400 if share.is_bound or link_form else 200
    return render(request, "web/projects/people.html", context, status=status)


class AgentRow(NamedTuple):
    """An agent's link, and what the visitor may know of its address."""

    link: AgentUser
    agent: str
    waits: bool | None  # for an account; None: only administrators may know
    is_unseen: bool  # nothing that the visitor sees shows that somebody uses the address


def _list_agent_users(visitor: User, project: Project, people: list[Person], form: Link) -> list[AgentRow]:
    seen = {*list_seen(project), *(person.user.email for person in people)}
    links = list(project.agent_users.select_related("agent").order_by("email"))
    labels = form.label(link.agent for link in links)
    rows = []
    for link in links:
        waits = is_waiting(visitor, link.email)
        rows.append(AgentRow(link, labels[link.agent_id], waits, waits is None and link.email not in seen))
    return rows


def _list_people(project: Project) -> list[Person]:
    """Return who has access: the owner, admins of the team, then those the project is shared with."""
    people: dict[int, Person] = {}

    def add(user: User, role: str | Promise, *, share_role: str = "") -> None:
        known = people.get(user.pk, Person(user))
        people[user.pk] = Person(
            user,
            [*known.roles, role],
            is_shared=known.is_shared or bool(share_role),
            share_role="" if known.roles else share_role,
        )

    add(project.owner, project_access.ROLE_NAMES["owner"])
    if project.team:
        team = _("Admin of the team %(team)s") % {"team": project.team.name}
        for admin in User.objects.filter(memberships__team=project.team, memberships__is_admin=True).order_by(
            "email"
        ):
            add(admin, team)
    shares = ProjectShare.objects.filter(project=project).select_related("user").order_by("user__email")
    for share in shares:
        add(share.user, project_access.ROLE_NAMES[share.role], share_role=share.role)
    return list(people.values())
