"""Open a calibration; look one up: what is left to rate while it is open, then answers side by side."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.presenters.reviewing import calibration as presenter
from callscope.interfaces.web.presenters.reviewing.concealment import describe_calibration
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.interfaces.web.views.reviewing.calibration_form import (
    CalibrationForm,
    ChoiceForm,
    NamesForm,
    list_offered,
    open_from_form,
)
from callscope.interfaces.web.views.reviewing.draw_filters import list_choices
from callscope.messages.translation import translate
from callscope.pipeline.decisions import calibration_edits
from callscope.projects.models import Project
from callscope.projects.permissions import list_writers
from callscope.reviews.answers import InvalidReview
from callscope.reviews.calibration.sessions import MAX_CALLS, CalibrationConflict, InvalidCalibration
from callscope.reviews.calibration.settlement import find_settled
from callscope.reviews.models import Calibration
from callscope.reviews.reading import note_readings
from callscope.reviews.revisions import ReviewConflict


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_calibration(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the page that opens a calibration, first which calls, then who rates them; open it.

    The address may name calls, as the list of calls and the page of a sample do, or ask for some by chance.
    """
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    project_access.require_writer(request, project)
    choice, names, status = ChoiceForm(), NamesForm(), 200
    if request.method == "POST" and request.POST.get("do") == "take":
        names = NamesForm.of(request.POST)
        form = CalibrationForm.of_calls(names.find_calls(project))
        status = 400 if names.errors else 200
    elif request.method == "POST":
        form = CalibrationForm.of(request.POST)
        calibration = open_from_form(project, form, current_user(request))
        if calibration is not None:
            messages.success(
                request, _("The calibration is open. Each rater rates its calls without seeing the others.")
            )
            return HttpResponseRedirect(reverse("web:project-calibration", args=[project.pk, calibration.pk]))
        status = 400
    elif "count" in request.GET:
        choice = ChoiceForm.of(request.GET)
        form = CalibrationForm.of_calls(choice.choose(project))
    else:
        form = CalibrationForm.of_calls([parse_id(each) for each in request.GET.getlist("call")[:MAX_CALLS]])
    context = {
        **project_access.project_context(request, project, "reviews"),
        "choice": choice,
        "names": names,
        "form": form,
        "offered": list_offered(project, form),
        "max_calls": MAX_CALLS,
        "filter_choices": list_choices(project, choice.filters),
        "writers": [user.email for user in list_writers(project)],
    }
    return render(request, "web/reviewing/new_calibration.html", context, status=status)


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def show_calibration(request: HttpRequest, project_id: int, calibration_id: int) -> HttpResponse:
    """Show the calibration; close it, or settle its answers, as the pressed button says."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    found = Calibration.objects.filter(project=project, pk=min(calibration_id, MAX_ID))
    calibration = found.select_related("created_by", "settled_by").first()
    if calibration is None:
        raise Http404
    status, user = 200, current_user(request)
    if request.method == "POST":
        try:
            if request.POST.get("do") == "close":
                calibration_edits.close_calibration(calibration.pk, user)
                messages.success(request, _("The calibration is closed. Everyone can see all answers."))
            elif request.POST.get("do") == "settle":
                calibration_edits.settle_calibration(calibration.pk, read_answers(request.POST), user)
                messages.success(request, _("The settled answers are now the reviews of these calls."))
            return HttpResponseRedirect(reverse("web:project-calibration", args=[project.pk, calibration.pk]))
        except (InvalidCalibration, InvalidReview, CalibrationConflict, ReviewConflict) as error:
            messages.error(request, translate(error.message))
            status = 400
        except Calibration.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
    seen = describe_calibration(calibration, user)
    note_readings(seen.shown, user)
    context = {
        **project_access.project_context(request, project, "reviews"),
        "today": timezone.localdate(),
        "page": presenter.arrange(seen, user.email, request.POST, find_settled(calibration, user)),
    }
    return render(request, "web/reviewing/calibration.html", context, status=status)


def read_answers(sent: QueryDict) -> dict[tuple[int, str], str]:
    """Return the chosen answers; inputs are named answer:CALL:CRITERION."""
    chosen: dict[tuple[int, str], str] = {}
    for name, answer in sent.items():
        kind, _colon, rest = name.partition(":")
        call, _colon, criterion_id = rest.partition(":")
        call_id = parse_id(call)
        if kind == "answer" and call_id != NO_ID and isinstance(answer, str) and answer:
            chosen[call_id, criterion_id] = answer
    return chosen
