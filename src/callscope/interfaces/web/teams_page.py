"""Teams: whose admins see and change every project of the team."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import administration
from callscope.accounts.models import Team, TeamMember, User
from callscope.interfaces.web.own_projects import LARGEST_ID
from callscope.interfaces.web.page import page, visitor
from callscope.interfaces.web.told import told
from callscope.projects.models import Project


class NewTeam(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=administration.MAX_TEAM_NAME_LENGTH)


class NewMember(forms.Form):
    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=administration.MAX_EMAIL_LENGTH)
    admin = forms.BooleanField(label=gettext_lazy("Admin"), required=False)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def teams(request: HttpRequest) -> HttpResponse:
    """List the visitor's teams; make a new one, with the visitor as its admin."""
    user = visitor(request)
    form = NewTeam(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = administration.create_team(form.cleaned_data["name"], admin=user, by=user)
        except administration.WrongAccount as error:
            form.add_error("name", told(str(error)))
        else:
            messages.success(request, _("The team %(name)s is there.") % {"name": made.name})
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


@page
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: HttpRequest, team_id: int) -> HttpResponse:
    """Show the members of one of the visitor's teams; its admins add some."""
    found, is_admin = _find(request, team_id)
    form = NewMember(request.POST if request.method == "POST" else None)
    if form.is_bound:
        _require_admin(is_admin)
        if form.is_valid() and _add(request, found, form):
            return redirect("web:team", found.pk)
    context = {
        "team": found,
        "is_admin": is_admin,
        "members": found.memberships.select_related("user").order_by("user__email"),
        "projects": Project.objects.visible_to(visitor(request)).filter(team=found).order_by("name", "pk"),
        "form": form,
    }
    return render(request, "web/teams/team.html", context, status=400 if form.is_bound else 200)


@page
@require_POST
def change_member(request: HttpRequest, team_id: int, user_id: int) -> HttpResponse:
    """Take a member out, or make one admin or not, as the button that was pressed says."""
    found, is_admin = _find(request, team_id)
    _require_admin(is_admin)
    member = User.objects.filter(pk=min(user_id, LARGEST_ID), memberships__team=found).first()
    if member is None:
        raise Http404
    do, by = request.POST.get("do"), visitor(request)
    try:
        if do == "remove":
            with transaction.atomic():
                administration.require_another_admin(found, member)
                administration.remove_member(found, member, by=by)
            messages.success(request, _("%(email)s is no longer in the team.") % {"email": member.email})
        elif do in ("admin", "member"):
            administration.set_admin(found, member, do == "admin", by=by)
            messages.success(request, _("The role of %(email)s was changed.") % {"email": member.email})
    except administration.WrongAccount:
        messages.error(request, _("A team needs an admin. Make somebody else admin first."))
    return redirect("web:teams") if do == "remove" and member == by else redirect("web:team", found.pk)


def _find(request: HttpRequest, team_id: int) -> tuple[Team, bool]:
    """Return one of the visitor's teams, and whether the visitor is its admin; Http404 for any other."""
    membership = (
        TeamMember.objects.filter(team=min(team_id, LARGEST_ID), user=visitor(request))
        .select_related("team")
        .first()
    )
    if membership is None:
        raise Http404
    return membership.team, membership.is_admin


def _require_admin(is_admin: bool) -> None:
    if not is_admin:
        raise PermissionDenied(_("Only admins of the team can do this."))


def _add(request: HttpRequest, found: Team, form: NewMember) -> bool:
    try:
        user = administration.find_user(form.cleaned_data["email"])
    except administration.NoSuchAccount:
        form.add_error(
            "email", _("Nobody here has this e-mail. The person who runs this server makes accounts.")
        )
        return False
    administration.add_member(found, user, admin=form.cleaned_data["admin"], by=visitor(request))
    messages.success(request, _("%(email)s is in the team.") % {"email": user.email})
    return True
