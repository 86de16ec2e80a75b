"""Give a user another e-mail, with what others gave to the former one.

Links of agents and open invitations name an e-mail, so they follow. Who signs in with an identity provider
is known there by a subject, and still is. All sessions end: from then on, the new e-mail signs in. API keys
stay valid. The former address gets a mail, so that nobody loses an account without a word.
"""

from django.db.models import Q
from django.utils.translation import gettext as _

from callscope.accounts import audit, mail
from callscope.accounts.models import User
from callscope.accounts.organization import read_shown
from callscope.accounts.services import InvalidAccount, clean_email
from callscope.accounts.trail.pseudonyms import EMAIL_CHANGED
from callscope.calls.models import AgentUser
from callscope.db.transactions import run_in_transaction
from callscope.projects.models import Invitation


def change_email(user: User, email: str, by: User | None = None) -> bool:
    """Give the user this e-mail; return False where it is the same. Raises InvalidAccount."""
    folded, former = check_email(email, user), user.email
    if folded == former:
        return False

    def change() -> None:
        locked = User.objects.select_for_update().get(pk=user.pk)
        check_email(folded, locked)
        locked.email = folded
        locked.save(update_fields=["email"])
        locked.sessions.all().delete()
        _follow(former, folded)
        audit.record(by, EMAIL_CHANGED, f"user {user.pk}", former=former, new=folded)

    run_in_transaction(change)
    user.email = folded
    if mail.is_mail_set_up():
        _inform_former(former, folded)
    return True


def check_email(email: str, user: User) -> str:
    """Return the e-mail as it is stored. Raises InvalidAccount for one that the user cannot have."""
    folded = clean_email(email)
    if User.objects.filter(email=folded).exclude(pk=user.pk).exists():
        raise InvalidAccount("email", "email_taken", value=folded)
    return folded


def _follow(former: str, new: str) -> None:
    """Give links and invitations to the new e-mail; what it has already stays."""
    known = AgentUser.objects.filter(email=new).values("project")
    AgentUser.objects.filter(email=former).exclude(project__in=known).update(email=new)
    AgentUser.objects.filter(email=former).delete()
    Invitation.objects.filter(email__in=(former, new), role=Invitation.Role.USER).delete()
    asked = Invitation.objects.filter(email=new)
    same = Q(project__in=asked.filter(project__isnull=False).values("project")) | Q(
        team__in=asked.filter(team__isnull=False).values("team")
    )
    Invitation.objects.filter(same, email=former).delete()
    Invitation.objects.filter(email=former).update(email=new)


def _inform_former(former: str, new: str) -> None:
    names = {"place": read_shown().title, "new": new, "link": mail.build_link("web:sign-in")}
    text = _(
        "The e-mail of your account for %(place)s was changed to %(new)s. All sessions have ended: sign in "
        "with the new e-mail.\n%(link)s\n\nIf you do not know why, ask who administers the server."
    )
    subject = _("The e-mail of your account for %(place)s was changed")
    mail.send_later(subject % names, text % names, to=former, button=_("Sign in"))
