"""Mails about appeals: to the people who may decide, then to the agent. They hold a link and no content."""

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import override

from callscope.accounts import mail
from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.calls.own_calls import is_own_call
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import OwnJudgement, require_impartial
from callscope.reviews.reading import list_hidden

MOST_MAILS = 20  # of one appeal


def announce_appeal(appeal: Appeal) -> None:
    """Tell the people who may decide the appeal that it waits, once it is stored."""
    if not mail.is_mail_set_up():
        return
    project = appeal.project
    writers = User.objects.filter(is_active=True).filter(
        Q(pk=project.owner_id)
        | Q(shares__project=project, shares__role="editor")
        | Q(memberships__team=project.team_id, memberships__is_admin=True)
    )
    for user in writers.distinct().order_by("pk")[:MOST_MAILS]:
        try:
            require_impartial(appeal, user)
        except OwnJudgement:
            continue
        hidden = list_hidden(user)
        if appeal.call_id in hidden.to_rate:
            continue  # the list of appeals has it once the calibration is closed
        with override(user.language or "en"):
            text = _("An agent has appealed the result of a call. Read the appeal and decide:\n%(link)s")
            button = _("Read the appeal")
            if appeal.call_id in hidden.to_review:
                text = _(
                    "An agent has appealed the result of a call that you have to review blind. "
                    "The appeal is hidden until you submit the review:\n%(link)s"
                )
                button = _("Open the appeals")
            link = mail.build_link("web:appeals")
            _send(user, _("An appeal is waiting for a decision"), text, link, button=button)


def announce_decision(appeal: Appeal) -> None:
    """Tell who appealed that it was decided."""
    user = appeal.appellant
    if user is None or not user.is_active or not mail.is_mail_set_up():
        return
    if not is_own_call(user, Call.objects.get(pk=appeal.call_id)):
        return  # the call was given to another agent: its page is closed to who appealed
    with override(user.language or "en"):
        text = _("Your appeal was decided. Read the decision:\n%(link)s")
        link = mail.build_link("web:call", str(appeal.call_id))
        _send(user, _("Your appeal was decided"), text, link, button=_("Read the decision"))


def _send(user: User, subject: str, text: str, link: str, *, button: str) -> None:
    body, to, language = text % {"link": link}, user.email, user.language or "en"

    def send() -> None:  # when the language of the request is active again
        with override(language):
            mail.send_later(subject, body, to=to, button=button)

    transaction.on_commit(send)
