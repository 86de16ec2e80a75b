"""All that waits for a reviewer, whatever project it is of."""

from typing import NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from callscope.accounts.models import User
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.waiting import say_work
from callscope.projects.models import Project
from callscope.projects.permissions import visible_to, writable_by
from callscope.reviews.waiting import Work, count_work_by_project, list_waiting

SHOWN = 100  # calls that wait for the visitor, the first due


class ProjectRow(NamedTuple):
    """A project with how much waits for the visitor there."""

    project: Project
    work: Work


@signed_in_page
@require_safe
def show_queue(request: HttpRequest) -> HttpResponse:
    """List what waits for the visitor in all projects, one row a call or appeal, and the projects.

    Who may review in one project alone, and an address that names one, is led to its reviews. Raises
    PermissionDenied for who only views projects.
    """
    user = current_user(request)
    writable = writable_by(user, Project.Type.CALL)
    projects = {project.pk: project for project in writable}
    if not projects:
        refuse_viewer(user)
        return render(request, "web/reviewing/queue.html", {"is_empty": True})
    named = parse_id(request.GET.get("project_id", ""))
    if named in projects or len(projects) == 1:
        only = named if named in projects else next(iter(projects))
        return HttpResponseRedirect(reverse("web:project-reviews", args=[only]))
    counts = count_work_by_project(user, writable)
    rows = [ProjectRow(project, counts.get(pk, Work())) for pk, project in projects.items()]
    waiting = list_waiting(user, writable, most=SHOWN)
    work = sum(counts.values(), start=Work())
    context = {
        "waiting": [(each, projects[each.project_id]) for each in waiting if each.project_id in projects],
        "work": work,
        "said": say_work(work),
        "projects": sorted(
            rows, key=lambda row: (-row.work.rows, row.project.name.casefold(), row.project.pk)
        ),
        "today": timezone.localdate(),
    }
    return render(request, "web/reviewing/queue.html", context)


def refuse_viewer(user: User) -> None:
    """Raise PermissionDenied, with who reviews and whom to ask, for who sees projects with calls."""
    viewed = visible_to(user).filter(type=Project.Type.CALL)
    owners = list(viewed.order_by().values_list("owner__email", flat=True).distinct()[:2])
    if not owners:
        return
    who = _("Calls are reviewed by editors and the owner of a project, and by admins of its team.")
    how = (
        _("Ask %(owner)s for the role of editor.") % {"owner": owners[0]}
        if len(owners) == 1
        else _("Ask the owner of a project for the role of editor. Its page “People” says who that is.")
    )
    raise PermissionDenied(f"{who} {how}")
