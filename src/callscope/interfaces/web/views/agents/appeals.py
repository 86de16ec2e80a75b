"""Appeals: the list of a manager, and the forms on the page of a call."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Case, Count, F, Q, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_POST, require_safe

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis, results_removed
from callscope.calls.models import Call
from callscope.calls.namesakes import label_agents, label_alone
from callscope.calls.own_calls import OwnCalls, find_own_call, find_own_calls, is_own_call
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.presenters.appeals import AppealLine, describe_appeals
from callscope.interfaces.web.presenters.call_page.appeal_form import TypedAppeal
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.views.call import show_call
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.decisions import appeal_edits
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reviews.answers import InvalidReview
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import DECISIONS, OwnJudgement
from callscope.reviews.appeals.listing import list_appeals
from callscope.reviews.appeals.standing import read_standing
from callscope.reviews.appeals.withdrawing import OthersAppeal
from callscope.reviews.reading import HiddenCalls, list_hidden
from callscope.reviews.revisions import ReviewConflict
from callscope.reviews.waiting import find_undecided

PAGE_SIZE = 25
# Who decides: the visitor, the visitor after a review, somebody else, nobody any more.
MINE, LATER, OTHERS, NOBODY = range(4)
GROUPS: dict[int, tuple[str | Promise, str | Promise]] = {
    MINE: (gettext_lazy("You decide"), ""),
    LATER: (
        gettext_lazy("You decide after your review"),
        gettext_lazy("They say how a call was judged that you have yet to review."),
    ),
    OTHERS: (
        gettext_lazy("Someone else decides"),
        gettext_lazy("Appeals that you filed, and those about answers that you gave."),
    ),
    NOBODY: (
        gettext_lazy("No one can decide any more"),
        gettext_lazy("The results of these calls were removed, as set in the retention of the project."),
    ),
}
STATE_TABS = {  # each names a list of appeals
    Appeal.State.OPEN.value: pgettext_lazy("appeals", "waiting"),
    Appeal.State.ACCEPTED.value: pgettext_lazy("appeals", "accepted"),
    Appeal.State.REFUSED.value: pgettext_lazy("appeals", "refused"),
    Appeal.State.WITHDRAWN.value: pgettext_lazy("appeals", "withdrawn"),
}


class Group(NamedTuple):
    """Appeals that the same people decide; without title where the list is not divided."""

    title: str | Promise
    explanation: str | Promise
    total: int  # appeals on all pages
    lines: list[AppealLine]


@signed_in_page
@require_safe
def appeals(request: HttpRequest) -> HttpResponse:
    """Show the appeals of the projects that the visitor may write, or of the visitor's own calls.

    Of those that wait the visitor's come first. An address that names an `appeal` opens its page; one that
    names an `agent` shows those about the calls of this agent alone.
    """
    user = current_user(request)
    own = find_own_calls(user)
    hidden = list_hidden(user)
    found = list_readable(user, own, hidden).select_related(
        "call__project", "call__agent", "review", "appellant", "decided_by"
    )
    agent_id = parse_id(asked_agent) if (asked_agent := request.GET.get("agent")) and own is None else None
    if agent_id is not None:
        found = found.filter(call__agent=agent_id)
    first = found.first()
    found = place_decidable_first(found, user, hidden)
    asked = found.filter(pk=parse_id(request.GET.get("appeal", ""))).first()
    state = asked.state if asked else request.GET.get("state") or Appeal.State.OPEN.value
    if state in Appeal.State.values:
        found = found.filter(state=state)
    number = request.GET.get("page")
    if asked:
        place = vars(asked)["place"]
        before = Q(place__lt=place) | Q(place=place, pk__gt=asked.pk)
        number = str(found.filter(before).count() // PAGE_SIZE + 1)
    page = Paginator(found, PAGE_SIZE).get_page(number)
    shown = list(page.object_list)
    lines = describe_appeals(shown, user, is_own=own is not None, hidden=hidden.to_review)
    labels = label_agents(line.call.agent for line in lines)
    lines = [replace(line, agent=labels.get(line.call.agent_id or 0, "")) for line in lines]
    waits = state == Appeal.State.OPEN and own is None
    counts = count_groups(found) if waits else {}
    of_calls = count_hidden(found, hidden) if any(line.is_hidden for line in lines) else {}
    lines = leave_out_repeated(lines, of_calls)
    context = {
        "page": page,
        "groups": group_lines(lines, {each.pk: vars(each)["place"] for each in shown}, counts),
        "states": [(value, label, value == state) for value, label in STATE_TABS.items()],
        "state": state,
        "agent": label_alone(first.call.project_id, agent_id) if first and agent_id is not None else "",
        "of_agent": "" if agent_id is None else f"&agent={agent_id}",
        "is_divided": sum(counts.values()) > counts.get(MINE, 0),
        "decidable": counts.get(MINE, 0),
        "in_all": sum(counts.values()) - counts.get(NOBODY, 0),
    }
    return render(request, "web/agents/appeals.html", context)


def list_readable(user: User, own: OwnCalls | None, hidden: HiddenCalls) -> QuerySet[Appeal]:
    """Return the appeals that the page shows in one state or another, the newest first."""
    writable = permissions.writable(user, permissions.visible_to(user)) if own is None else []
    return list_appeals(writable, own, blinded=hidden.to_rate)


def place_decidable_first(found: QuerySet[Appeal], user: User, hidden: HiddenCalls) -> QuerySet[Appeal]:
    """Return the appeals by who decides them, as `place`, then the newest first."""
    decidable = find_undecided(user, permissions.writable_by(user, Project.Type.CALL))
    place = Case(
        When(results_removed(), then=NOBODY),
        When(pk__in=decidable.values("pk"), then=MINE),
        When(call__in=hidden.to_review, then=LATER),
        default=OTHERS,
    )
    return found.annotate(place=place).order_by("place", "-pk")


def count_groups(found: QuerySet[Appeal]) -> dict[int, int]:
    """Return how many open appeals there are by who decides them."""
    return dict(found.order_by().values_list(F("place")).annotate(Count("pk")))


def count_hidden(found: QuerySet[Appeal], hidden: HiddenCalls) -> dict[int, int]:
    """Return how many of these appeals each call has that waits for the visitor's blind review."""
    concealed = found.filter(call__in=hidden.to_review).order_by().values_list("call")
    return dict(concealed.annotate(Count("pk")))


