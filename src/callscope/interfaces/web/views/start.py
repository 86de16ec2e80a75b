"""The first run: from sign-in to the first report in three steps, or with the sample calls."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.calls.own_calls import find_all_there_is, linked_projects
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.navigation import find_own_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import (
    choose_report,
    find_remembered,
    open_report_of,
    prefer_own_language,
)
from callscope.interfaces.web.views.projects import NewProject
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.samples import loading


@signed_in_page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Go to the report of the last project and 30 days, to the first steps where there is none.

    An agent who sees own calls alone goes to the own page.
    """
    query = request.META.get("QUERY_STRING", "")
    user = current_user(request)
    if query:
        return HttpResponseRedirect(f"{reverse('web:report')}?{query}")
    own = find_all_there_is(user)
    if own is not None:
        return HttpResponseRedirect(find_own_page(own))
    if not (permissions.visible_to(user).exists() or linked_projects(user).exists()):
        return redirect("web:start")
    return HttpResponseRedirect(with_query(reverse("web:report"), choose_report(request)))


@signed_in_page
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Show the three steps and how far they are."""
    projects = [p for p in project_access.list_projects(request) if p.type == Project.Type.CALL]
    files = UploadedFile.objects.filter(project__in=projects)
    with_files = set(files.values_list("project", flat=True).distinct())
    with_results = set(
        CallAnalysis.objects.filter(project__in=projects, is_live=True)
        .values_list("project", flat=True)
        .distinct()
    )
    furthest = with_results or with_files or {each.pk for each in projects}
    project = choose_project(request, furthest)
    context: TemplateContext = {
        "form": NewProject(request),
        "projects": projects,
        "project": project,
        "step": 1 if not projects else 2 if not with_files else 3,
        "report_url": with_query(reverse("web:report"), open_report_of(project))
        if project and with_results
        else "",
        "samples": loading.list_project_names() if not projects else [],
    }
    return render(request, "web/start.html", context)


def choose_project(request: HttpRequest, project_ids: set[int]) -> Project | None:
    """Return the project of these that the steps speak of, as the report chooses one."""
    found = Project.objects.filter(pk__in=project_ids).order_by("-pk")
    return find_remembered(request, found) or prefer_own_language(found)


@signed_in_page
@require_POST
def load_samples(request: HttpRequest) -> HttpResponse:
    """Make the sample projects for the visitor, once, and start their work."""
    user = current_user(request)
    if Project.objects.filter(owner=user, name__in=loading.list_project_names()).exists():
        messages.info(request, _("The sample projects already exist."))
        return redirect("web:start")
    loading.load_samples(user)
    messages.success(
        request, _("The sample calls are being processed. The report fills up as they are analyzed.")
    )
    return redirect("web:start")
