"""The questions page: what every call answers to the questions of its project."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from callscope.accounts.trail.notes import note
from callscope.calls.namesakes import label_known
from callscope.interfaces.guard.spreadsheet_cells import defused
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export, xlsx_export
from callscope.interfaces.web.downloads.headings import name_columns
from callscope.interfaces.web.downloads.xlsx_export import MOST_ROWS
from callscope.interfaces.web.page_context import TemplateContext, render_page_or_list, wants_fragment
from callscope.interfaces.web.pagination import build_pager
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.presenters.filter_chips import Chip
from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import (
    ReportRequest,
    choose_answers,
    is_bare,
    parse_report_request,
)
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reports.call_list.listing import PAGE_SIZE, NoSuchPage
from callscope.reports.file_names import build_file_name
from callscope.reports.questions.answers import AnsweredCall
from callscope.reports.questions.summary import (
    AnswerFilter,
    AnswerPage,
    QuestionSummary,
    find_answers,
    is_undetermined,
    iterate_answer_rows,
)

FILTERS = ("question", "answer", "search", "quoted")
QUOTED = {"quoted": "true"}
COLUMNS_OF_CALL = 4  # of the files, before those of the questions


@signed_in_page
def questions(request: HttpRequest) -> HttpResponse:
    """Show the answers; a bare address opens those of the last project and 30 days."""
    here = reverse("web:questions")
    if is_bare(request) and (chosen := choose_answers(request)):
        return HttpResponseRedirect(with_query(here, chosen))
    report_request = parse_report_request(request)
    query = _pick_filters(request)
    context: TemplateContext = {
        "report_request": report_request,
        "presets": report_request.presets(here, query, blank=EVERYTHING),
        "here": here,
        "everything": EVERYTHING,
        "asked": query,
        "wanted": query,
    }
    if not report_request.problem:
        page = request.GET.get("page") or "1"
        if not (page.isascii() and page.isdigit() and len(page) < 10):
            raise Http404
        try:
            found = find_answers(
                report_request.projects, report_request.window, _parse_filter(query), int(page)
            )
            if not query and "page" not in request.GET and has_quotes_alone(found.summaries):
                query = QUOTED
                found = find_answers(report_request.projects, report_request.window, _parse_filter(query))
        except NoSuchPage:
            raise Http404 from None
        context["wanted"] = query
        context |= _build_results(found, report_request, query)
    is_wrong = report_request.problem and not wants_fragment(request)
    status = 400 if is_wrong else 200
    return render_page_or_list(request, "questions", context, status=status)


@signed_in_page
def questions_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer every call that fits as CSV: of each question answer, quote and second."""
    name, head, rows = list_rows(request, "csv")
    return csv_export.download(name, [defused(each) for each in head], rows)


@signed_in_page
def questions_xlsx(request: HttpRequest) -> HttpResponseBase:
    """Answer every call that fits as an Excel file; lead back where they are too many for one."""
    name, head, rows = list_rows(request, "xlsx")
    fitting = list(islice(rows, MOST_ROWS + 1))
    if len(fitting) <= MOST_ROWS:
        return xlsx_export.download(
            name, head, iter(fitting), name_columns("questions", head, name_parts(head))
        )
    messages.error(
        request,
        _("An Excel file holds at most %(most)s calls. Choose fewer days, or the CSV.")
        % {"most": number(MOST_ROWS)},
    )
    return HttpResponseRedirect(f"{reverse('web:questions')}?{request.META['QUERY_STRING']}")


def name_parts(head: Sequence[str]) -> dict[str, str]:
    """Return what the columns of the questions are called: each has its answer, a quote and its second."""
    names = {}
    for question, quote, second in zip(
        *(head[COLUMNS_OF_CALL + place :: 3] for place in range(3)), strict=True
    ):
        of_question = {"question": question}
        names[question] = question
        names[quote] = _("%(question)s (quote)") % of_question
        names[second] = _("%(question)s (second of the quote)") % of_question
    return names


def list_rows(request: HttpRequest, ending: str) -> tuple[str, list[str], Iterator[list[str | int | float]]]:
    """Return file name, columns and rows of the answers; it is noted who takes them."""
    report_request = parse_report_request(request)
    if report_request.problem:
        raise Http404
    projects = [project.pk for project in report_request.projects]
    note(current_user(request), "table.exported", "answers", projects=projects)
    rows = iterate_answer_rows(
        report_request.projects, report_request.window, _parse_filter(_pick_filters(request))
    )
    name = build_file_name(report_request.projects, report_request.window, ending, "questions")
    return name, [str(each) for each in next(rows)], rows


def _pick_filters(request: HttpRequest) -> dict[str, str]:
    return {name: text for name in FILTERS if (text := request.GET.get(name, "").strip())}


def _parse_filter(query: dict[str, str]) -> AnswerFilter:
    texts = {name: query.get(name, "") for name in ("question", "answer", "search")}
    return AnswerFilter(**texts, quoted=query.get("quoted") == "true")


def is_unanswered(summary: QuestionSummary) -> bool:
    """True if no call answers the question: rules find quotes for it, answers need a language model."""
    return not summary.other_calls and all(is_undetermined(text) for text, _calls in summary.answers)


def has_quotes_alone(summaries: Sequence[QuestionSummary]) -> bool:
    """Return whether nothing is answered, but words of calls name what is asked."""
    return all(map(is_unanswered, summaries)) and any(summary.quoted for summary in summaries)


