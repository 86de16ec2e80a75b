"""What a person does with the calls that were ticked in the list: all of them, or none."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note
from callscope.interfaces.web import project_access
from callscope.interfaces.web.call_choice import BACK, ChosenCalls, InvalidChoice, list_url, read_choice
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.reviewing.samples import calibration_url
from callscope.messages.translation import translate
from callscope.pipeline.erasure import removal
from callscope.pipeline.files import retry_failed
from callscope.pipeline.rubric_changes.replays.rescoring import request_rescore
from callscope.reports.call_list import exported
from callscope.reports.call_list.listing import find_items
from callscope.reviews.reading import list_hidden
from callscope.reviews.sampling.draw import collect_sample


@signed_in_page
@require_POST
def act(request: HttpRequest) -> HttpResponseBase:
    """Export, retry, judge again, sample, calibrate with or delete the chosen calls, as the button says.

    404 where one of them is not visible; 403 where one may not be changed, and then none is.
    """
    do = request.POST.get("do", "")
    try:
        chosen = read_choice(request)
    except InvalidChoice as error:
        messages.error(request, translate(error.message))
        return HttpResponseRedirect(list_url(request))
    if do == "export":
        return export_calls(request, chosen)
    if do == "calibrate":
        return prepare_calibration(request, chosen)
    if do not in ACTS:
        raise Http404
    for each in chosen:
        project_access.require_writer(request, each.project)
    if do == "delete" and request.POST.get("confirmed") != "yes":
        return ask_before_deleting(request, chosen)
    done = sum(ACTS[do](each, current_user(request)) for each in chosen)
    if do == "retry" and not done:
        messages.info(
            request,
            _("None of the selected calls has failed in a way that another attempt can change."),
        )
    else:
        messages.success(request, describe_done(do, done))
    return HttpResponseRedirect(list_url(request, without_page=do == "delete"))


def ask_before_deleting(request: HttpRequest, chosen: list[ChosenCalls]) -> HttpResponseBase:
    """Ask whether the calls shall be gone for good, where no dialog of the page has asked."""
    kept = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name == "call" or name.startswith(BACK)
    ]
    calls = sum(len(each.call_ids) for each in chosen)
    context = {"kept": kept, "calls": calls, "back_url": list_url(request)}
    return render(request, "web/calls/delete.html", context)


def export_calls(request: HttpRequest, chosen: list[ChosenCalls]) -> HttpResponseBase:
    projects = [each.project for each in chosen]
    found = find_items(projects, [pk for each in chosen for pk in each.call_ids])
    rows = exported.build_rows(found, projects, list_hidden(current_user(request)))
    note(current_user(request), "table.exported", "calls", projects=[project.pk for project in projects])
    return csv_export.download("callscope-calls.csv", exported.list_columns(projects), rows)


def prepare_calibration(request: HttpRequest, chosen: list[ChosenCalls]) -> HttpResponseBase:
    """Lead to the form that opens a calibration, with these calls filled in."""
    for each in chosen:
        project_access.require_writer(request, each.project)
    if len(chosen) > 1:
        messages.error(request, _("A calibration has calls of one project. Select calls of one alone."))
        return HttpResponseRedirect(list_url(request))
    return HttpResponseRedirect(calibration_url(chosen[0].project.pk, chosen[0].call_ids))


def retry(chosen: ChosenCalls, by: User) -> int:
    return retry_failed.retry_calls(chosen.project, chosen.call_ids, by=by)


def rescore(chosen: ChosenCalls, by: User) -> int:
    return request_rescore(chosen.project, by=by, call_ids=chosen.call_ids).calls


def sample(chosen: ChosenCalls, by: User) -> int:
    return collect_sample(chosen.project, chosen.call_ids, by).calls.count()


def delete(chosen: ChosenCalls, by: User) -> int:
    return removal.erase_chosen(chosen.project, chosen.call_ids, by).counts["calls"]


ACTS: dict[str, Callable[[ChosenCalls, User], int]] = {
    "retry": retry,
    "rescore": rescore,
    "sample": sample,
    "delete": delete,
}


def describe_done(do: str, calls: int) -> str:
    texts = {
        "retry": ngettext("Retrying %(count)s call.", "Retrying %(count)s calls.", calls),
        "rescore": ngettext(
            "%(count)s call is being analyzed again.", "%(count)s calls are being analyzed again.", calls
        ),
        "sample": ngettext(
            "%(count)s call is in a new sample for you to review.",
            "%(count)s calls are in a new sample for you to review.",
            calls,
        ),
        "delete": ngettext("%(count)s call was deleted.", "%(count)s calls were deleted.", calls),
    }
    return texts[do] % {"count": number(calls)}
