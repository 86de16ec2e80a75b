"""Invitations: nobody is put into a project or a team unasked, and none tells who has an account.

An invitation goes to an e-mail, whether or not an account has it. Who signs in with that e-mail
accepts or declines. Its link, sent by mail, shown to who invites where no mail is sent, or printed for the
operator, may also create the account.
An invitation ends after two weeks, and with the right of its sender to give what it offers.
"""

import datetime as dt
import hashlib
import secrets
from contextlib import suppress

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from callscope.accounts import audit, mail
from callscope.accounts import services as accounts
from callscope.accounts.models import Team, TeamMember, User
from callscope.accounts.organization import read_shown
from callscope.accounts.sign_in_limits import MAILS, TooManyAttempts, start_attempt
from callscope.projects import permissions, services
from callscope.projects.models import Invitation, Project

OPEN_FOR = dt.timedelta(days=14)


class NoSuchInvitation(Exception):
    """The invitation is not there: accepted, declined, withdrawn, too old, or for somebody else."""


@transaction.atomic
def invite(
    email: str,
    role: str,
    *,
    project: Project | None = None,
    team: Team | None = None,
    creates_account: bool = False,
    by: User | None = None,
) -> tuple[Invitation, str]:
    """Return (invitation, token of its link); one to the same e-mail is replaced. Raises InvalidAccount."""
    folded = accounts.clean_email(email)
    token, now = secrets.token_urlsafe(32), timezone.now()
    Invitation.objects.filter(email=folded, project=project, team=team).delete()
    invitation = Invitation.objects.create(
        email=folded,
        role=role,
        project=project,
        team=team,
        creates_account=creates_account,
        invited_by=by,
        token_digest=_digest(token),
        created_at=now,
        expires_at=now + OPEN_FOR,
    )
    audit.record(by, "invitation.created", _subject(invitation), email=folded, role=role)
    return invitation, token


def send(
    email: str,
    role: str,
    *,
    by: User,
    project: Project | None = None,
    team: Team | None = None,
    is_awaited: bool = False,
) -> tuple[Invitation, str]:
    """Invite somebody; return (invitation, token of its link, "" where it is mailed). Raises InvalidAccount.

    `is_awaited`: others gave this e-mail access already, so that no link that somebody else sees may create
    the account. Without a project and a team it only offers an account, and `by` is an administrator.
    It makes no difference whether an account has the e-mail. Who has had enough mails gets no more; the
    invitation waits all the same. Without mail nothing proves the address, so that only an administrator's
    link may create an account.
    """
    is_mailed = mail.is_mail_set_up()
    has_to_administer = not is_mailed or (project is None and team is None)
    invitation, token = invite(
        email,
        role,
        project=project,
        team=team,
        creates_account=(by.is_superuser and (is_mailed or not is_awaited))
        if has_to_administer
        else settings.ENVIRONMENT.invited_sign_up,
        by=by,
    )
    if is_mailed:
        with suppress(TooManyAttempts):
            start_attempt(invitation.email, f"user {by.pk}", limits=MAILS)
            what = project.name if project is not None else team.name if team is not None else ""
            _send_link(invitation, token, sender=by, what=what)
    return invitation, "" if is_mailed else token


def _send_link(invitation: Invitation, token: str, *, sender: User, what: str) -> None:
    """Mail the link; `what` is the name of a project or a team, "" for neither."""
    organization = read_shown()
    names = {
        "sender": sender.email,
        "what": " ".join(what.split()) or organization.title,
        "organization": organization.name,
        "link": mail.build_link("web:invitation-link", token),
    }
    if organization.name and what:
        subject = _("%(sender)s invites you to %(what)s at %(organization)s")
        begin = _(
            "%(sender)s invites you to %(what)s at %(organization)s, where Callscope scores customer calls "
            "and shows the words behind each score."
        )
    else:
        subject = _("%(sender)s invites you to %(what)s")
        begin = _(
            "%(sender)s invites you to %(what)s in Callscope, which scores customer calls and shows the "
            "words behind each score."
        )
    rest = _(
        "Accept or decline within two weeks:\n%(link)s\n\n"
        "If you do not know the sender, ignore this mail: nothing happens without your answer."
    )
    mail.send_later(subject % names, f"{begin}\n\n{rest}" % names, to=invitation.email)


