"""Invitations: nobody is put into a project or a team unasked, and none tells who has an account.

An invitation goes to an e-mail, whether or not an account has it. Who signs in with that e-mail
accepts or declines. Its link, sent by mail, shown to who invites where no mail is sent, or printed for the
operator, may also create the account.
An invitation ends after two weeks, and with the right of its sender to give what it offers.
"""

import datetime as dt
import hashlib
import secrets
from typing import NamedTuple

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
from callscope.db.transactions import run_in_transaction
from callscope.projects import permissions, services
from callscope.projects.models import Invitation, Project

OPEN_FOR = dt.timedelta(days=14)
LONGEST_ON_ITS_WAY = dt.timedelta(minutes=30)  # a hundred mails before it, each at a server that hangs


class NoSuchInvitation(Exception):
    """The invitation is not there: accepted, declined, withdrawn, too old, or for somebody else."""


class Sent(NamedTuple):
    """An invitation, and how its link gets to who is invited."""

    invitation: Invitation
    token: str  # of its link, for who invites to pass on; "" where it is mailed
    is_mailed: bool  # False as well where the address has had enough mails


@transaction.atomic
def invite(
    email: str,
    role: str,
    *,
    project: Project | None = None,
    team: Team | None = None,
    creates_account: bool = False,
    keeps_link: bool = False,
    mail_state: Invitation.MailState = Invitation.MailState.NONE,
    by: User | None = None,
) -> tuple[Invitation, str]:
    """Return (invitation, token of its link); one to the same e-mail is replaced. Raises InvalidAccount.

    `keeps_link`: the link of the one before opens this one, too, for nobody gets the new one. It creates an
    account only if it did so before: a link that was shown to who invites proves no address. What became of
    the mail of that link stays with it; of a new link, it is `mail_state`.
    """
    folded = accounts.clean_email(email)
    token, now = secrets.token_urlsafe(32), timezone.now()
    before = Invitation.objects.filter(email=folded, project=project, team=team)
    latest = before.order_by("-pk").first() if keeps_link else None
    if latest is not None and latest.expires_at <= now:
        latest = None
    before.delete()
    invitation = Invitation.objects.create(
        email=folded,
        role=role,
        project=project,
        team=team,
        creates_account=creates_account and (latest is None or latest.creates_account),
        invited_by=by,
        token_digest=_digest(token) if latest is None else latest.token_digest,
        mail_state=mail_state if latest is None else latest.mail_state,
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
) -> Sent:
    """Invite somebody. Raises InvalidAccount.

    `is_awaited`: others gave this e-mail access already, so that no link that somebody else sees may create
    the account. Without a project and a team it only offers an account, and `by` is an administrator.
    It makes no difference whether an account has the e-mail. Who has had enough mails gets no more; the
    invitation waits all the same, and an earlier link opens it. Without mail nothing proves the address, so
    that only an administrator's link may create an account.
    """
    has_mail = mail.is_mail_set_up()
    is_mailed = has_mail and _may_mail(accounts.clean_email(email), by)
    has_to_administer = not has_mail or (project is None and team is None)
    invitation, token = invite(
        email,
        role,
        project=project,
        team=team,
        creates_account=(by.is_superuser and (has_mail or not is_awaited))
        if has_to_administer
        else settings.ENVIRONMENT.invited_sign_up,
        keeps_link=has_mail and not is_mailed,
        mail_state=Invitation.MailState.WAITING if is_mailed else Invitation.MailState.NONE,
        by=by,
    )
    if is_mailed:
        _send_link(invitation, token, sender=by)
    return Sent(invitation, "" if has_mail else token, is_mailed)


def _may_mail(email: str, by: User) -> bool:
    """Return whether this person may have the address sent one more mail, and count it."""
    try:
        start_attempt(email, f"user {by.pk}", limits=MAILS)
    except TooManyAttempts:
        return False
    return True


def _send_link(invitation: Invitation, token: str, *, sender: User) -> None:
    """Mail the link, and say to what: a project, a team, or Callscope alone."""
    names = {
        "sender": sender.email,
        "place": name_place(invitation),
        "organization": read_shown().name,
        "link": mail.build_link("web:invitation-link", token),
    }
    invited = (
        _("%(sender)s invites you to %(place)s at %(organization)s")
        if names["organization"]
        else _("%(sender)s invites you to %(place)s")
    ) % names
    about = _("Callscope scores customer calls and shows the words behind each score.")
    rest = _(
        "Accept the invitation, or decline it, within two weeks:\n%(link)s\n\n"
        "If you do not know the sender, ignore this mail: nothing happens without your answer."
    )
    text = f"{invited}. {about}\n\n{rest % names}"
    mail.send_later(
        invited,
        text,
        to=invitation.email,
        button=_("Accept the invitation"),
        keep_outcome=lambda is_sent: _keep_outcome(invitation.token_digest, is_sent=is_sent),
    )


def _keep_outcome(token_digest: str, *, is_sent: bool) -> None:
    """Keep with the invitation, if its link is still the one of the mail, what became of the mail."""
    state = Invitation.MailState.SENT if is_sent else Invitation.MailState.FAILED
    found = Invitation.objects.filter(token_digest=token_digest)
    run_in_transaction(lambda: found.update(mail_state=state))


def is_on_its_way(invitation: Invitation, *, now: dt.datetime) -> bool:
    """True while the mail may still be sent: a process that ends loses those that wait."""
    is_waiting = invitation.mail_state == Invitation.MailState.WAITING
    return is_waiting and invitation.created_at > now - LONGEST_ON_ITS_WAY


def is_unsent(invitation: Invitation, *, now: dt.datetime) -> bool:
    """True if somebody invited by mail, and no mail is known to have left; not of links that were printed."""
    if invitation.mail_state == Invitation.MailState.NONE:
        return mail.is_mail_set_up() and invitation.invited_by_id is not None
    if invitation.mail_state == Invitation.MailState.WAITING:
        return not is_on_its_way(invitation, now=now)
    return invitation.mail_state == Invitation.MailState.FAILED


def name_place(invitation: Invitation) -> str:
    """Return what somebody is invited to, within a sentence."""
    if invitation.project is not None:
        return _("the project “%(name)s”") % {"name": " ".join(invitation.project.name.split())}
    if invitation.team is not None:
        return _("the team “%(name)s”") % {"name": " ".join(invitation.team.name.split())}
    return "Callscope"


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
