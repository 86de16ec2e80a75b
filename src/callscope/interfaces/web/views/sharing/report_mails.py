"""The reports that a person gets by mail: see, start, change, try and end them."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts.mail import is_mail_set_up
from callscope.accounts.models import User
from callscope.accounts.sign_in_limits import IN_SESSION, REPORTS, TooManyAttempts, start_attempt
from callscope.db.limits import MAX_ID
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.project_access import tell_apart
from callscope.pipeline.models import ReportMail
from callscope.pipeline.report_mail import subscriptions
from callscope.projects.permissions import visible_to
from callscope.projects.scope import visible_project_refs
from callscope.reports.window import find_day_at_work

RHYTHMS = {
    ReportMail.Rhythm.WEEKLY: gettext_lazy("Every Monday, about the previous week"),
    ReportMail.Rhythm.MONTHLY: gettext_lazy("On the first of the month, about the previous month"),
}
PROBLEMS = {
    ReportMail.Problem.REFUSED: gettext_lazy("The mail server rejected the latest one."),
    ReportMail.Problem.UNSURE: gettext_lazy(
        "The latest one may not have arrived: the mail server did not answer."
    ),
}


class Subscribe(forms.Form):
    """The report of which project, and how often."""

    project_id = forms.TypedChoiceField(label=gettext_lazy("Project"), coerce=int)
    rhythm = forms.ChoiceField(label=gettext_lazy("When"), choices=list(RHYTHMS.items()))

    def __init__(self, user: User, data: object = None, **options: object) -> None:
        super().__init__(data, **options)  # type: ignore[arg-type]
        field = self.fields["project_id"]
        assert isinstance(field, forms.TypedChoiceField)
        found = sorted(visible_project_refs(user), key=lambda each: (each.name.casefold(), each.pk))
        field.choices = [(each.pk, each.name) for each in tell_apart(found)]


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def report_mails(request: HttpRequest) -> HttpResponse:
    """Show the visitor's mails; start one, or change its rhythm by asking again."""
    user = current_user(request)
    if request.method != "POST":
        return _show(request, Subscribe(user, initial={"project_id": request.GET.get("project_id")}))
    form = Subscribe(user, request.POST)
    if not is_mail_set_up() or not form.is_valid():
        return _show(request, form, status=400)
    project = visible_to(user).get(pk=form.cleaned_data["project_id"])
    started = subscriptions.subscribe(
        user,
        project,
        form.cleaned_data["rhythm"],
        language=(get_language() or "en").partition("-")[0],
        now=timezone.now(),
    )
    text = _("You get the report of %(project)s by mail.")
    messages.success(request, text % {"project": started.project.name})
    return redirect("web:report-mails")


@signed_in_page
@require_POST
def send_mail_now(request: HttpRequest, mail_id: int) -> HttpResponse:
    """Send the visitor the report of the latest period that is over, without waiting for its date."""
    user = current_user(request)
    found = None
    try:
        if is_mail_set_up():
            start_attempt(user.email, IN_SESSION, is_signed_in=True, limits=REPORTS)
            found = subscriptions.send_now(user, min(mail_id, MAX_ID), now=timezone.now())
    except TooManyAttempts:
        text = _("%(email)s has had several mails already. Try again in an hour.")
        messages.error(request, text % {"email": user.email})
        return redirect("web:report-mails")
    if found is None:
        messages.info(request, _("You were not subscribed to this mail."))
    else:
        text = _("The report of %(project)s is on its way to %(email)s.")
        messages.success(request, text % {"project": found.project.name, "email": user.email})
    return redirect("web:report-mails")


@signed_in_page
@require_POST
def end_mail(request: HttpRequest, mail_id: int) -> HttpResponse:
    """Send the visitor no more of these mails."""
    if subscriptions.unsubscribe(current_user(request), min(mail_id, MAX_ID)):
        messages.success(request, _("You will no longer get this mail."))
    else:  # it ended already
        messages.info(request, _("You were not subscribed to this mail."))
    return redirect("web:report-mails")


def _show(request: HttpRequest, form: Subscribe, *, status: int = 200) -> HttpResponse:
    today = find_day_at_work(timezone.now())
    listed = subscriptions.list_mails(current_user(request))
    retries = subscriptions.find_retries(listed)
    mails = [
        {
            "mail": each,
            "rhythm": RHYTHMS[ReportMail.Rhythm(each.rhythm)],
            "is_being_sent": each.due_date <= today,
            "retry": retries.get(each.pk),
            "problem": PROBLEMS[ReportMail.Problem(each.problem)] if each.problem else "",
        }
        for each in listed
    ]
    context = {
        "mails": mails,
        "form": form,
        "is_mail_set_up": is_mail_set_up(),
        "zone": timezone.get_default_timezone_name(),
    }
    return render(request, "web/sharing/report_mails.html", context, status=status)
