"""All users, and what administrators can do about an account: invite, deactivate, sign out."""

from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts import audit, services
from callscope.accounts.mail import is_mail_set_up
from callscope.accounts.models import SecondFactor, User
from callscope.accounts.sign_in_limits import MAILS, TooManyAttempts, start_attempt
from callscope.calls.models import AgentUser
from callscope.db.limits import MAX_ID, is_storable
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.access.invitations import is_awaited, list_rows, send_invitation
from callscope.interfaces.web.views.access.password_reset import send_reset_link
from callscope.messages.translation import translate
from callscope.projects.invitations import list_open
from callscope.projects.models import Invitation

PAGE_SIZE = 100


class NewUser(forms.Form):
    def __init__(self, visitor: User, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.visitor = visitor

    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=services.MAX_EMAIL_LENGTH)

    def clean_email(self) -> str:
        """Return the e-mail. Refuses one that has an account: this page lists them anyway."""
        try:
            email = services.clean_email(self.cleaned_data["email"])
        except services.InvalidAccount as error:
            raise forms.ValidationError(translate(error.message)) from None
        if User.objects.filter(email=email).exists():
            raise forms.ValidationError(_("%(email)s already has an account.") % {"email": email})
        if not is_mail_set_up() and is_awaited(email, self.visitor):
            raise forms.ValidationError(
                _(
                    "Others have given %(email)s access already. This server sends no mail, so only the "
                    "command line can create this account: callscope user invite."
                )
                % {"email": email}
            )
        return email


def clean_search(typed: str) -> str:
    """Return the part of an e-mail that was typed; "" for what no e-mail can hold."""
    search = typed.strip()[: services.MAX_EMAIL_LENGTH]
    return search if is_storable(search) else ""


def require_administrator(request: HttpRequest) -> User:
    """Return the visitor. Raises PermissionDenied for any but an administrator of the instance."""
    visitor = current_user(request)
    if not visitor.is_superuser:
        raise PermissionDenied(_("Only administrators of this server can do this."))
    return visitor


def find_person(user_id: int) -> User:
    """Return the user of an address, with `owned` projects and `has_second_factor`. Raises Http404."""
    found = _with_facts().filter(pk=min(user_id, MAX_ID)).first()
    if found is None:
        raise Http404
    return found


def _with_facts() -> QuerySet[User]:
    factors = SecondFactor.objects.filter(user=OuterRef("pk"), confirmed_at__isnull=False)
    return User.objects.annotate(owned=Count("projects", distinct=True), has_second_factor=Exists(factors))


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def users(request: HttpRequest) -> HttpResponse:
    """List the users by e-mail, or those whose e-mail has the words that were typed; invite one."""
    visitor = require_administrator(request)
    form, invited = NewUser(visitor, request.POST if request.method == "POST" else None), None
    if form.is_bound and form.is_valid():
        invited = send_invitation(request, form.cleaned_data["email"], Invitation.Role.USER)
        if invited is None:
            return redirect("web:users")
        form = NewUser(visitor)
    search = clean_search(request.GET.get("search", ""))
    found = _with_facts().filter(email__icontains=search) if search else _with_facts()
    listed = Paginator(found.order_by("email"), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "listed": listed,
        "search": search,
        "searched": urlencode({"search": search}) if search else "",
        "form": form,
        "invited": invited,
        "invitations": list_rows(list_open(now=timezone.now()).filter(role=Invitation.Role.USER)),
        "is_mail_set_up": is_mail_set_up(),
    }
    return render(request, "web/access/users.html", context, status=400 if form.is_bound else 200)


@signed_in_page
@require_http_methods(["GET", "HEAD"])
def user(request: HttpRequest, user_id: int) -> HttpResponse:
    """Show one user, and what an administrator can do about the account."""
    require_administrator(request)
    return show_user(request, find_person(user_id))


def show_user(request: HttpRequest, person: User, email_form: forms.Form | None = None) -> HttpResponse:
    """Show the page of a user; `email_form` holds what was typed as the new e-mail."""
    context = {
        "person": person,
        "email_form": email_form,
        "owned": person.projects.order_by("name", "pk").values_list("name", flat=True),
        "shared": person.shares.select_related("project").order_by("project__name", "project"),
        "linked": AgentUser.objects.filter(email=person.email).values_list("project__name", flat=True),
        "teams": person.memberships.select_related("team").order_by("team__name", "team"),
        "valid_keys": person.api_keys.filter(revoked=False)
        .filter(Q(expiry_date__isnull=True) | Q(expiry_date__gt=timezone.now()))
        .count(),
        "has_password": person.has_usable_password(),
        "is_mail_set_up": is_mail_set_up(),
    }
    return render(request, "web/access/user.html", context, status=400 if email_form else 200)


@signed_in_page
@require_POST
def change(request: HttpRequest, user_id: int) -> HttpResponse:
    """Deactivate, activate or sign out a user, or mail a link for a new password, as the button says."""
    visitor = require_administrator(request)
    person, do = find_person(user_id), request.POST.get("do")
    if person.is_superuser:
        messages.error(request, _("Administrators can only be changed on the command line."))
    elif do in ("activate", "deactivate"):
        services.set_user_active(person, do == "activate", by=visitor)
        text = _("%(email)s is active again.") if person.is_active else _("%(email)s is deactivated.")
        messages.success(request, text % {"email": person.email})
    elif do == "sign_out":
        ended = services.end_sessions(person, by=visitor)
        text = ngettext("%(count)s session ended.", "%(count)s sessions ended.", ended)
        messages.success(request, text % {"count": ended})
    elif do == "send_password_link":
        _send_password_link(request, person, visitor)
    return redirect("web:user", person.pk)


def _send_password_link(request: HttpRequest, person: User, visitor: User) -> None:
    """Mail it to the user alone: an administrator who saw it could sign in as the user and read calls."""
    if not (is_mail_set_up() and person.is_active and person.has_usable_password()):
        messages.error(request, _("No link can be sent to %(email)s.") % {"email": person.email})
        return
    try:
        start_attempt(person.email, f"user {visitor.pk}", limits=MAILS)
    except TooManyAttempts:
        messages.error(
            request,
            _("%(email)s has had several mails already. Try again in an hour.") % {"email": person.email},
        )
        return
    audit.record(visitor, "user.password_link_sent", f"user {person.pk}", email=person.email)
    say_outcome(request, person.email, send_reset_link(person, by=visitor))


def say_outcome(request: HttpRequest, email: str, is_sent: bool | None) -> None:
    """Say whether a mail with a link was sent; None: that is not known yet."""
    if is_sent is None:
        text = _(
            "A mail with a link is on its way to %(email)s. If it does not arrive, check the log of the "
            "server and the mail settings, and send it again."
        )
    elif is_sent:
        text = _("A mail with a link was sent to %(email)s: the mail server accepted it.")
    else:
        text = _(
            "The mail with a link to %(email)s could not be sent. Check the log of the server and the mail "
            "settings, and send it again."
        )
    say = messages.error if is_sent is False else messages.success
    say(request, text % {"email": email})
