"""Notes on the page of a call, and the page of one agent."""

import re

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.calls.models import Agent, Call
from callscope.calls.namesakes import find_namesakes
from callscope.calls.own_calls import find_own_calls
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.agent import (
    build_figures,
    build_lines,
    describe_moments,
    describe_namesakes,
    explain_weeks,
    list_latest_appeals,
    list_orders,
)
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.presenters.kept_back import describe_kept
from callscope.interfaces.web.query_string import WINDOW_PARAMETERS, pick_params, with_query
from callscope.interfaces.web.report_request import ReportRequest, parse_days
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.interfaces.web.templatetags.formatting import WAITS, number
from callscope.interfaces.web.views.call import show_call
from callscope.messages.translation import translate
from callscope.projects import permissions
from callscope.projects.scope import Scope, resolve_scope
from callscope.reports.details.agent_moments import AgentMoment
from callscope.reports.details.agent_page import AgentPage, build_agent_page, find_agents_project
from callscope.reports.models import CallFact
from callscope.reports.overview.coverage import describe_half_heard, describe_removed_results, describe_zeroed
from callscope.reports.overview.missing_calls import count_removed_of_both, count_removed_results
from callscope.reports.overview.targets import describe_target, read_targets
from callscope.reviews import notes
from callscope.reviews.answers import InvalidReview
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.reading import list_hidden

MANY_WEEKS = 24  # of a criterion, from which on their list scrolls
TYPED_TIME = re.compile(r"(?:(\d{1,2}):)?(\d{1,6}):(\d{1,2})|(\d{1,7})", re.ASCII)


@signed_in_page
@require_POST
def create_note(request: HttpRequest, call_id: int) -> HttpResponse:
    """Note something at a second of a call."""
    user = current_user(request)
    visible = Call.objects.select_related("project__owner").filter(project__in=permissions.visible_to(user))
    call = visible.filter(pk=min(call_id, MAX_ID)).first()
    if call is None:
        raise Http404
    project_access.require_writer(request, call.project)
    try:
        at_s = read_time(request.POST.get("at", ""))
        shares = "is_shared" in request.POST
        notes.create_note(call, request.POST.get("text", ""), at_s, user, is_shared=shares)
    except InvalidReview as error:
        typed = {name: request.POST.get(name, "") for name in ("at", "text", "is_shared")}
        refused = {**typed, "field": error.field, "problem": translate(error.message)}
        return show_call(request, call_id, refused)
    except Call.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    else:
        messages.success(request, _("The note was saved."))
    return redirect(reverse("web:call", args=[call_id]) + "#notes-title")


@signed_in_page
@require_POST
def change_note(request: HttpRequest, note_id: int) -> HttpResponse:
    """Share, close or remove a note, as the pressed button says."""
    user = current_user(request)
    visible = CoachingNote.objects.filter(project__in=permissions.visible_to(user))
    note = visible.select_related("project__owner", "call").filter(pk=min(note_id, MAX_ID)).first()
    if note is None:
        raise Http404
    project_access.require_writer(request, note.project)
    do = request.POST.get("do", "")
    try:
        if do == "remove":
            notes.remove_note(note, user)
        elif do in ("share", "unshare"):
            notes.change_note(note, user, is_shared=do == "share")
        elif do in ("close", "reopen"):
            notes.change_note(note, user, is_closed=do == "close")
        else:
            raise BadRequest
    except CoachingNote.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    return redirect(reverse("web:call", args=[note.call_id]) + "#notes-title")