def group_lines(lines: list[AppealLine], places: dict[int, int], counts: dict[int, int]) -> list[Group]:
    """Return the lines by who decides them, where not all are for the visitor; else in one group."""
    if sum(counts.values()) == counts.get(MINE, 0):
        return [Group("", "", len(lines), lines)] if lines else []
    groups = []
    for place, (title, explanation) in GROUPS.items():
        own = [line for line in lines if places[line.row["id"]] == place]
        if own:
            groups.append(Group(title, explanation, counts[place], own))
    return groups


def leave_out_repeated(lines: list[AppealLine], of_calls: Mapping[int, int]) -> list[AppealLine]:
    """Return the lines, of each hidden call one that counts its appeals: none says what it is about."""
    hidden: set[int] = set()
    shown = []
    for line in lines:
        if not line.is_hidden or line.call.pk not in hidden:
            shown.append(replace(line, appeals=of_calls.get(line.call.pk, 1)) if line.is_hidden else line)
        if line.is_hidden:
            hidden.add(line.call.pk)
    return shown


@signed_in_page
@require_POST
def file_appeal(request: HttpRequest, call_id: int) -> HttpResponse:
    """Appeal a criterion of an own call; one that has all its points only once this is confirmed."""
    call = _get_agents_call(request, call_id)
    criterion_id, reason = request.POST.get("criterion_id", ""), request.POST.get("reason", "")
    problems = {} if criterion_id else {"criterion_id": _("Choose a criterion.")}
    if not reason.strip():
        problems["reason"] = _("Give a reason.")
    standing = read_standing(CallAnalysis.objects.filter(call=call, is_live=True).first(), criterion_id)
    gains_nothing = standing is not None and standing.has_all_points
    if gains_nothing and request.POST.get("confirmed") != criterion_id:
        problems["criterion_id"] = _(
            "This criterion has all its points already, so an appeal cannot raise the score. "
            "Choose another one, or send the appeal all the same."
        )
    if problems:
        return show_call(request, call_id, TypedAppeal(criterion_id, reason, problems, gains_nothing))
    try:
        appeal_edits.file_appeal(call.pk, criterion_id, reason, current_user(request))
    except (InvalidReview, ReviewConflict) as error:
        field = error.field if isinstance(error, InvalidReview) else "criterion_id"
        problems = {field: translate(error.message)}
        return show_call(request, call_id, TypedAppeal(criterion_id, reason, problems))
    except Call.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    messages.success(request, _("Your appeal was sent. Someone other than the reviewer will decide it."))
    return redirect(reverse("web:call", args=[call_id]) + "#appeals-title")


@signed_in_page
@require_POST
def withdraw(request: HttpRequest, appeal_id: int) -> HttpResponse:
    """Take back an appeal of an own call that nobody has decided."""
    appeal = Appeal.objects.filter(pk=min(appeal_id, MAX_ID)).first()
    if appeal is None:
        raise Http404
    call = _get_agents_call(request, appeal.call_id)
    try:
        appeal_edits.withdraw_appeal(appeal.pk, current_user(request))
    except OthersAppeal as error:
        raise PermissionDenied(translate(error.message)) from None
    except ReviewConflict as error:
        messages.error(request, translate(error.message))
    except (Appeal.DoesNotExist, Call.DoesNotExist):  # gone since it was looked up
        raise Http404 from None
    else:
        messages.success(
            request,
            _("Your appeal about %(criterion)s was withdrawn.") % {"criterion": appeal.criterion_name},
        )
    if request.POST.get("back") == "call":
        return redirect(reverse("web:call", args=[call.pk]) + "#appeals-title")
    return redirect("web:appeals")


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

    That is the appeal itself while it waits, else the next one that the visitor can decide, else the one
    before.
    """
    readable = list_readable(user, find_own_calls(user), list_hidden(user))
    mine = readable.filter(pk__in=find_undecided(user, permissions.writable_by(user, Project.Type.CALL)))
    near = mine.filter(pk__lte=appeal_id).first() or mine.filter(pk__gt=appeal_id).last()
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
