"""One call: its recording, transcript, findings and where they come from."""

import re
from collections.abc import Collection
from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from callscope.accounts.trail.notes import note
from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis, is_unfinished
from callscope.calls.models import UploadedFile
from callscope.calls.namesakes import label_alone
from callscope.calls.own_calls import find_own_call
from callscope.calls.share_links import may_share
from callscope.db import raw_sql
from callscope.engines.asr.protocol import DEMO_RECOGNIZER
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.engine_notices import describe_wait
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters import call_list
from callscope.interfaces.web.presenters.appeals import describe_call_appeals, list_notes
from callscope.interfaces.web.presenters.call_page import answers, player
from callscope.interfaces.web.presenters.call_page import call as presenter
from callscope.interfaces.web.presenters.call_page.appeal_form import TypedAppeal
from callscope.interfaces.web.presenters.call_page.decided import (
    MarkedSegment,
    group_pins,
    list_decisions,
    mark_segments,
    mark_spoken,
)
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.presenters.reviewing.summary import summarize_reviews
from callscope.interfaces.web.presenters.talk import list_talk_measures
from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import ReportRequest, parse_report_request
from callscope.interfaces.web.views.call_details import UNDO_FORM
from callscope.pipeline.queue.breakers.waits import find_waits
from callscope.projects import permissions, scope
from callscope.projects.configuration import Configuration
from callscope.reports.call_list.call_detail import CallDetail, find_call
from callscope.reports.call_list.listing import NoSuchPage, find_page
from callscope.reports.details.absences import judged_by_rules, load_judging_configuration
from callscope.reports.details.answered import JudgedCriteria
from callscope.reports.overview.targets import read_targets
from callscope.reviews import reading
from callscope.transcription.gates import mean_confidence

MICROSECONDS = 1_000_000
REASON_OF_CALL = "SELECT reason_id FROM contact_reasons_callreason WHERE call_id = %s"
FILES_OF_CALL = "SELECT COUNT(*) FROM calls_uploadedfile WHERE call_id = %s"
#: A list that leads here and back, in `?from=`; nothing else is taken, so that no link leads elsewhere.
REPLAY_CALLS = re.compile(r"/projects/[0-9]+/replays/[0-9]+/calls/(\?[\w=&%.+-]*)?", re.ASCII)
NO_NOTE = {"field": "", "at": "0:00", "text": "", "is_shared": "", "problem": ""}  # of the form
Refused = dict[str, str] | TypedAppeal  # a note or an appeal, as it was typed


@signed_in_page
def call(request: HttpRequest, call_id: int) -> HttpResponse:
    """Show the call; the address also holds the list that it was opened from."""
    return show_call(request, call_id)


def show_call(request: HttpRequest, call_id: int, refused: Refused | None = None) -> HttpResponse:
    """Return the page of a call; with what was refused, as it was typed, and what is wrong with it."""
    report_request = parse_report_request(request, narrows=True)
    list_query = call_list.parse_query(request)
    user = current_user(request)
    own = find_own_call(user, call_id)
    if own is not None:
        detail = find_call([own.project], call_id, own.agent_id)
    else:
        detail = find_call(scope.resolve_scope(user).project_refs, call_id)
    if detail is None:
        raise Http404
    config = load_judging_configuration(detail.call.project, detail.analysis)
    hidden = reading.list_hidden(user)
    role = permissions.get_role(user, detail.call.project)
    may_write = role in permissions.WRITERS
    waits_blind, is_hidden = call_id in hidden.to_review, call_id in hidden.all
    if may_write and not is_hidden:
        reading.note_reading(call_id, user)
    query = {**report_request.query, **list_query.query}
    findings = build_findings(detail, config, shows_phrases=own is None, shows_places=not is_hidden)
    looked_for = list_query.filters.transcript
    if looked_for and detail.transcript:
        marked = cast(list[MarkedSegment], findings["marked"])
        mark_spoken(marked, detail.transcript.language, looked_for)
    reviewed = summarize_reviews(
        detail, user, may_write=may_write, is_hidden=is_hidden, shows_agents=own is None
    )
    typed = refused if isinstance(refused, TypedAppeal) else TypedAppeal(request.GET.get("appeal", ""))
    context: TemplateContext = {
        "detail": detail,
        "call": detail.call,
        "item": detail.item,
        "looked_for": looked_for,
        **findings,
        "list_url": with_query(
            reverse("web:calls"),
            query | ({"page": list_query.page} if list_query.page != "1" else {}),
            blank=EVERYTHING,
        ),
        "reviewed": reviewed,
        "waits_blind": waits_blind,
        "is_rated": call_id in hidden.rated,
        **build_recording(detail),
        **({} if own is not None else link_places(detail)),
        "trail_url": link_trail(call_id)
        if role in permissions.MANAGERS or (role and user.is_superuser)
        else "",
        "is_own": own is not None,
        **(_link_details(request, call_id) if may_write and own is None else {}),
        "may_share": own is None and not is_hidden and may_share(user, detail.call.project, detail.call),
        "appealed": describe_call_appeals(detail, user, typed, blinded=hidden.all, is_own=own is not None),
        "notes": list_notes(detail, may_write=may_write, is_own=own is not None),
        "note": refused if isinstance(refused, dict) else NO_NOTE,
        "correct_url": reverse("web:review", args=[call_id]) if reviewed.may_review else "",
        "is_shared": False,
        **(_build_neighbors(report_request, list_query, call_id, hidden.all) | _lead_back(request)),
    }
    note(user, "call.read", f"call {call_id}", project=detail.call.project_id)
    return render(request, "web/call.html", context, status=400 if refused else 200)


