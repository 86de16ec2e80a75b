"""The reviews of a project at a glance: what is left to do, draws, calibrations, and the form for one."""

from dataclasses import dataclass, field
from typing import NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.calls.names import clean_file_name
from callscope.db.limits import is_storable
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.request_data import parse_id
from callscope.messages.translation import translate
from callscope.pipeline.decisions import calibration_edits
from callscope.projects.models import Project
from callscope.projects.permissions import list_writers, writable_by
from callscope.reports.window import InvalidWindow, parse_window
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.listing import list_appeals
from callscope.reviews.calibration.listing import summarize_calibrations
from callscope.reviews.calibration.sessions import MAX_CALLS, MAX_RATERS, CalibrationPlan, InvalidCalibration
from callscope.reviews.calibration.visibility import list_blinded_calls
from callscope.reviews.models import Calibration, ReviewSample
from callscope.reviews.sampling.work_list import list_progress, list_work
from callscope.reviews.waiting import count_work_by_project

SHOWN = 50  # the newest draws and calibrations
WORK_SHOWN = 100  # calls that wait for the visitor
MAX_TYPED = 100_000  # characters of file names
SHOWN_NAME = 80  # characters of a wrong name that a message repeats


@dataclass(slots=True)
class CalibrationForm:
    """What was typed to open a calibration, and what is wrong with it by input."""

    calls: str = ""
    raters: list[str] = field(default_factory=list)
    expert: str = ""
    due: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sent: QueryDict) -> "CalibrationForm":
        return cls(
            sent.get("calls", "").replace("\r\n", "\n")[:MAX_TYPED],
            sent.getlist("rater")[: MAX_RATERS + 1],
            sent.get("expert", ""),
            sent.get("due", ""),
        )


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def overview(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show what there is to review; open a calibration, of the calls that the address names to begin with."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    form, status = CalibrationForm(calls=name_calls(project, request.GET.getlist("call"))), 200
    if request.method == "POST":
        project_access.require_writer(request, project)
        form = CalibrationForm.of(request.POST)
        calibration = open_from_form(project, form, current_user(request))
        if calibration is not None:
            messages.success(
                request, _("The calibration is open. Each rater rates its calls without seeing the others.")
            )
            return HttpResponseRedirect(reverse("web:project-calibration", args=[project.pk, calibration.pk]))
        status = 400
    context = {
        **project_access.project_context(request, project, "reviews"),
        "form": form,
        "max_calls": MAX_CALLS,
    }
    if context["may_write"]:
        newest = Calibration.objects.filter(project=project).select_related("created_by").order_by("-pk")
        drawn = ReviewSample.objects.filter(project=project).select_related("created_by").order_by("-pk")
        context |= {
            "work": list_work(project, current_user(request), most=WORK_SHOWN),
            "open_appeals": list_appeals([project], blinded=list_blinded_calls(current_user(request)))
            .filter(state=Appeal.State.OPEN)
            .count(),
            "other_work": list_other_work(current_user(request), project),
            "today": timezone.localdate(),
            "samples": list_progress(drawn[:SHOWN]),
            "calibrations": summarize_calibrations(newest[:SHOWN]),
            "writers": [user.email for user in list_writers(project)],
        }
    return render(request, "web/reviewing/overview.html", context, status=status)


class OtherWork(NamedTuple):
    """What waits for the visitor in another project."""

    name: str
    url: str
    calls: int


def list_other_work(user: User, project: Project) -> list[OtherWork]:
    """Return the other projects in which calls wait to be reviewed or rated, those with most first."""
    counts = count_work_by_project(user, writable_by(user, Project.Type.CALL).exclude(pk=project.pk))
    others = Project.objects.in_bulk(counts) if counts else {}
    work = [
        OtherWork(other.name, reverse("web:project-reviews", args=[pk]), counts[pk])
        for pk, other in others.items()
    ]
    return sorted(work, key=lambda each: (-each.calls, each.name.casefold(), each.url))


def name_calls(project: Project, ids: list[str]) -> str:
    """Return the file names of these calls of the project, one in each line; others are left out."""
    found = Call.objects.filter(project=project, pk__in=[parse_id(each) for each in ids[:MAX_CALLS]])
    return "\n".join(found.order_by("pk").values_list("file_name", flat=True))


def open_from_form(project: Project, form: CalibrationForm, by: User) -> Calibration | None:
    """Open the calibration; None where something is wrong, noted by its input."""
    names = [clean_file_name(line.strip()) for line in form.calls.split("\n") if line.strip()]
    found = {
        call.file_name: call.pk
        for call in Call.objects.filter(project=project, file_name__in=[n for n in names if is_storable(n)])
    }
    unknown = [name for name in names if name not in found]
    if not names:
        form.errors["call_ids"] = _("List at least one call by its file name.")
    elif unknown:
        form.errors["call_ids"] = _("No call of this project has the file name “%(name)s”.") % {
            "name": unknown[0][:SHOWN_NAME]
        }
    if not form.raters:
        form.errors["raters"] = _("Choose at least one rater.")
    try:
        due = parse_window({"end_date": form.due}, now=timezone.now()).end
    except InvalidWindow as error:
        form.errors["due"] = translate(error.message)
    if form.errors:
        return None
    plan = CalibrationPlan([found[name] for name in names], form.raters, form.expert, due)
    try:
        return calibration_edits.open_calibration(project.pk, plan, by)
    except InvalidCalibration as error:
        form.errors[error.field] = translate(error.message)
    except Project.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    return None
