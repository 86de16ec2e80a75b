"""What is on its way to a report: calls being analysed, and contact reasons being grouped anew."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from callscope.accounts.models import User
from callscope.interfaces.web.page import page, visitor, with_query
from callscope.interfaces.web.question import ask
from callscope.pipeline import regrouping
from callscope.pipeline.progress import analysis_status
from callscope.projects import access
from callscope.projects.models import Project

OPEN_STATES = ("queued", "processing")


@page
def progress(request: HttpRequest) -> HttpResponse:
    """Answer the words beside the report's title; they ask again while something is under way."""
    question = ask(request)
    status = analysis_status(question.projects)
    counts = status["analysis_status"].values()
    here = reverse("web:report-progress")
    context = {
        "open_calls": max((sum(states[state] for state in OPEN_STATES) for states in counts), default=0),
        "is_open": status["in_progress"],
        "is_regrouping": status["reclustering"],
        "was_open": request.GET.get("seen") == "1",
        "again_url": with_query(here, {**question.query, "seen": "1"}),
        "report_url": with_query(reverse("web:report"), question.query),
    }
    return render(request, "web/report/progress.html", context)


@page
@require_POST
def regroup(request: HttpRequest) -> HttpResponse:
    """Ask for new contact reasons of the projects in scope that the visitor may change."""
    question = ask(request)
    queued = regrouping.request_regrouping(changeable(visitor(request), question.projects))
    text = ngettext(
        "The contact reasons of %(count)s project are being grouped anew.",
        "The contact reasons of %(count)s projects are being grouped anew.",
        len(queued),
    )
    nothing = _("No project here has open-ended contact reasons that you may change.")
    messages.info(request, text % {"count": len(queued)} if queued else nothing)
    return HttpResponseRedirect(with_query(reverse("web:report"), question.query))


def can_regroup(user: User, projects: Sequence[Project]) -> bool:
    return any(regrouping.is_open_ended(project) for project in changeable(user, projects))


def changeable(user: User, projects: Sequence[Project]) -> list[Project]:
    roles = access.roles_of(user, projects)
    return [project for project in projects if access.may_write(roles.get(project.pk))]