def list_by_others(email: str, by: User) -> QuerySet[Invitation]:
    """Return the open invitations of this e-mail that others sent."""
    return list_open(now=timezone.now()).filter(email=email).exclude(invited_by=by)


def list_open(*, now: dt.datetime) -> QuerySet[Invitation]:
    """Return the invitations that can be accepted as far as time goes, oldest first."""
    invitations = Invitation.objects.filter(expires_at__gt=now).select_related(
        "project", "team", "invited_by"
    )
    return invitations.order_by("created_at", "pk")


def list_for(user: User, *, now: dt.datetime) -> list[Invitation]:
    """Return what the user can accept."""
    offered = list_open(now=now).filter(email=user.email).exclude(role=Invitation.Role.USER)
    return [each for each in offered if is_still_allowed(each)]


def find_by_token(token: str, *, now: dt.datetime) -> Invitation:
    """Return the invitation of this link. Raises NoSuchInvitation."""
    found = list_open(now=now).filter(token_digest=_digest(token)).first()
    if found is None or not is_still_allowed(found):
        raise NoSuchInvitation
    return found


def is_still_allowed(invitation: Invitation) -> bool:
    """True if its sender could still give what it offers."""
    sender = invitation.invited_by
    return sender is None or (sender.is_active and may_withdraw(sender, invitation))


@transaction.atomic
def accept(invitation_id: int, user: User) -> Invitation:
    """Give the user what the invitation offers, once. Raises NoSuchInvitation."""
    invitation = _take(invitation_id, user)
    role, sender = invitation.role, invitation.invited_by
    if invitation.project is not None and invitation.project.owner_id != user.pk:
        services.share_project(invitation.project, user, role, by=sender)
    if invitation.team is not None:
        accounts.add_team_member(invitation.team, user, admin=role == Invitation.Role.ADMIN, by=sender)
    audit.record(user, "invitation.accepted", _subject(invitation), role=role)
    return invitation


@transaction.atomic
def decline(invitation_id: int, user: User) -> Invitation:
    """Turn the invitation down. Raises NoSuchInvitation."""
    invitation = _take(invitation_id, user)
    audit.record(user, "invitation.declined", _subject(invitation), role=invitation.role)
    return invitation


@transaction.atomic
def withdraw(invitation: Invitation, *, by: User | None = None) -> None:
    """Take the invitation back."""
    subject, email = _subject(invitation), invitation.email
    if Invitation.objects.filter(pk=invitation.pk).delete()[0]:
        audit.record(by, "invitation.withdrawn", subject, email=email)


def may_withdraw(user: User, invitation: Invitation) -> bool:
    """True if the user could have sent it."""
    if invitation.project is not None:
        return permissions.can_manage(user, invitation.project)
    if invitation.team_id is None:
        return user.is_superuser
    return TeamMember.objects.filter(team=invitation.team_id, user=user, is_admin=True).exists()


@transaction.atomic
def create_account(token: str, password: str) -> User:
    """Create the account of a link, with what the invitation offers. Raises NoSuchInvitation."""
    invitation = find_by_token(token, now=timezone.now())
    if not invitation.creates_account:
        raise NoSuchInvitation
    user = accounts.create_user(invitation.email, password, by=invitation.invited_by)
    accept(invitation.pk, user)
    return user


def _take(invitation_id: int, user: User) -> Invitation:
    """Delete and return the user's invitation: of two requests at once, one finds it."""
    found = list_open(now=timezone.now()).filter(pk=invitation_id, email=user.email).first()
    if found is None or not is_still_allowed(found):
        raise NoSuchInvitation
    if not Invitation.objects.filter(pk=found.pk).delete()[0]:
        raise NoSuchInvitation
    return found


def _subject(invitation: Invitation) -> str:
    if invitation.project_id is not None:
        return f"project {invitation.project_id}"
    return f"team {invitation.team_id}" if invitation.team_id is not None else "server"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
