"""Appeals: the list of a manager, and the forms on the page of a call."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_POST, require_safe

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.calls.own_calls import OwnCalls, find_own_call, find_own_calls, is_own_call
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.presenters.appeals import AppealLine, describe_appeals
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.request_data import parse_id
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.decisions import appeal_edits
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reviews.answers import InvalidReview
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import DECISIONS, OwnJudgement
from callscope.reviews.appeals.listing import list_appeals
from callscope.reviews.reading import HiddenCalls, list_hidden
from callscope.reviews.revisions import ReviewConflict
from callscope.reviews.waiting import find_undecided

PAGE_SIZE = 25
STATE_TABS = {  # each names a list of appeals
    Appeal.State.OPEN.value: pgettext_lazy("appeals", "waiting"),
    Appeal.State.ACCEPTED.value: pgettext_lazy("appeals", "accepted"),
    Appeal.State.REFUSED.value: pgettext_lazy("appeals", "refused"),
}


@signed_in_page
@require_safe
def appeals(request: HttpRequest) -> HttpResponse:
    """Show the appeals of the projects that the visitor may write, or of the visitor's own calls.

    An address that names an `appeal` opens the page that it is on.
    """
    user = current_user(request)
    own = find_own_calls(user)
    hidden = list_hidden(user)
    found = list_readable(user, own, hidden).select_related(
        "call__project", "call__agent", "review", "appellant", "decided_by"
    )
    asked = found.filter(pk=parse_id(request.GET.get("appeal", ""))).first()
    state = asked.state if asked else request.GET.get("state") or Appeal.State.OPEN.value
    if state in Appeal.State.values:
        found = found.filter(state=state)
    number = found.filter(pk__gt=asked.pk).count() // PAGE_SIZE + 1 if asked else request.GET.get("page")
    page = Paginator(found, PAGE_SIZE).get_page(number)
    context = {
        "page": page,
        "lines": leave_out_repeated(
            describe_appeals(page.object_list, user, is_own=own is not None, hidden=hidden.to_review)
        ),
        "states": [(value, label, value == state) for value, label in STATE_TABS.items()],
        "state": state,
        **(count_decidable(user, found, hidden) if state == Appeal.State.OPEN and own is None else {}),
    }
    return render(request, "web/agents/appeals.html", context)


def list_readable(user: User, own: OwnCalls | None, hidden: HiddenCalls) -> QuerySet[Appeal]:
    """Return the appeals that the page shows in one state or another, the newest first."""
    writable = permissions.writable(user, permissions.visible_to(user)) if own is None else []
    return list_appeals(writable, own, blinded=hidden.to_rate)


def count_decidable(user: User, found: QuerySet[Appeal], hidden: HiddenCalls) -> dict[str, int]:
    """Return how many open appeals the visitor may decide now, as the navigation counts, and of how many.

    Of each hidden call one is counted, as one is shown.
    """
    concealed = found.filter(call__in=hidden.to_review).order_by().values("call").distinct().count()
    return {
        "decidable": find_undecided(user, permissions.writable_by(user, Project.Type.CALL)).count(),
        "in_all": found.exclude(call__in=hidden.to_review).count() + concealed,
    }


def leave_out_repeated(lines: list[AppealLine]) -> list[AppealLine]:
    """Return the lines, of each hidden call one alone: none says what it is about."""
    hidden: set[int] = set()
    shown = []
    for line in lines:
        if not line.is_hidden or line.call.pk not in hidden:
            shown.append(line)
        if line.is_hidden:
            hidden.add(line.call.pk)
    return shown


@signed_in_page
@require_POST
def file_appeal(request: HttpRequest, call_id: int) -> HttpResponse:
    """Appeal a criterion of an own call."""
    call = _get_agents_call(request, call_id)
    try:
        appeal_edits.file_appeal(
            call.pk,
            request.POST.get("criterion_id", ""),
            request.POST.get("reason", ""),
            current_user(request),
        )
    except (InvalidReview, ReviewConflict) as error:
        messages.error(request, translate(error.message))
    except Call.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    else:
        messages.success(request, _("Your appeal was sent. Someone other than the reviewer will decide it."))
    return redirect(reverse("web:call", args=[call_id]) + "#appeals-title")


@signed_in_page
@require_POST
def acknowledge(request: HttpRequest, call_id: int) -> HttpResponse:
    """Say that the review of an own call was read."""
    call = _get_agents_call(request, call_id)
    try:
        appeal_edits.acknowledge_review(call.pk, current_user(request))
    except ReviewConflict as error:
        messages.error(request, translate(error.message))
    except Call.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    else:
        messages.success(request, _("You confirmed that you read this review."))
    return redirect(reverse("web:call", args=[call_id]) + "#appeals-title")


@signed_in_page
@require_POST
def decide(request: HttpRequest, appeal_id: int) -> HttpResponse:
    """Accept or refuse an appeal, as the pressed button says."""
    user = current_user(request)
    visible = Appeal.objects.filter(project__in=permissions.visible_to(user)).select_related("project__owner")
    appeal = visible.filter(pk=min(appeal_id, MAX_ID)).first()
    if appeal is None:
        raise Http404
    project_access.require_writer(request, appeal.project)
    decision = next((each for each in DECISIONS if each == request.POST.get("decision")), None)
    answer = request.POST.get("answer") if decision == "accepted" else None
    if decision is None or (answer and answer not in ANSWER_NAMES):
        raise Http404
    try:
        appeal_edits.decide_appeal(appeal.pk, decision, request.POST.get("reason", ""), answer, user)
    except OwnJudgement as error:
        raise PermissionDenied(translate(error.message)) from None
    except (InvalidReview, ReviewConflict) as error:
        messages.error(request, translate(error.message))
    except (Appeal.DoesNotExist, Call.DoesNotExist):  # gone since it was looked up
        raise Http404 from None
    else:
        words = (
            _("The appeal about %(call)s was accepted. The report is updated.")
            if decision == "accepted"
            else _("The appeal about %(call)s was refused.")
        )
        messages.success(request, words % {"call": appeal.call.file_name})
    if request.POST.get("back") == "call":
        return redirect(reverse("web:call", args=[appeal.call_id]) + "#appeals-title")
    return redirect(_find_place(user, appeal.pk))


def _find_place(user: User, appeal_id: int) -> str:
    """Return where the list goes on after a decision.

    That is the appeal itself while it waits, else the next one that does, else the one before.
    """
    hidden = list_hidden(user)
    readable = list_readable(user, find_own_calls(user), hidden).exclude(call__in=hidden.to_review)
    waiting = readable.filter(state=Appeal.State.OPEN)
    near = waiting.filter(pk__lte=appeal_id).first() or waiting.filter(pk__gt=appeal_id).last()
    return link_to_appeal(near.pk) if near else reverse("web:appeals")


def link_to_appeal(appeal_id: int) -> str:
    """Return the address of an appeal, on whichever page of the list it is."""
    return with_query(reverse("web:appeals"), {"appeal": appeal_id}) + f"#appeal-{appeal_id}"


def _get_agents_call(request: HttpRequest, call_id: int) -> Call:
    """Return the call; Http404 where it is not visible, PermissionDenied for who is not its agent."""
    user = current_user(request)
    calls = Call.objects.select_related("project").filter(pk=min(call_id, MAX_ID))
    if find_own_call(user, call_id) is None:
        calls = calls.filter(project__in=permissions.visible_to(user))
    call = calls.first()
    if call is None:
        raise Http404
    if not is_own_call(user, call):
        raise PermissionDenied(translate(Message("not_your_call")))
    return call