@signed_in_page
@require_safe
def show_agent(request: HttpRequest, agent_id: int) -> HttpResponse:
    """Show one agent in one project; agents see themselves."""
    user = current_user(request)
    project_id = parse_id(asked) if (asked := request.GET.get("project_id")) else None
    if project_id == NO_ID:
        raise Http404
    own = find_own_calls(user, project_id=project_id)
    if own is not None:
        project = own.project if own.agent_id == agent_id else None
    else:
        projects = resolve_scope(user, project_id=project_id).projects if agent_id <= MAX_ID else []
        project = find_agents_project(projects, agent_id)
    if project is None:
        raise Http404
    window, problem = parse_days(request)
    days = {} if problem else pick_params(request, WINDOW_PARAMETERS)
    query = {"project_id": str(project.pk), **days}
    report_request = ReportRequest(Scope.of([project]), window, query, problem=problem)
    here = reverse("web:agent", args=[agent_id])
    page = build_agent_page(
        project,
        Agent.objects.get(pk=agent_id),
        shows_notes=own is not None or permissions.can_write(user, project),
        is_own=own is not None,
        window=window,
        blinded=list_hidden(user).all,
    )
    calls_url, of_agent = reverse("web:calls"), {**query, "agent": page.agent.pk}
    by_gap = page.everyone is not None and request.GET.get("order") == "gap"
    context = {
        "page": page,
        "report_request": report_request,
        "presets": report_request.presets(here, {"order": "gap"} if by_gap else None),
        "by_gap": by_gap,
        "orders": list_orders(here, query, by_gap=by_gap) if page.everyone else [],
        "here": here,
        "is_own": own is not None,
        "typed_days": pick_params(request, ("start_date", "end_date")) if problem else {},
        **_find_other_calls(page, here),
        **_describe_target(page),
        "agents_url": "" if own is not None else with_query(reverse("web:report-agents"), query),
        "figures": build_figures(page, query),
        **describe_kept(page.kept, page.window, hides=page.is_kept_back),
        "namesakes": []
        if own
        else describe_namesakes(find_namesakes(project, page.agent), page.agent, query),
        "half_heard": describe_half_heard(page.half_heard_calls, page.half_heard_by_people, number),
        "half_heard_url": with_query(calls_url, {**of_agent, "half_heard": "true"}),
        "zeroed": describe_zeroed(page.zeroed_calls, page.headline.scored_calls, number),
        "zeroed_url": with_query(calls_url, {**of_agent, "critical": "true", "max_score": 0}),
        "lines": (lines := build_lines(page, query, by_gap=by_gap)),
        "week_notes": explain_weeks(lines),
        "waits": WAITS,
        "many_weeks": any(sum(week.calls > 0 for week in each.weeks) > MANY_WEEKS for each in page.criteria),
        "of_moments": describe_moments(page),
        "appeals": list_latest_appeals(page),
        "best": [_as_shown(each) for each in page.best],
        "worst": [_as_shown(each) for each in page.worst],
    }
    return render(request, "web/agents/agent.html", context, status=400 if problem else 200)


def _find_other_calls(page: AgentPage, here: str) -> TemplateContext:
    """Return how many calls of the period lost their results.

    Where it has no others, also how many the agent has in all, where, and how many had results once.
    """
    projects, agent_id = [page.project.pk], page.agent.pk
    found = count_removed_of_both(projects, page.window, agent_id)
    said = describe_removed_results(found, page.headline.total_calls, number)
    removed: TemplateContext = {"removed_results": said}
    if page.headline.total_calls:
        return removed
    return {
        **removed,
        "calls_all_time": CallFact.objects.filter(project=page.project, agent_id=agent_id).count(),
        "all_time_url": with_query(here, {"project_id": page.project.pk}),
        "without_results": count_removed_results(projects, agent_id=agent_id),
    }


def _describe_target(page: AgentPage) -> TemplateContext:
    targets, headline = read_targets(page.project.config), page.headline
    target, score = targets.get("average_score"), headline.average_score
    # It may be met for unreliable transcripts alone, which the notice above says of all figures.
    is_raised = (
        target is not None
        and score is not None
        and page.find_least(score, headline.scored_calls) < target <= score
    )
    return {
        "score_target": target,
        "is_score_raised": is_raised,
        "has_raised": page.half_heard_calls > page.half_heard_by_people,
        "target": describe_target(
            "average_score", score, headline.average_score_interval, targets, number, is_disputed=is_raised
        ),
    }


def read_time(typed: str) -> float:
    """Return the second of "83", "1:23" or "0:01:23". Raises InvalidReview."""
    typed = typed.strip() or "0"
    match = TYPED_TIME.fullmatch(typed)
    if match is None:
        raise InvalidReview("at", "note_time", value=typed[:40])
    hours, minutes, seconds, alone = (int(part or 0) for part in match.groups())
    return float(hours * 3600 + minutes * 60 + seconds + alone)


def _as_shown(moment: AgentMoment) -> tuple[AgentMoment, Quote | None]:
    return moment, Quote.of(moment.quote["quote"], moment.quote["quote_start"])
