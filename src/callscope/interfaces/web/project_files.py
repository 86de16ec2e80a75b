"""The files of one project: how far each is, why one failed, another try, deleting."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.calls.models import UploadedFile
from callscope.interfaces.web import own_projects
from callscope.interfaces.web.page import kept, page, show, visitor, with_query
from callscope.interfaces.web.upload_page import states_of
from callscope.pipeline import removal, retry
from callscope.pipeline.models import Job
from callscope.projects.models import Project

PAGE_SIZE = 50
FILTERS = ("search", "state", "page")


@page
@require_safe
def files(request: HttpRequest, project_id: int) -> HttpResponse:
    """List the files, newest first; a name or only the failed can be asked for."""
    project = own_projects.find(request, project_id)
    found = UploadedFile.objects.filter(project=project).select_related("call").order_by("-pk")
    search = request.GET.get("search", "").replace("\x00", "").strip()[:255]
    if search:
        found = found.filter(original_filename__icontains=search)
    state = request.GET.get("state", "")
    if state in UploadedFile.Status.values:
        found = found.filter(status=state)
    listed = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    rows = states_of(list(listed.object_list))
    context = {
        **own_projects.surroundings(request, project, "files"),
        "listed": listed,
        "rows": rows,
        "is_open": any(not row.is_final for row in rows),
        "search": search,
        "state": state,
        "states": [
            ("", _("All")),
            (UploadedFile.Status.FAILED, _("Failed")),
            (UploadedFile.Status.UPLOADED, _("Waiting")),
            (UploadedFile.Status.TRANSCRIBED, _("Transcribed")),
        ],
        "here": request.get_full_path(),
        "previous_url": _address(request, project, listed.number - 1) if listed.has_previous() else "",
        "next_url": _address(request, project, listed.number + 1) if listed.has_next() else "",
    }
    return show(request, "web/projects/files.html", "web/projects/files_body.html", context)


@page
@require_POST
def change_file(request: HttpRequest, project_id: int, file_id: int) -> HttpResponse:
    """Delete a file or try a failed one again, as the button that was pressed says."""
    project = own_projects.find(request, project_id)
    own_projects.require_writer(request, project)
    file = UploadedFile.objects.filter(project=project, pk=min(file_id, own_projects.LARGEST_ID)).first()
    if file is None:
        raise Http404
    if request.POST.get("do") == "delete":
        removal.delete_file(file, by=visitor(request))
        messages.success(request, _("%(name)s was deleted.") % {"name": file.original_filename})
    elif request.POST.get("do") == "retry":
        _retry(request, file.task_id)
    return HttpResponseRedirect(_back(request, project))


def _retry(request: HttpRequest, task_id: uuid.UUID | None) -> None:
    try:
        if task_id is not None:
            retry.retry(task_id)
        messages.success(request, _("The file is tried again."))
    except (retry.NotFailed, Job.DoesNotExist):
        messages.info(request, _("There is nothing to try again: the file has not failed."))


def _back(request: HttpRequest, project: Project) -> str:
    """Return the list as it was: only its own parameters are taken from the form."""
    query: dict[str, Any] = {name: request.POST.get(name, "") for name in FILTERS}
    return with_query(reverse("web:project-files", args=[project.pk]), query)


def _address(request: HttpRequest, project: Project, number: int) -> str:
    query = {**kept(request, FILTERS), "page": number if number > 1 else None}
    return with_query(reverse("web:project-files", args=[project.pk]), query)
