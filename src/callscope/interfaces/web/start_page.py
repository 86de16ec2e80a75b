"""The first run: from sign-in to the first report in three steps, or with the sample calls."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.interfaces.web import own_projects
from callscope.interfaces.web.page import page, visitor
from callscope.interfaces.web.projects_page import NewProject
from callscope.projects.models import Project
from callscope.samples import loading


@page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Go to the report, or to the first steps while there is no project to report on."""
    query = request.META.get("QUERY_STRING", "")
    if not query and not Project.objects.visible_to(visitor(request)).exists():
        return redirect("web:start")
    response = redirect("web:report")
    if query:
        response["Location"] += f"?{query}"
    return response


@page
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Show the three steps and how far they are."""
    projects = [p for p in own_projects.visible(request) if p.type == Project.Type.CALL]
    files = UploadedFile.objects.filter(project__in=projects)
    has_files = files.exists()
    has_results = CallAnalysis.objects.filter(project__in=projects, is_live=True).exists()
    context: dict[str, Any] = {
        "form": NewProject(request),
        "projects": projects,
        "project": max(projects, key=lambda p: p.pk, default=None),
        "step": 1 if not projects else 2 if not has_files else 3,
        "has_results": has_results,
        "samples": loading.names() if not projects else [],
    }
    return render(request, "web/start.html", context)


@page
@require_POST
def load_samples(request: HttpRequest) -> HttpResponse:
    """Make the sample projects for the visitor, once, and start their work."""
    user = visitor(request)
    if Project.objects.filter(owner=user, name__in=loading.names()).exists():
        messages.info(request, _("The sample projects are there already."))
        return redirect("web:start")
    loading.load(user)
    messages.success(
        request, _("The sample calls are on their way. The report fills while they are analysed.")
    )
    return redirect("web:start")