def _link_details(request: HttpRequest, call_id: int) -> TemplateContext:
    """Return where the details are corrected, also back; the list that the call is from goes along."""
    url = with_query(reverse("web:call-details", args=[call_id]), request.GET.dict())
    return {"details_url": url, "undo_form": f"{UNDO_FORM}-{call_id}"}


def _lead_back(request: HttpRequest) -> TemplateContext:
    """Return the way back to the calls of a replay, if that is where the visitor is from: another list."""
    came_from = request.GET.get("from", "")
    if not REPLAY_CALLS.fullmatch(came_from):
        return {}
    return {"list_url": came_from, "is_from_replay": True, "place": None, "previous_url": "", "next_url": ""}


def link_places(detail: CallDetail) -> TemplateContext:
    """Return the pages of the agent, contact reason and project of a call, and what tells the agent apart."""
    call = detail.call
    scope_of_call = {"project_id": call.project_id}
    placed = raw_sql.fetch_prepared(REASON_OF_CALL, [call.pk])
    reason_id: int | None = placed[0][0] if placed else None
    return {
        "agent_label": call.agent_id and label_alone(call.project_id, call.agent_id),
        "agent_url": call.agent_id and with_query(reverse("web:agent", args=[call.agent_id]), scope_of_call),
        "reason_url": reason_id and reverse("web:project-reason", args=[call.project_id, reason_id]),
        "project_url": with_query(reverse("web:report"), scope_of_call),
    }


def link_trail(call_id: int) -> str:
    """Return the address of the audit trail of a call."""
    return with_query(reverse("web:audit"), {"call": call_id})


def build_findings(
    detail: CallDetail, config: Configuration | None, *, shows_phrases: bool, shows_places: bool = False
) -> TemplateContext:
    """Return what the analyses found, for the page of the call and for its share link.

    With `shows_places` also where it was decided, in the recording and in the transcript.
    """
    insights = detail.completed("insights") or {}
    sure = insights.get("contact_reason_confidence")
    sections = presenter.build_scorecard(detail, config, shows_phrases=shows_phrases)
    protocol = presenter.build_protocol(detail, config, shows_phrases=shows_phrases)
    judged = detail.analysis.file if detail.analysis else detail.call.newest_file
    duration_s = (judged.duration_us or 0) / MICROSECONDS if judged else 0.0
    decisions = list_decisions(sections, protocol) if shows_places else []
    return {
        "insights": insights,
        "goal_quote": Quote.of(insights.get("goal_quote"), insights.get("goal_quote_start")),
        "reason_quote": Quote.of(insights.get("contact_reason_quote")),
        "reason_sure_pct": 100 * sure if isinstance(sure, int | float) else None,
        "sections": sections,
        "of_criteria": JudgedCriteria.of(detail.completed("copc"), is_unreliable=detail.item.is_half_heard),
        "persons_part": presenter.describe_persons_part(detail),
        "failed_criteria": sum(section.failed for section in sections),
        "score_target": read_targets(detail.call.project.config).get("average_score"),
        "zeroes": bool(config and config.rubric.on_critical_error == "zero_score"),
        "protocol": protocol,
        "pins": group_pins(decisions, duration_s),
        "marked": mark_segments(detail.transcript.segments if detail.transcript else [], decisions),
        "trackers": presenter.build_trackers(detail, config),
        **answers.present_answers(detail, is_by_rules=judged_by_rules(detail)),
        "talk": presenter.build_talk_measures(detail),
        "measures": list_talk_measures(detail),
    }


