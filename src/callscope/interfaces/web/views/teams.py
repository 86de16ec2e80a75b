"""Teams: whose admins see and change every project of the team."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import services
from callscope.accounts.mail import is_mail_set_up
from callscope.accounts.models import Team, TeamMember, User
from callscope.accounts.sign_in_limits import fold_email
from callscope.db.limits import MAX_ID
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.invitations import InvitedByLink, list_rows, send_invitation
from callscope.messages.translation import translate
from callscope.projects import permissions
from callscope.projects.invitations import list_open
from callscope.projects.models import Invitation


class NewTeam(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=services.MAX_TEAM_NAME_LENGTH)


class Rename(forms.Form):
    name = forms.CharField(label=gettext_lazy("New name"), max_length=services.MAX_TEAM_NAME_LENGTH)


class NewMember(forms.Form):
    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=services.MAX_EMAIL_LENGTH)
    admin = forms.BooleanField(label=gettext_lazy("Admin"), required=False)


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def teams(request: HttpRequest) -> HttpResponse:
    """List the visitor's teams; make a new one, with the visitor as its admin."""
    user = current_user(request)
    form = NewTeam(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid() and _is_new_name(user, form):
        try:
            made = services.create_team(form.cleaned_data["name"], admin=user, by=user)
        except services.InvalidAccount as error:
            form.add_error("name", translate(error.message))
        else:
            messages.success(request, _("The team %(name)s was created.") % {"name": made.name})
            return redirect("web:team", made.pk)
    memberships = TeamMember.objects.filter(user=user).select_related("team").order_by("team__name", "team")
    rows = [
        {
            "team": each.team,
            "is_admin": each.is_admin,
            "members": each.team.memberships.count(),
            "projects": each.team.projects.count(),
        }
        for each in memberships
    ]
    return render(
        request, "web/teams.html", {"rows": rows, "form": form}, status=400 if form.is_bound else 200
    )


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: HttpRequest, team_id: int) -> HttpResponse:
    """Show the members of one of the visitor's teams; its admins add some."""
    found, is_admin = _find(request, team_id)
    form, invited = NewMember(request.POST if request.method == "POST" else None), None
    if form.is_bound:
        _require_admin(is_admin)
        if form.is_valid():
            invited = _add(request, found, form)
            if invited is None:
                return redirect("web:team", found.pk)
            form = NewMember()
    return _render(request, found, is_admin, form, Rename(initial={"name": found.name}), invited)


def _render(
    request: HttpRequest,
    found: Team,
    is_admin: bool,
    form: NewMember,
    rename_form: Rename,
    invited: InvitedByLink | None = None,
) -> HttpResponse:
    context = {
        "team": found,
        "is_admin": is_admin,
        "members": found.memberships.select_related("user").order_by("user__email"),
        "projects": permissions.visible_to(current_user(request))
        .filter(team=found)
        .select_related("owner")
        .order_by("name", "pk"),
        "has_projects": found.projects.exists(),
        "form": form,
        "rename_form": rename_form,
        "invited": invited,
        "is_mail_set_up": is_mail_set_up(),
        "invitations": list_rows(list_open(now=timezone.now()).filter(team=found)) if is_admin else [],
    }
    return render(
        request, "web/teams/team.html", context, status=400 if form.is_bound or rename_form.is_bound else 200
    )


@signed_in_page
@require_POST
def rename(request: HttpRequest, team_id: int) -> HttpResponse:
    """Give the team another name."""
    found, is_admin = _find(request, team_id)
    _require_admin(is_admin)
    user, form = current_user(request), Rename(request.POST)
    if form.is_valid() and _is_new_name(user, form, but=found):
        try:
            services.rename_team(found, form.cleaned_data["name"], by=user)
        except services.InvalidAccount as error:
            form.add_error("name", translate(error.message))
        else:
            messages.success(request, _("The team was renamed."))
            return redirect("web:team", found.pk)
    found.refresh_from_db()
    return _render(request, found, is_admin, NewMember(), form)


@signed_in_page
@require_POST
def delete(request: HttpRequest, team_id: int) -> HttpResponse:
    """Delete a team that has no projects."""
    found, is_admin = _find(request, team_id)
    _require_admin(is_admin)
    try:
        services.delete_team(found, by=current_user(request))
    except services.InvalidAccount:
        messages.error(request, _("A team with projects cannot be deleted. Move or delete them first."))
        return redirect("web:team", team_id)
    messages.success(request, _("The team %(name)s was deleted.") % {"name": found.name})
    return redirect("web:teams")


@signed_in_page
@require_POST
def change_member(request: HttpRequest, team_id: int, user_id: int) -> HttpResponse:
    """Take a member out, or make one admin or not, as the button that was pressed says."""
    found, is_admin = _find(request, team_id)
    _require_admin(is_admin)
    member = User.objects.filter(pk=min(user_id, MAX_ID), memberships__team=found).first()
    if member is None:
        raise Http404
    do, by = request.POST.get("do"), current_user(request)
    try:
        if do == "remove":
            with transaction.atomic():
                services.require_another_admin(found, member)
                services.remove_team_member(found, member, by=by)
            messages.success(request, _("%(email)s is no longer in the team.") % {"email": member.email})
        elif do in ("admin", "member"):
            services.set_team_admin(found, member, do == "admin", by=by)
            messages.success(request, _("The role of %(email)s was changed.") % {"email": member.email})
    except services.InvalidAccount:
        messages.error(request, _("A team needs an admin. Make someone else an admin first."))
    return redirect("web:teams") if do == "remove" and member == by else redirect("web:team", found.pk)


def _find(request: HttpRequest, team_id: int) -> tuple[Team, bool]:
    """Return one of the visitor's teams, and whether the visitor is its admin; Http404 for any other."""
    membership = (
        TeamMember.objects.filter(team=min(team_id, MAX_ID), user=current_user(request))
        .select_related("team")
        .first()
    )
    if membership is None:
        raise Http404
    return membership.team, membership.is_admin


def _is_new_name(user: User, form: forms.Form, *, but: Team | None = None) -> bool:
    """Return whether no other team of the visitor has this name; the form says which one does."""
    name = " ".join(form.cleaned_data["name"].split())
    others = Team.objects.filter(memberships__user=user)
    if but is not None:
        others = others.exclude(pk=but.pk)
    taken = next(
        (each for each in others.values_list("name", flat=True) if each.casefold() == name.casefold()), None
    )
    if taken is not None:
        text = _("You are already in a team named “%(name)s”. Choose another name.")
        form.add_error("name", text % {"name": taken})
    return taken is None


def _require_admin(is_admin: bool) -> None:
    if not is_admin:
        raise PermissionDenied(_("Only admins of the team can do this."))


def _add(request: HttpRequest, found: Team, form: NewMember) -> InvitedByLink | None:
    """Invite somebody, or make somebody who is in the team its admin."""
    email = fold_email(form.cleaned_data["email"])
    role = Invitation.Role.ADMIN if form.cleaned_data["admin"] else Invitation.Role.MEMBER
    member = found.memberships.filter(user__email=email).select_related("user").first()
    if member is None:
        return send_invitation(request, email, role, team=found)
    is_admin = form.cleaned_data["admin"]
    services.add_team_member(found, member.user, admin=is_admin, by=current_user(request))
    messages.success(request, _("%(email)s is in the team.") % {"email": email})
    return None
