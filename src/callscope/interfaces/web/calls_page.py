"""The calls page: every analysed call in a table, filtered, searched, sorted and paged by its address."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from callscope.interfaces.web import call_list, spreadsheet
from callscope.interfaces.web.page import page, show, wants_fragment, with_query
from callscope.interfaces.web.question import Question, ask
from callscope.reports.agent_choice import agents_of
from callscope.reports.call_table import CallItem, NoSuchPage, every_call, find_calls

MAX_AGENTS = 2000  # in the list to choose from
CSV_HEAD = (
    "id",
    "file_name",
    "call_datetime",
    "agent",
    "direction",
    "campaign",
    "topic",
    "sentiment",
    "score_percentage",
    "has_critical_error",
    "mistake_count",
    "missing_prompt_count",
    "goal_reached",
)


@page
def calls(request: HttpRequest) -> HttpResponse:
    question = ask(request)
    asked = call_list.read(request)
    here = reverse("web:calls")
    context: dict[str, Any] = {
        "question": question,
        "asked": asked,
        "here": here,
        "presets": question.presets(here, asked.query),
        "agents": agents_of(question.projects, most=MAX_AGENTS),
        "problem": question.problem or asked.problem,
    }
    if not context["problem"]:
        try:
            found = find_calls(question.projects, question.window, asked.filters, asked.page)
        except NoSuchPage:
            raise Http404 from None
        context |= _results(found.items, question, asked, found.number)
        context |= {"found": found, "pager": call_list.pager(found, question, asked)}
        if not found.count:
            context["total"] = _total(question)
            context["all_url"] = with_query(here, question.scope_query)
    is_wrong = context["problem"] and not wants_fragment(request)
    return show(request, "web/calls.html", "web/calls/body.html", context, status=400 if is_wrong else 200)


@page
def calls_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer every call of the filtered list as CSV, in its order."""
    question = ask(request)
    asked = call_list.read(request)
    if question.problem or asked.problem:
        raise Http404
    found = every_call(question.projects, question.window, asked.filters)
    rows = ([getattr(item, name) for name in CSV_HEAD] for item in found)
    return spreadsheet.download("callscope-calls.csv", CSV_HEAD, rows)


def _results(
    items: list[CallItem], question: Question, asked: call_list.Asked, number: int
) -> dict[str, Any]:
    query = {**question.query, **asked.query, "page": number if number > 1 else None}
    return {
        "rows": [{"item": i, "url": with_query(reverse("web:call", args=[i.id]), query)} for i in items],
        "heads": call_list.heads(question, asked),
        "orders": call_list.orders(asked),
        "chips": call_list.chips(question, asked),
        "csv_url": with_query(reverse("web:calls-csv"), {**question.query, **asked.query}),
        "clear_url": with_query(reverse("web:calls"), question.query),
    }


def _total(question: Question) -> int:
    """Return how many calls the scope holds at all: an empty list then says what hides them."""
    from callscope.reports.call_filters import CallFilters
    from callscope.reports.window import ALL_TIME

    return find_calls(question.projects, ALL_TIME, CallFilters()).count
