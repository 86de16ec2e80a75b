"""Make, list and revoke the links that show a call or a report to people without an account."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts.models import User
from callscope.calls import share_links
from callscope.calls.models import Call, ShareLink
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.query_string import WINDOW_PARAMETERS, pick_params, with_query
from callscope.interfaces.web.report_request import PRESETS, WHOLE_NUMBER, parse_days
from callscope.interfaces.web.templatetags.formatting import day
from callscope.interfaces.web.templatetags.setup import REDACTIONS
from callscope.interfaces.web.views.sharing.shared_parts import SharedParts, find_parts
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.models import CallFact
from callscope.reports.window import Window, zone_name
from callscope.reviews.reading import list_hidden

NO_LINKS_HERE = gettext_lazy(
    "The administrator of this Callscope has turned share links off: they can neither be created nor opened."
)
DAY_NAMES = {1: gettext_lazy("1 day"), 7: gettext_lazy("7 days"), 30: gettext_lazy("30 days")}


class NewLink(forms.Form):
    """How long the link opens, and of a report which days it shows."""

    start_date = forms.DateField(
        label=gettext_lazy("First day"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    end_date = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )

    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        choices=[(days, DAY_NAMES[days]) for days in share_links.DAYS],
        coerce=int,
        initial=7,
    )
    results_only = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Return the data. Refuses a last day before the first."""
        data = super().clean() or self.cleaned_data
        start, end = data.get("start_date"), data.get("end_date")
        if start and end and end < start:
            days = {"start": day(start), "end": day(end)}
            self.add_error("end_date", _("The last day (%(end)s) is before the first (%(start)s).") % days)
        return data

    @classmethod
    def of(cls, target: "Target", sent: QueryDict) -> "NewLink":
        """Return the form that was sent; days that it leaves out are those of the address."""
        data = sent.copy()
        for name, shown in zip(("start_date", "end_date"), target.window, strict=True):
            if name not in sent and shown is not None:
                data[name] = shown.isoformat()
        form = cls(data)
        asks_results = target.call is not None and form.is_valid() and form.cleaned_data["results_only"]
        if asks_results and not target.parts.results_alone:
            form.add_error(None, _("The call has no results, so a link to them alone would show nothing."))
        return form


class Target(NamedTuple):
    """What the address of the page asks to share."""

    project: Project
    call: Call | None
    window: share_links.SharedDays
    parts: SharedParts = SharedParts()  # of the call


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def shares(request: HttpRequest) -> HttpResponse:
    """List the links; a new one, to what the query names, is shown in the answer to its form alone."""
    user, target = current_user(request), find_target(request)
    problem = describe_problem(user, target) if target is not None else ""
    context: TemplateContext = {"target": target, "problem": problem, "query": request.META["QUERY_STRING"]}
    status, made = 200, None
    if request.method == "POST":
        if target is None:
            raise Http404
        if problem:
            raise PermissionDenied(problem)
        context["form"] = form = NewLink.of(target, request.POST)
        status = 400
        if form.is_valid():
            try:
                project, call = target.project, target.call
                days = form.cleaned_data["start_date"], form.cleaned_data["end_date"]
                made, token = share_links.create_link(
                    user,
                    project,
                    days=form.cleaned_data["days"],
                    call=call,
                    window=share_links.SharedDays(*days) if call is None else None,
                    results_only=call is not None and form.cleaned_data["results_only"],
                )
                path = reverse("web:shared", args=[token])
                public = settings.ENVIRONMENT.public_url
                context["address"] = public + path if public else request.build_absolute_uri(path)
                context["made"], status = made, 200
            except share_links.TooManyLinks:
                text = _("You have %(count)s open links. Revoke some that are no longer needed.")
                form.add_error(None, text % {"count": share_links.MAX_LINKS})
    elif target is not None:
        start, end = target.window
        context["form"] = NewLink(initial={"start_date": start, "end_date": end})
    if target is not None:
        context |= describe_target(request, target, made)
    if not settings.ENVIRONMENT.share_links:
        context["notice"] = NO_LINKS_HERE
    context["links"] = share_links.list_links(user, now=timezone.now())
    return render(request, "web/sharing/share_links.html", context, status=status)


