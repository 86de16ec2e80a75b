"""The questions page: what every call answers to the questions of its project."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from callscope.interfaces.web import spreadsheet
from callscope.interfaces.web.page import page, show, wants_fragment, with_query
from callscope.interfaces.web.question import Question, ask
from callscope.reports.call_table import PAGE_SIZE, NoSuchPage
from callscope.reports.question_table import AnswerPage, Tally, Wanted, every_answer, find_answers

FILTERS = ("question", "answer", "search", "quoted")


@page
def questions(request: HttpRequest) -> HttpResponse:
    question = ask(request)
    here = reverse("web:questions")
    query = _query(request)
    context: dict[str, Any] = {
        "question": question,
        "presets": question.presets(here, query),
        "here": here,
        "wanted": query,
    }
    if not question.problem:
        try:
            number = _page_number(request)
            found = find_answers(question.projects, question.window, _wanted(query), number)
        except NoSuchPage:
            raise Http404 from None
        context |= _results(found, question, query)
    is_wrong = question.problem and not wants_fragment(request)
    status = 400 if is_wrong else 200
    return show(request, "web/questions.html", "web/questions/body.html", context, status=status)


@page
def questions_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer every call that fits as CSV, a column a question."""
    question = ask(request)
    if question.problem:
        raise Http404
    rows = every_answer(question.projects, question.window, _wanted(_query(request)))
    head = next(rows)
    return spreadsheet.download("callscope-questions.csv", [spreadsheet.defused(name) for name in head], rows)


def _query(request: HttpRequest) -> dict[str, str]:
    return {name: text for name in FILTERS if (text := request.GET.get(name, "").strip())}


def _wanted(query: dict[str, str]) -> Wanted:
    texts = {name: query.get(name, "") for name in ("question", "answer", "search")}
    return Wanted(**texts, quoted=query.get("quoted") == "true")


def _page_number(request: HttpRequest) -> int:
    text = request.GET.get("page") or "1"
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NoSuchPage
    return int(text)


def _results(found: AnswerPage, question: Question, query: dict[str, str]) -> dict[str, Any]:
    here, keep = reverse("web:questions"), question.query
    names = [tally.question for tally in found.tallies]
    columns = [name for name in names if name == query.get("question")] or names

    def to(number: int) -> str:
        return with_query(here, {**keep, **query, "page": number if number > 1 else None})

    first = (found.number - 1) * PAGE_SIZE + 1
    return {
        "found": found,
        "names": names,
        "columns": columns,
        "tallies": [_tally(tally, here, keep, query) for tally in found.tallies],
        "rows": [
            {
                "call": call,
                "url": with_query(reverse("web:call", args=[call.call_id]), question.query)
                + "#answers-title",
                "answers": [(name, *call.answers.get(name, (None, 0))) for name in columns],
            }
            for call in found.items
        ],
        "csv_url": with_query(reverse("web:questions-csv"), {**keep, **query}),
        "clear_url": with_query(here, keep),
        "without_answer_url": with_query(here, {**keep, **query, "answer": None}),
        "all_time_url": with_query(here, question.scope_query),
        "pager": {
            "first": first if found.count else 0,
            "last": first + len(found.items) - 1 if found.count else 0,
            "previous_url": to(found.number - 1) if found.number > 1 else "",
            "next_url": to(found.number + 1) if found.number < found.pages else "",
            "first_url": to(1) if found.number > 2 else "",
            "last_url": to(found.pages) if found.pages - found.number > 1 else "",
        },
    }


def _tally(tally: Tally, here: str, keep: dict[str, str], query: dict[str, str]) -> dict[str, Any]:
    """Return one question with its most frequent answers, each a link to its calls."""
    asked = {**keep, "question": tally.question}
    return {
        "question": tally.question,
        "calls": tally.calls,
        "url": with_query(here, asked),
        "quoted": tally.quoted,
        "quoted_url": with_query(here, {**asked, "quoted": "true"}),
        "answers": [
            {
                "text": text,
                "calls": calls,
                "pct": 100 * calls / tally.calls,
                "url": with_query(here, {**asked, "answer": text}),
                "is_current": query == {"question": tally.question, "answer": text},
            }
            for text, calls in tally.answers
        ],
        "other_calls": tally.other_calls,
    }