def build_recording(detail: CallDetail) -> TemplateContext:
    """Return the file that the results are of, its recording, and a newer file on its way."""
    analysis, newest = detail.analysis, detail.call.newest_file
    judged = analysis.file if analysis else newest
    is_audio = bool(
        judged
        and judged.file_type == UploadedFile.Type.AUDIO
        and judged.storage_key
        and (judged.status == UploadedFile.Status.TRANSCRIBED or not detail.call.project.configuration.redact)
    )
    duration_s = (judged.duration_us or 0) / MICROSECONDS if judged else 0.0
    if newest and analysis and newest.pk == analysis.file_id:
        pending: CallAnalysis | None = analysis
    else:
        pending = newest.analysis if newest and hasattr(newest, "analysis") else None
    return {
        "demo_heard_it": bool(detail.transcript and detail.transcript.engine == DEMO_RECOGNIZER),
        "confidence": mean_confidence(detail.transcript.segments) if detail.transcript else None,
        "file": judged,
        "audio_url": f"{reverse('web:home')}api/files/{judged.pk}/content/" if judged and is_audio else "",
        "duration_s": duration_s,
        "lanes": player.build_lanes(detail.transcript, duration_s) if is_audio else [],
        "newer_file": newest if judged and newest and newest.pk != judged.pk else None,
        "unfinished": presenter.list_unfinished(pending),
        "wait": _describe_wait_of(newest, pending),
        "has_failed": bool(newest and newest.status == UploadedFile.Status.FAILED) or has_failed(pending),
        "uploads": raw_sql.fetch_prepared(FILES_OF_CALL, [detail.call.pk])[0][0],
    }


def _describe_wait_of(newest: UploadedFile | None, pending: CallAnalysis | None) -> str:
    """Return for which engine in trouble the newest file waits, as a sentence; "" where it does not."""
    if newest is None or not is_unfinished(newest, pending):
        return ""
    wait = find_waits([newest.pk]).get(newest.pk)
    return describe_wait(wait) if wait else ""


def has_failed(analysis: CallAnalysis | None) -> bool:
    """True if a part of the analysis failed and the scorecard, if there is one, is not on its way."""
    if analysis is None or analysis.copc_state in (AnalysisState.QUEUED, AnalysisState.PROCESSING):
        return False
    return any(getattr(analysis, name) == AnalysisState.FAILED for name in STATE_FIELDS.values())


def _build_neighbors(
    report_request: ReportRequest,
    list_query: call_list.CallListQuery,
    call_id: int,
    blinded: Collection[int],
) -> TemplateContext:
    """Return the calls before and after this one in the list, across the ends of its pages."""
    if report_request.problem or list_query.problem:
        return {}
    filters = report_request.narrow(list_query.filters).blinded_to(blinded)
    try:
        found = find_page(
            report_request.counted_ids,
            report_request.window,
            filters,
            list_query.page,
            list_query.page_size,
        )
    except NoSuchPage:
        return {}
    ids = [item.id for item in found.items]
    if call_id not in ids:
        return {}
    here = ids.index(call_id)

    def address(number: int, item_id: int) -> str:
        query = {**report_request.query, **list_query.query, "page": number if number > 1 else None}
        return with_query(reverse("web:call", args=[item_id]), query)

    def beyond(number: int | None, at: int) -> str:
        if number is None:
            return ""
        try:
            other = find_page(
                report_request.counted_ids,
                report_request.window,
                filters,
                str(number),
                list_query.page_size,
            )
        except NoSuchPage:
            return ""
        return address(number, other.items[at].id) if other.items else ""

    before = address(found.number, ids[here - 1]) if here else beyond(found.previous_number, -1)
    after = address(found.number, ids[here + 1]) if here + 1 < len(ids) else beyond(found.next_number, 0)
    return {
        "previous_url": before,
        "next_url": after,
        "place": (found.number - 1) * list_query.page_size + here + 1,
        "count": found.count,
    }
