"""What is fetched next to a report: calls being analyzed, contact reasons being regrouped, and who judged."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from callscope.accounts.models import User
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.engine_notices import describe_wait
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.reasons import offer_regrouping
from callscope.interfaces.web.presenters.report_page.parts import build_address
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import ReportRequest, parse_report_request
from callscope.interfaces.web.templatetags.formatting import number
from callscope.pipeline.files import regrouping
from callscope.pipeline.files.progress import load_analysis_status
from callscope.pipeline.queue.breakers.waits import list_waits
from callscope.projects import permissions
from callscope.reports.overview.origin.judges import read_origin
from callscope.reports.overview.origin.sentences import describe_agreement, describe_judges

OPEN_STATES = ("queued", "processing")


@signed_in_page
def progress(request: HttpRequest) -> HttpResponse:
    """Render the progress next to the report's title; it polls while something is under way."""
    report_request = parse_report_request(request)
    status = load_analysis_status(report_request.projects)
    counts = status["analysis_status"].values()
    ids = [project.pk for project in report_request.projects]
    waits = list_waits(ids) if status["waiting_for"] else []
    here = reverse("web:report-progress")
    context = {
        "open_calls": max((sum(states[state] for state in OPEN_STATES) for states in counts), default=0),
        "is_open": status["in_progress"],
        "is_regrouping": status["reclustering"],
        "was_open": request.GET.get("seen") == "1",
        "again_url": with_query(here, {**report_request.query, "seen": "1"}),
        "waits": [describe_wait(wait) for wait in waits],
        "report_url": build_address("overview", report_request.query),
    }
    return render(request, "web/report/progress.html", context)


@signed_in_page
def origin(request: HttpRequest) -> HttpResponse:
    """Render who judged the calls of a report; asked for once it is unfolded, as it takes long to read."""
    report_request = parse_report_request(request)
    found = read_origin(report_request.projects, report_request.window)
    context = {
        "judges": describe_judges(found, number),
        "agreement": describe_agreement(found, number) if found.judges else "",
    }
    return render(request, "web/report/origin.html", context)


@signed_in_page
@require_POST
def regroup(request: HttpRequest) -> HttpResponse:
    """Ask for new contact reasons of the projects in scope that the visitor may change."""
    report_request = parse_report_request(request)
    user = current_user(request)
    queued = regrouping.request_regrouping(permissions.writable(user, report_request.projects), by=user)
    text = ngettext(
        "The contact reasons of %(count)s project are being regrouped.",
        "The contact reasons of %(count)s projects are being regrouped.",
        len(queued),
    )
    nothing = _("There are no projects here with open-ended contact reasons that you can change.")
    messages.info(request, text % {"count": len(queued)} if queued else nothing)
    return HttpResponseRedirect(build_address("reasons", report_request.query))


def offer_regrouping_of(user: User, report_request: ReportRequest) -> TemplateContext:
    """Return the offer to regroup, of one project alone, as it begins at once."""
    projects = permissions.writable(user, report_request.projects)
    if len(report_request.projects) != 1 or not all(map(regrouping.is_open_ended, projects)) or not projects:
        return {}
    return {
        "regroup_url": with_query(reverse("web:regroup"), report_request.query),
        "regrouping": offer_regrouping(regrouping.find_outlook(projects[0]), projects[0].name),
    }
