"""Change the e-mail of an account: an administrator asks for it, and the person confirms it.

Who reads the mail of an account can choose a new password for it, so an administrator who could change the
e-mail alone could enter any account. The link goes to the new address, and works only for who is signed
in with the account: both show that it is the person's own wish.
"""

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import mail, services
from callscope.accounts.models import User
from callscope.accounts.organization import read_shown
from callscope.accounts.sign_in_limits import MAILS, TooManyAttempts, start_attempt
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.users import (
    find_person,
    require_administrator,
    say_outcome,
    show_user,
)
from callscope.interfaces.web.views.session import FILLED_IN
from callscope.messages.translation import translate
from callscope.pipeline.decisions import email_changes

SALT = "callscope.email-change"
VALID_S = 3 * 24 * 3600


class NewEmail(forms.Form):
    email = forms.CharField(
        label=gettext_lazy("New e-mail"),
        max_length=services.MAX_EMAIL_LENGTH,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )


@signed_in_page
@require_POST
def ask(request: HttpRequest, user_id: int) -> HttpResponse:
    """Mail a link to the new address, under which the person confirms it."""
    visitor = require_administrator(request)
    person, form = find_person(user_id), NewEmail(request.POST)
    if person.is_superuser:
        messages.error(request, _("Administrators can only be changed on the command line."))
    elif not mail.is_mail_set_up() or not person.is_active:
        messages.error(request, _("No link can be sent to %(email)s.") % {"email": person.email})
    elif not form.is_valid() or not _send_link(request, form, person, visitor):
        return show_user(request, person, form)
    return redirect("web:user", person.pk)


def _send_link(request: HttpRequest, form: NewEmail, person: User, visitor: User) -> bool:
    """Send the link; return False with the error in the form where that cannot be done."""
    try:
        new = email_changes.check_email(form.cleaned_data["email"], person)
    except services.InvalidAccount as error:
        form.add_error("email", translate(error.message))
        return False
    if new == person.email:
        form.add_error("email", _("The account has this e-mail already."))
        return False
    try:
        start_attempt(new, f"user {visitor.pk}", limits=MAILS)
    except TooManyAttempts:
        text = _("%(email)s has had several mails already. Try again in an hour.")
        form.add_error("email", text % {"email": new})
        return False
    token = signing.dumps([person.pk, person.email, new, visitor.pk], salt=SALT)
    names = {
        "sender": visitor.email,
        "place": read_shown().title,
        "former": person.email,
        "new": new,
        "link": mail.build_link("web:confirm-email", token),
    }
    text = _(
        "%(sender)s, who administers %(place)s, wants to change the e-mail of your account from %(former)s "
        "to %(new)s.\n\nSign in with %(former)s and confirm it within three days:\n%(link)s\n\nUntil then "
        "your e-mail stays the same."
    )
    subject = _("Your new e-mail for %(place)s")
    button = _("Confirm the e-mail")
    say_outcome(request, new, mail.send_and_wait(subject % names, text % names, to=new, button=button))
    return True


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show what a link changes; change it, and lead to the sign-in with the new e-mail."""
    user = current_user(request)
    try:
        user_id, former, new, sender_id = signing.loads(token, salt=SALT, max_age=VALID_S)
    except signing.SignatureExpired:
        return _refuse(request, _("This link has expired: it worked for three days."))
    except signing.BadSignature:
        return _refuse(request, _("This link is damaged. Open it from the mail again, as a whole."))
    sender = User.objects.filter(pk=sender_id, is_active=True, is_superuser=True).first()
    if user_id != user.pk:
        text = _("This link belongs to another account. Sign out, and sign in with the one that it is for.")
        return _refuse(request, text)
    if former != user.email:
        return _refuse(request, _("The e-mail of your account has changed since this link was sent."))
    if sender is None:
        return _refuse(request, _("Who sent this link does not administer this place any more."))
    if request.method != "POST":
        return render(request, "web/access/confirm_email.html", {"former": former, "new": new})
    try:
        email_changes.change_email(user, new, by=sender)
    except services.InvalidAccount:  # somebody else has it since then
        text = _("Another account has the e-mail %(email)s by now.") % {"email": new}
        return _refuse(request, text)
    request.session.flush()
    request.session[FILLED_IN] = new
    messages.success(request, _("The e-mail was changed. Sign in with it."))
    return redirect("web:sign-in")


def _refuse(request: HttpRequest, problem: str) -> HttpResponse:
    """Say on a page of its own what is wrong with a link, and what to do."""
    return render(request, "web/access/confirm_email.html", {"problem": problem}, status=410)
