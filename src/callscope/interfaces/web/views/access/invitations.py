"""Invitations: sent by owners and admins, accepted or declined by who they are for."""

import datetime as dt
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import services
from callscope.accounts.mail import is_mail_set_up
from callscope.accounts.models import Team, User
from callscope.accounts.password_hasher import TooManyHashes
from callscope.accounts.sign_in_limits import fold_email
from callscope.calls.models import AgentUser
from callscope.db.limits import MAX_ID
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.password_forms import NewPasswordForm
from callscope.interfaces.web.views.session_start import begin_session
from callscope.projects import invitations
from callscope.projects.models import Invitation, Project


class InvitedByLink(NamedTuple):
    """An invitation of which nobody is informed by mail: who invited passes its link on."""

    email: str
    address: str
    expires_at: dt.datetime
    creates_account: bool


def send_invitation(
    request: HttpRequest, email: str, role: str, *, project: Project | None = None, team: Team | None = None
) -> InvitedByLink | None:
    """Invite somebody; return the link where no mail takes it, which is shown in this answer alone.

    The answer is the same whether or not an account has the e-mail.
    """
    by = current_user(request)
    invitation, token, is_mailed = invitations.send(
        email, role, project=project, team=team, by=by, is_awaited=is_awaited(email, by)
    )
    if token:
        path = reverse("web:invitation-link", args=[token])
        public = settings.ENVIRONMENT.public_url
        address = public + path if public else request.build_absolute_uri(path)
        return InvitedByLink(invitation.email, address, invitation.expires_at, invitation.creates_account)
    if is_mailed:
        text = _("A mail to %(email)s is on its way. The list of invitations says if it cannot be sent.")
        messages.success(request, text % {"email": invitation.email})
    else:
        messages.warning(request, describe_unsent(role) % {"email": invitation.email})
    return None


def describe_unsent(role: str) -> str:
    """Return what became of an invitation to an address that has had enough mails."""
    if role == Invitation.Role.USER:
        return _(
            "%(email)s has had several mails within the hour, so none was sent now. Invite again in an hour. "
            "The link of an earlier mail, if there was one, works until it expires."
        )
    return _(
        "%(email)s was invited, but no mail was sent: the address has had several within the hour. An "
        "existing account can accept at the next sign-in; for a mail, invite again in an hour. "
        "The link of an earlier mail, if there was one, works until it expires."
    )


class InvitedRow(NamedTuple):
    """An open invitation as those who may withdraw it see it."""

    invitation: Invitation
    is_on_its_way: bool  # the mail
    is_unsent: bool


def list_rows(found: QuerySet[Invitation]) -> list[InvitedRow]:
    """Return open invitations with what became of their mails."""
    now = timezone.now()
    return [
        InvitedRow(each, invitations.is_on_its_way(each, now=now), invitations.is_unsent(each, now=now))
        for each in found
    ]


def is_awaited(email: str, by: User) -> bool:
    """Return whether others gave this e-mail access to calls, which come with its account."""
    email = fold_email(email)
    links = AgentUser.objects.filter(email=email).exclude(created_by=by)
    return links.exists() or invitations.list_by_others(email, by).exists()


@signed_in_page
@require_http_methods(["GET", "HEAD"])
def list_invitations(request: HttpRequest) -> HttpResponse:
    """Show what the visitor is offered."""
    offered = invitations.list_for(current_user(request), now=timezone.now())
    return render(request, "web/access/invitations.html", {"invitations": offered})


@signed_in_page
@require_POST
def answer(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Accept, decline, withdraw or send an invitation again, as the button that was pressed says."""
    user, do = current_user(request), request.POST.get("do")
    invitation_id = min(invitation_id, MAX_ID)
    if do == "withdraw":
        return _withdraw(request, user, invitation_id)
    if do == "send":
        return _send_again(request, user, invitation_id)
    try:
        if do == "accept":
            taken = invitations.accept(invitation_id, user)
            messages.success(request, _("You have accepted the invitation."))
            if taken.project_id is not None:
                return redirect("web:project-settings", taken.project_id)
        elif do == "decline":
            invitations.decline(invitation_id, user)
            messages.success(request, _("You have declined the invitation."))
    except invitations.NoSuchInvitation:
        raise Http404 from None
    return redirect("web:invitations")


def _describe(invitation: Invitation) -> dict[str, object]:
    """Return who invites, to what and as what; no place where an account is all that is offered."""
    sender = invitation.invited_by
    return {
        "sender": sender.email if sender else _("The administrator of this server"),
        "place": invitations.name_place(invitation) if invitation.role != Invitation.Role.USER else "",
        "role": render_to_string("web/access/role.html", {"role": invitation.role}),
    }


def _withdraw(request: HttpRequest, user: User, invitation_id: int) -> HttpResponse:
    found = _find_managed(user, invitation_id)
    invitations.withdraw(found, by=user)
    messages.success(request, _("The invitation was withdrawn."))
    return _to_place(found)


def _send_again(request: HttpRequest, user: User, invitation_id: int) -> HttpResponse:
    """Invite as before, with another link and another mail: with the limits and the audit event of that."""
    found = _find_managed(user, invitation_id)
    if not is_mail_set_up():
        messages.error(request, _("This server sends no mail. Invite the person again to get a link."))
    elif found.role == Invitation.Role.USER and User.objects.filter(email=found.email).exists():
        messages.error(request, _("%(email)s already has an account.") % {"email": found.email})
    else:
        send_invitation(request, found.email, found.role, project=found.project, team=found.team)
    return _to_place(found)


def _find_managed(user: User, invitation_id: int) -> Invitation:
    """Return an invitation that the user could have sent. Raises Http404."""
    found = Invitation.objects.filter(pk=invitation_id).select_related("project", "team").first()
    if found is None or not invitations.may_withdraw(user, found):
        raise Http404
    return found


def _to_place(found: Invitation) -> HttpResponse:
    if found.project_id is not None:
        return redirect("web:project-people", found.project_id)
    if found.team_id is None:
        return redirect("web:users")
    return redirect("web:team", found.team_id)


@require_http_methods(["GET", "HEAD", "POST"])
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """Lead to the invitation of a link, or create the account that it is for."""
    try:
        invitation = invitations.find_by_token(token, now=timezone.now())
    except invitations.NoSuchInvitation:
        return render(request, "web/access/invitation.html", {"is_gone": True}, status=404)
    context: dict[str, object] = {"invitation": invitation, **_describe(invitation)}
    # Whether there is an account is known to nobody but whom the link could create one for.
    if not invitation.creates_account or User.objects.filter(email=invitation.email).exists():
        return render(request, "web/access/invitation.html", context)
    data: Any = request.POST if request.method == "POST" else None
    form = NewPasswordForm(User(email=invitation.email), data)
    if form.is_bound and form.is_valid():
        try:
            user = invitations.create_account(token, form.cleaned_data["new_password1"])
        except TooManyHashes:
            return render(
                request, "web/access/invitation.html", {**context, "form": form, "is_busy": True}, status=503
            )
        except (invitations.NoSuchInvitation, services.InvalidAccount):  # another request was faster
            return redirect("web:sign-in")
        return begin_session(request, user, "/")
    status = 400 if form.is_bound else 200
    return render(request, "web/access/invitation.html", {**context, "form": form}, status=status)
