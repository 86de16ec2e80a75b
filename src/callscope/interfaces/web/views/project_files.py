"""The files of one project: how far each is, why one failed, another try, deleting."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from callscope.calls.models import UploadedFile
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import render_page_or_fragment
from callscope.interfaces.web.presenters.failed_calls import offer_retry
from callscope.interfaces.web.presenters.file_status import filter_by_state, list_state_choices
from callscope.interfaces.web.query_string import pick_params, with_query
from callscope.interfaces.web.views.upload import list_states
from callscope.messages.translation import translate
from callscope.pipeline.erasure import removal
from callscope.pipeline.files import retry_failed
from callscope.pipeline.files.prospects import Prospect
from callscope.pipeline.files.retry_failed import RetryCounts
from callscope.pipeline.models import Job
from callscope.projects.models import Project

PAGE_SIZE = 50
FILTERS = ("search", "state", "page")


@signed_in_page
@require_safe
def files(request: HttpRequest, project_id: int) -> HttpResponse:
    """List the files, newest first; a name or only the failed can be asked for."""
    project = project_access.get_project_or_404(request, project_id)
    found = UploadedFile.objects.filter(project=project).select_related("call").order_by("-pk")
    search = request.GET.get("search", "").replace("\x00", "").strip()[:255]
    if search:
        found = found.filter(original_filename__icontains=search)
    state = request.GET.get("state", "")
    listed = Paginator(found.filter(filter_by_state(project, state)), PAGE_SIZE).get_page(
        request.GET.get("page")
    )
    rows = list_states(list(listed.object_list))
    prospects = retry_failed.count_prospects(project)
    context = {
        **project_access.project_context(request, project, "files"),
        "listed": listed,
        "rows": rows,
        "is_open": any(not row.is_final for row in rows),
        "search": search,
        "state": state,
        "states": list_state_choices(project),
        "failed": prospects.total(),
        "retry": offer_retry(project, prospects),
        "hopeless": prospects[Prospect.NONE],
        "here": request.get_full_path(),
        "place": [("search", search), ("state", state), ("page", listed.number if listed.number > 1 else "")],
        "previous_url": _page_url(request, project, listed.number - 1) if listed.has_previous() else "",
        "next_url": _page_url(request, project, listed.number + 1) if listed.has_next() else "",
    }
    return render_page_or_fragment(
        request, "web/projects/files.html", "web/projects/files_body.html", context
    )


@signed_in_page
@require_POST
def change_file(request: HttpRequest, project_id: int, file_id: int) -> HttpResponse:
    """Delete a file or try a failed one again, as the button that was pressed says."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    file = UploadedFile.objects.filter(project=project, pk=min(file_id, MAX_ID)).first()
    if file is None:
        raise Http404
    if request.POST.get("do") == "delete":
        removal.delete_file(file, by=current_user(request))
        messages.success(request, _("%(name)s was deleted.") % {"name": file.original_filename})
    elif request.POST.get("do") == "retry":
        try:
            if file.task_id is not None:
                retry_failed.retry_task(file.task_id, by=current_user(request))
            messages.success(request, _("Retrying the file."))
        except retry_failed.ContentRemoved as error:
            messages.error(request, translate(error.message))
        except (retry_failed.TaskNotFailed, Job.DoesNotExist):
            messages.info(request, _("There is nothing to retry: the file has not failed."))
    return HttpResponseRedirect(find_list(request, project))


@signed_in_page
@require_POST
def retry_all(request: HttpRequest, project_id: int) -> HttpResponse:
    """Queue every failed file of the project again."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    counts = retry_failed.retry_failed([project], by=current_user(request))
    text = ngettext("Retrying %(count)s failed file.", "Retrying %(count)s failed files.", counts.retried)
    report_retries(request, counts, text, _("There is nothing to retry: no file has failed."))
    return HttpResponseRedirect(reverse("web:project-files", args=[project.pk]))


def report_retries(request: HttpRequest, counts: RetryCounts, retried: str, nothing: str) -> None:
    """Say how many files are tried again, in the words of `retried`, and why the others are not."""
    left = ngettext(
        "%(count)s file stays failed: another attempt would fail in the same way.",
        "%(count)s files stay failed: another attempt would fail in the same way.",
        counts.left,
    )
    if counts.retried:
        messages.success(request, retried % {"count": number_format(counts.retried)})
    if counts.left:
        messages.info(request, left % {"count": number_format(counts.left)})
    if counts.replaced:
        replaced = ngettext(
            "%(count)s file is not retried: a later upload replaced it.",
            "%(count)s files are not retried: later uploads replaced them.",
            counts.replaced,
        )
        messages.info(request, replaced % {"count": number_format(counts.replaced)})
    if not counts.retried and not counts.left and not counts.replaced:
        messages.info(request, nothing)


def find_list(request: HttpRequest, project: Project) -> str:
    """Return the address of the list as it was: only its own parameters are taken from the form."""
    query = {name: request.POST.get(name, "") for name in FILTERS}
    return with_query(reverse("web:project-files", args=[project.pk]), query)


def _page_url(request: HttpRequest, project: Project, number: int) -> str:
    query = {**pick_params(request, FILTERS), "page": number if number > 1 else None}
    return with_query(reverse("web:project-files", args=[project.pk]), query)