@signed_in_page
@require_POST
def revoke(request: HttpRequest, link_id: int) -> HttpResponse:
    """End a link at once."""
    if not share_links.revoke_link(min(link_id, MAX_ID), current_user(request)):
        raise Http404
    messages.success(request, _("The link was revoked and no longer works."))
    return redirect("web:shares")


def find_target(request: HttpRequest) -> Target | None:
    """Return what the query names; None where it names nothing. Http404 for what is not visible."""
    call_id, project_id = request.GET.get("call", ""), request.GET.get("project_id", "")
    if not (call_id or project_id):
        return None
    call = None
    if call_id:
        found = Call.objects.filter(pk=min(int(call_id), MAX_ID)) if WHOLE_NUMBER.fullmatch(call_id) else None
        call = found.first() if found is not None else None
        if call is None:
            raise Http404
        project = project_access.get_project_or_404(request, call.project_id)
        return Target(project, call, share_links.SharedDays(), find_parts(call))
    if not WHOLE_NUMBER.fullmatch(project_id):
        raise Http404
    project = project_access.get_project_or_404(request, int(project_id))
    window, problem = parse_days(request)
    if project.type != Project.Type.CALL or problem:
        raise Http404
    return Target(project, None, share_links.SharedDays(window.start, window.end))


def describe_target(request: HttpRequest, target: Target, made: ShareLink | None) -> TemplateContext:
    """Return what the page shows of what it shares; `made`: the new link, whose days may differ."""
    if target.call is not None:
        return {"zone": zone_name(), **list_redactions(target.project)}
    project = target.project
    first, last = Window(*((made.start_date, made.end_date) if made else target.window)).days
    asked = {"project_id": project.pk, **pick_params(request, WINDOW_PARAMETERS)}
    return {
        "zone": zone_name(),
        "periods": list_periods(request, project),
        "report_url": with_query(reverse("web:report"), asked),
        "lacks_calls": not CallFact.objects.filter(project=project, day__gte=first, day__lte=last).exists(),
    }


def list_periods(request: HttpRequest, project: Project) -> list[tuple[str | Promise, str, bool]]:
    """Return (name, address, whether it is on the screen) of periods to choose in place of typing days."""
    has_days = bool(request.GET.get("start_date") or request.GET.get("end_date"))
    shown = None if has_days else request.GET.get("date_range", "")
    periods: list[tuple[str | Promise, str, bool]] = []
    for preset, label in PRESETS:
        query = {"project_id": project.pk} | ({"date_range": preset} if preset else {})
        periods.append((label, f"{reverse('web:shares')}?{urlencode(query)}", preset == shown))
    return periods


def list_redactions(project: Project) -> TemplateContext:
    """Return the names of what the project redacts, and of what it could redact and does not."""
    chosen = project.configuration.redact
    return {
        "redacted": [name for kind, name in REDACTIONS.items() if kind in chosen],
        "not_redacted": [name for kind, name in REDACTIONS.items() if kind not in chosen],
    }


def describe_problem(user: User, target: Target) -> str:
    """Return why the user cannot share this; "" if nothing is in the way."""
    if share_links.may_share(user, target.project, target.call):
        if target.call is not None and target.parts.is_nothing:
            return _("The call has no recording, no transcript and no results that a link could show.")
        return describe_hidden(user, target.call)
    if not settings.ENVIRONMENT.share_links:
        return str(NO_LINKS_HERE)
    if not permissions.can_write(user, target.project):
        return project_access.viewer_notice(target.project)
    return _(
        "Private content stays private: calls and reports of private projects cannot be shared with a link."
    )


def describe_hidden(user: User, call: Call | None) -> str:
    """Return why a call whose results are kept from the user cannot be shared: the link would show them."""
    hidden = list_hidden(user)
    if call is None or call.pk not in hidden.all:
        return ""
    if call.pk in hidden.to_rate:
        return _(
            "You rate this call in a calibration, so its results are hidden from you. Share it afterwards."
        )
    return _(
        "You have this call to review blind. Its results are hidden from you; share it after the review."
    )
