"""What a person does with the files that were ticked in the list of a project: another try, deleting."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from callscope.calls.models import UploadedFile
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.project_files import FILTERS, PAGE_SIZE, find_list, report_retries
from callscope.pipeline.erasure import removal
from callscope.pipeline.files import retry_failed
from callscope.projects.models import Project


@signed_in_page
@require_POST
def act(request: HttpRequest, project_id: int) -> HttpResponse:
    """Retry or delete the chosen files, as the button says: all of them, or none where one is not there."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    do, ids = request.POST.get("do"), {parse_id(text) for text in request.POST.getlist("file")}
    if do not in ("retry", "delete"):
        raise Http404
    files = list(UploadedFile.objects.filter(project=project, pk__in=ids - {NO_ID}).order_by("pk"))
    if len(files) < len(ids) or len(ids) > PAGE_SIZE:
        raise Http404
    if not files:
        messages.error(request, _("Select at least one file."))
    elif do == "retry":
        retry(request, project, files)
    elif request.POST.get("confirmed") != "yes":
        return ask_before_deleting(request, project, files)
    else:
        delete(request, files)
    return HttpResponseRedirect(find_list(request, project))


def retry(request: HttpRequest, project: Project, files: list[UploadedFile]) -> None:
    """Queue what failed of the files again, and say how many stay as they are."""
    done = retry_failed.retry_files(project, [file.pk for file in files], by=current_user(request))
    text = ngettext("Retrying %(count)s file.", "Retrying %(count)s files.", done.retried)
    nothing = _("There is nothing to retry: none of the selected files has failed.")
    report_retries(request, done, text, nothing)


def delete(request: HttpRequest, files: list[UploadedFile]) -> None:
    for file in files:
        removal.delete_file(file, by=current_user(request))
    text = ngettext("%(count)s file was deleted.", "%(count)s files were deleted.", len(files))
    messages.success(request, text % {"count": number(len(files))})


def ask_before_deleting(request: HttpRequest, project: Project, files: list[UploadedFile]) -> HttpResponse:
    """Ask whether the files shall be gone for good, where no dialog of the page has asked."""
    kept = [(name, request.POST.get(name, "")) for name in FILTERS]
    context = {"project": project, "files": files, "kept": kept, "back_url": find_list(request, project)}
    return render(request, "web/projects/delete_files.html", context)
