"""The reviews of a project at a glance: what is left to do, draws and calibrations."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from callscope.accounts.models import User
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.waiting import say_work
from callscope.projects.models import Project
from callscope.projects.permissions import writable_by
from callscope.reviews.calibration.listing import summarize_calibrations
from callscope.reviews.models import Calibration, ReviewSample
from callscope.reviews.sampling.work_list import SampleProgress, list_progress
from callscope.reviews.waiting import Work, count_work_by_project, list_waiting

SHOWN = 50  # the newest draws and calibrations
WORK_SHOWN = 100  # calls that wait for the visitor


@signed_in_page
@require_safe
def overview(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show what there is to review, and what was drawn and calibrated."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    context = project_access.project_context(request, project, "reviews")
    if context["may_write"]:
        newest = Calibration.objects.filter(project=project).select_related("created_by").order_by("-pk")
        drawn = ReviewSample.objects.filter(project=project).select_related("created_by").order_by("-pk")
        context |= {
            **list_own_work(current_user(request), project),
            "other_work": list_other_work(current_user(request), project),
            "today": timezone.localdate(),
            "samples": list_samples(list(drawn[:SHOWN])),
            "calibrations": summarize_calibrations(newest[:SHOWN]),
        }
    return render(request, "web/reviewing/overview.html", context)


def list_samples(drawn: list[ReviewSample]) -> list[tuple[SampleProgress, ReviewSample]]:
    """Return the samples with their progress; those that were withdrawn as a whole come last."""
    rows = zip(list_progress(drawn), drawn, strict=True)
    return sorted(rows, key=lambda row: not row[0]["calls"] and bool(row[1].withdrawn))


def list_own_work(user: User, project: Project) -> dict[str, object]:
    """Return what waits for the visitor in the project, as the list of all projects has it, and how much."""
    only = Project.objects.filter(pk=project.pk)
    work = count_work_by_project(user, only).get(project.pk, Work())
    return {
        "waiting": [(each, project) for each in list_waiting(user, only, most=WORK_SHOWN)],
        "work": work,
        "said": say_work(work),
    }


class OtherWork(NamedTuple):
    """What waits for the visitor in another project."""

    name: str
    url: str
    work: Work

    @property
    def said(self) -> str:
        return say_work(self.work)


def list_other_work(user: User, project: Project) -> list[OtherWork]:
    """Return the other projects in which anything waits for the visitor, those with most first."""
    counts = count_work_by_project(user, writable_by(user, Project.Type.CALL).exclude(pk=project.pk))
    others = Project.objects.in_bulk(counts) if counts else {}
    work = [
        OtherWork(other.name, reverse("web:project-reviews", args=[pk]), counts[pk])
        for pk, other in others.items()
    ]
    return sorted(work, key=lambda each: (-each.work.rows, each.name.casefold(), each.url))