class AnswerLink(NamedTuple):
    """A frequent answer and the list of the calls that gave it."""

    text: str
    calls: int
    pct: float
    url: str
    is_current: bool


class QuestionCard(NamedTuple):
    """A question with its most frequent answers."""

    question: str
    calls: int
    url: str
    quoted: int
    quoted_url: str
    answers: list[AnswerLink]
    other_calls: int
    is_undetermined: bool  # all of them say so

    @classmethod
    def of(
        cls, summary: QuestionSummary, scope_query: dict[str, str], filters: dict[str, str]
    ) -> "QuestionCard":
        page, query = reverse("web:questions"), {**scope_query, "question": summary.question}
        return cls(
            question=summary.question,
            calls=summary.calls,
            url=with_query(page, query),
            quoted=summary.quoted,
            quoted_url=with_query(page, {**query, "quoted": "true"}),
            answers=[
                AnswerLink(
                    text=text,
                    calls=calls,
                    pct=100 * calls / summary.calls,
                    url=with_query(page, {**query, "answer": text}),
                    is_current=filters == {"question": summary.question, "answer": text},
                )
                for text, calls in summary.answers
            ],
            other_calls=summary.other_calls,
            is_undetermined=is_unanswered(summary),
        )


class ShownAnswer(NamedTuple):
    """What one call says about one question."""

    question: str
    is_asked: bool
    text: str  # "" where it is empty, and for questions that nobody can answer here
    quote: Quote | None  # that with the words searched for, else the first
    more: int  # other quotes
    why_none: str  # why there is neither an answer nor a quote


class AnsweredCallRow(NamedTuple):
    call: AnsweredCall
    agent: str
    url: str
    answers: list[ShownAnswer]


def show_answer(question: str, call: AnsweredCall, unanswered: set[str], wanted: AnswerFilter) -> ShownAnswer:
    """Return the answer; in words why there is none: not asked, no quote found, or empty."""
    given = call.answers.get(question)
    if given is None:
        return ShownAnswer(question, False, "", None, 0, _("not asked"))
    quote = Quote.of(wanted.choose_quote(given))
    is_open = question in unanswered
    return ShownAnswer(
        question=question,
        is_asked=True,
        text="" if is_open else given.text,
        quote=quote,
        more=max(given.quotes - 1, 0) if quote else 0,
        why_none=_("no quote found") if is_open else _("no answer"),
    )


def _list_chips(page: AnswerPage, scope_query: dict[str, str], filters: dict[str, str]) -> list[Chip]:
    """Return every filter that is on, in words: narrow windows fold the fields away."""
    words = {
        "search": _("Search: %s"),
        "question": _("Question: %s"),
        "answer": _("Answer: %s"),
    }
    url, chips = reverse("web:questions"), []
    for name, value in filters.items():
        without: dict[str, str | None] = {name: None}
        if name in words:
            label = words[name] % value
        elif value == "true":
            label = _("With a quote only")
            without = {name: "all"} if has_quotes_alone(page.summaries) else without
        else:
            continue
        chips.append(Chip(label, with_query(url, {**scope_query, **filters, **without}, blank=EVERYTHING)))
    return chips


def _build_results(
    page: AnswerPage, report_request: ReportRequest, filters: dict[str, str]
) -> TemplateContext:
    url, scope_query = reverse("web:questions"), report_request.query
    wanted = _parse_filter(filters)
    names = [summary.question for summary in page.summaries]
    unanswered = {summary.question for summary in page.summaries if is_unanswered(summary)}
    shown = [each.question for each in page.summaries if each.quoted or each.question not in unanswered]
    columns = [name for name in names if name == filters.get("question")] or shown
    agents = label_known({call.agent_id: call.agent for call in page.items if call.agent_id is not None})
    return {
        "found": page,
        "names": names,
        "unanswered": [name for name in names if name in unanswered],
        "columns": columns,
        "has_quotes_alone": has_quotes_alone(page.summaries),
        "with_all_url": with_query(url, {**scope_query, **filters, "quoted": "all"}),
        "tallies": [QuestionCard.of(summary, scope_query, filters) for summary in page.summaries],
        "rows": [
            AnsweredCallRow(
                call=call,
                agent=agents.get(call.agent_id or 0, call.agent),
                url=with_query(reverse("web:call", args=[call.call_id]), scope_query) + "#answers-title",
                answers=[show_answer(name, call, unanswered, wanted) for name in columns],
            )
            for call in page.items
        ],
        "csv_url": with_query(reverse("web:questions-csv"), {**scope_query, **filters}),
        "xlsx_url": with_query(reverse("web:questions-xlsx"), {**scope_query, **filters}),
        "clear_url": with_query(url, scope_query, blank=EVERYTHING),
        "chips": _list_chips(page, scope_query, filters),
        # Without filters a page of quotes alone shows calls with a quote: nothing is left to clear.
        "may_clear": filters and not (filters == QUOTED and has_quotes_alone(page.summaries)),
        "all_time_url": with_query(url, report_request.scope_query, blank=EVERYTHING),
        "pager": build_pager(
            number=page.number,
            pages=page.pages,
            count=page.count,
            shown=len(page.items),
            page_size=PAGE_SIZE,
            url_of=lambda n: with_query(
                url, {**scope_query, **filters, "page": n if n > 1 else None}, blank=EVERYTHING
            ),
        ),
    }
