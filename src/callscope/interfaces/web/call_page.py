"""One call: its recording, transcript, findings and where they come from."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from callscope.calls.models import UploadedFile
from callscope.interfaces.web import call_figures, call_list, player
from callscope.interfaces.web.page import page, visitor, with_query
from callscope.interfaces.web.question import Question, ask
from callscope.projects import scope
from callscope.reports.call_detail import CallDetail, find_call
from callscope.reports.call_table import PAGE_SIZE, NoSuchPage, find_calls

MICROSECONDS = 1_000_000


@page
def call(request: HttpRequest, call_id: int) -> HttpResponse:
    """Show the call; the address also holds the list that it was opened from."""
    question = ask(request)
    asked = call_list.read(request)
    detail = find_call(scope.resolve(visitor(request)).projects, call_id)
    if detail is None:
        raise Http404
    rubric = call_figures.rubric_of(detail.call.project, detail.analysis)
    context = {
        "detail": detail,
        "call": detail.call,
        "item": detail.item,
        "insights": detail.completed("insights") or {},
        "sections": call_figures.scorecard(detail, rubric),
        "zeroes": bool(rubric and rubric.rubric.on_critical_error == "zero_score"),
        "protocol": call_figures.protocol(detail),
        "answers": call_figures.answers(detail),
        "talk": call_figures.talk(detail),
        "list_url": _list_url(question, asked),
        **_files(detail),
        **_neighbours(question, asked, call_id),
    }
    context["goal_quote"] = call_figures.Quote.of(
        context["insights"].get("goal_quote"), context["insights"].get("goal_quote_start")
    )
    return render(request, "web/call.html", context)


def _files(detail: CallDetail) -> dict[str, Any]:
    """Return what is known of the file behind the results, and of a newer one on its way."""
    analysis, newest = detail.analysis, detail.call.newest_file
    judged = analysis.file if analysis else newest
    is_audio = bool(judged and judged.file_type == UploadedFile.Type.AUDIO and judged.storage_key)
    duration_s = (judged.duration_us or 0) / MICROSECONDS if judged else 0.0
    pending = newest.analysis if newest and hasattr(newest, "analysis") else None
    return {
        "file": judged,
        "audio_url": f"{reverse('web:home')}api/files/{judged.pk}/content/" if judged and is_audio else "",
        "duration_s": duration_s,
        "lanes": player.lanes(detail.transcript, duration_s) if is_audio else [],
        "newer_file": newest if judged and newest and newest.pk != judged.pk else None,
        "unfinished": call_figures.states(pending),
        "uploads": detail.call.files.count(),
    }


def _list_url(question: Question, asked: call_list.Asked, page_number: str | None = None) -> str:
    number = asked.page if page_number is None else page_number
    query = {**question.query, **asked.query, "page": number if number != "1" else None}
    return with_query(reverse("web:calls"), query)


def _neighbours(question: Question, asked: call_list.Asked, call_id: int) -> dict[str, Any]:
    """Return the calls before and after this one in the list, across the ends of its pages."""
    if question.problem or asked.problem:
        return {}
    try:
        found = find_calls(question.projects, question.window, asked.filters, asked.page)
    except NoSuchPage:
        return {}
    ids = [item.id for item in found.items]
    if call_id not in ids:
        return {}
    here = ids.index(call_id)

    def address(number: int, item_id: int) -> str:
        query = {**question.query, **asked.query, "page": number if number > 1 else None}
        return with_query(reverse("web:call", args=[item_id]), query)

    def beyond(number: int | None, at: int) -> str:
        if number is None:
            return ""
        try:
            other = find_calls(question.projects, question.window, asked.filters, str(number))
        except NoSuchPage:
            return ""
        return address(number, other.items[at].id) if other.items else ""

    before = address(found.number, ids[here - 1]) if here else beyond(found.previous_number, -1)
    after = address(found.number, ids[here + 1]) if here + 1 < len(ids) else beyond(found.next_number, 0)
    return {
        "previous_url": before,
        "next_url": after,
        "place": (found.number - 1) * PAGE_SIZE + here + 1,
        "count": found.count,
    }
