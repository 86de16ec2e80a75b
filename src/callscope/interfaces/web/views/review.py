"""A person reviews a call: the form next to the transcript, for who may write the project."""

import re
from typing import NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note
from callscope.calls.models import Call
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.presenters.reviewing.correction import CorrectionForm
from callscope.interfaces.web.presenters.reviewing.review import ReviewForm
from callscope.interfaces.web.project_access import require_writer
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.views.agents.appeals import link_to_appeal
from callscope.interfaces.web.views.call import build_recording
from callscope.messages.translation import translate
from callscope.pipeline.decisions import review_edits
from callscope.projects import scope
from callscope.reports.call_list.call_detail import find_call
from callscope.reviews import reading
from callscope.reviews.answers import InvalidReview
from callscope.reviews.calibration.visibility import find_rater, is_blinded, list_unrated, reviews_visible_to
from callscope.reviews.models import CalibrationRater, Review
from callscope.reviews.revisions import GivenReview, ReviewConflict
from callscope.reviews.sampling.work_list import find_draw, list_others

MOST_WAITING = 100  # calls of the visitor's work list that are looked at
SHARED_TOKEN = re.compile(r"[\w-]{1,100}", re.ASCII)
SUBMITS = ("submit", "next")  # "next" also opens the next call that waits


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, call_id: int) -> HttpResponse:
    """Show the visitor's draft or an empty form; save, submit or withdraw, as the pressed button says.

    Submitting with "next" opens the next call that was drawn for the visitor, or is still to rate.
    """
    user = current_user(request)
    detail = find_call(scope.resolve_scope(user).projects, call_id)
    if detail is None:
        raise Http404
    require_writer(request, detail.call.project)
    rater = find_rater(call_id, user)
    found = _find_review(request, detail.call, rater)
    do, status = request.POST.get("do"), 200
    if do == "withdraw":
        return _withdraw(request, detail.call, found)
    corrected = request.POST.get("correct") or request.GET.get("correct") or ""
    has_read = rater is None and reading.has_read(call_id, user)
    form = ReviewForm(detail, found, is_rating=rater is not None, has_read=has_read)
    if corrected and rater is None:  # a rater shall not see what counts
        form = CorrectionForm(detail, corrected)
        if not form.rows:
            raise Http404
        reading.note_reading(call_id, user)  # it shows what the machine said
        found = None
    if request.method == "POST":
        status = 400
        given = form.read(request.POST, submits=do in SUBMITS)
        if given is not None and (do in SUBMITS or (do == "draft" and not given.is_partial)):
            queue = find_queue(user, detail.call, rater) if do == "next" else None
            try:
                return _save(request, detail.call, found, given, queue)
            except InvalidReview as error:  # the results changed since they were read
                form.problem = translate(error.message)
            except ReviewConflict as error:
                # What was typed is kept, and goes into a new revision.
                form.problem, form.review_id, status = translate(error.message), None, 409
    else:
        note(user, "call.read", f"call {call_id}", project=detail.call.project_id)
    context = {
        "detail": detail,
        "call": detail.call,
        "item": detail.item,
        "form": form,
        "corrected": corrected if isinstance(form, CorrectionForm) else "",
        "calibration_id": rater.calibration_id if rater else None,
        "queue": None if corrected else find_queue(user, detail.call, rater),
        **build_recording(detail),
    }
    return render(request, "web/review.html", context, status=status)


@signed_in_page
@require_POST
def show_results(request: HttpRequest, call_id: int) -> HttpResponse:
    """Show the results of a call that the visitor was to review blind; the review is not blind any more.

    Who asked in the list of appeals, or on a shared page, goes on there.
    """
    user = current_user(request)
    detail = find_call(scope.resolve_scope(user).projects, call_id)
    if detail is None:
        raise Http404
    require_writer(request, detail.call.project)
    if not is_blinded(call_id, user):
        reading.note_reading(call_id, user)
    if appeal := request.POST.get("appeal"):
        return redirect(link_to_appeal(parse_id(appeal)))
    if SHARED_TOKEN.fullmatch(token := request.POST.get("shared", "")):
        return redirect("web:shared", token)
    return redirect(with_query(reverse("web:call", args=[call_id]), request.GET.dict()))


class Queue(NamedTuple):
    """What waits for the visitor besides this call, and where the results of all are read."""

    others: list[int]  # the next call first
    result_url: str

    @property
    def next_url(self) -> str:
        return reverse("web:review", args=[self.others[0]]) if self.others else self.result_url


def find_queue(user: User, call: Call, rater: CalibrationRater | None) -> Queue | None:
    """Return what the visitor has to rate or to review with this call; None where it is not part of that.

    Ratings come first, since calls are reviewed after they are rated.
    """
    if rater is not None:
        calibration = reverse("web:project-calibration", args=[call.project_id, rater.calibration_id])
        return Queue(list_unrated(rater, call.pk), calibration)
    sample_id = find_draw(call, user)
    if sample_id is None:
        return None
    others = list_others(call.project, user, call.pk, most=MOST_WAITING)
    return Queue(others, reverse("web:project-sample", args=[call.project_id, sample_id]))


def _find_review(request: HttpRequest, call: Call, rater: CalibrationRater | None) -> Review | None:
    """Return the review that a form names, else the visitor's own draft; Http404 for one of another call."""
    user = current_user(request)
    reviews = reviews_visible_to(user).filter(call=call).select_related("rater__calibration")
    if request.method != "POST":
        drafts = reviews.filter(state=Review.State.DRAFT, reviewer=user, rater__isnull=rater is None)
        return drafts.order_by("-revision").first()
    named = request.POST.get("review")
    if not named:
        return None
    found = reviews.filter(pk=parse_id(named)).first()
    if found is None:
        raise Http404
    return found


def _save(
    request: HttpRequest, call: Call, found: Review | None, given: GivenReview, queue: Queue | None
) -> HttpResponse:
    """Store the review, and go on with the queue. Raises InvalidReview and ReviewConflict."""
    user = current_user(request)
    try:
        if found is None:
            found = review_edits.create_review(call.pk, given, user)
        else:
            found = review_edits.change_review(found.pk, given, user)
    except (Call.DoesNotExist, Review.DoesNotExist):  # gone since it was looked up
        raise Http404 from None
    if given.submits and found.rater is not None:
        messages.success(request, _("Your rating was submitted. It is shown when the calibration is closed."))
        calibration = reverse("web:project-calibration", args=[call.project_id, found.rater.calibration_id])
        return redirect(queue.next_url if queue else calibration)
    if given.submits:
        if "blind" in request.POST and not found.blind:
            words = _("The review was submitted. It is not blind: you had opened the results of this call.")
            messages.success(request, words)
        else:
            messages.success(request, _("The review was submitted."))
        return redirect(queue.next_url) if queue else _to_call(call)
    messages.success(request, _("The draft was saved."))
    return redirect("web:review", call.pk)


def _withdraw(request: HttpRequest, call: Call, found: Review | None) -> HttpResponse:
    if found is None:
        raise Http404
    try:
        review_edits.withdraw_review(found.pk, current_user(request))
    except (Call.DoesNotExist, Review.DoesNotExist):  # gone since it was looked up
        raise Http404 from None
    messages.success(request, _("The review was withdrawn."))
    return _to_call(call)


def _to_call(call: Call) -> HttpResponse:
    return redirect(reverse("web:call", args=[call.pk]) + "#review-title")
