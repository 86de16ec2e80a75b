"""The report page: headline, scorecard, trend, reasons, agents and shifts of the calls in a window."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from callscope.interfaces.web import report_figures, report_progress, report_tables, spreadsheet
from callscope.interfaces.web.page import page, show, visitor, wants_fragment, with_query
from callscope.interfaces.web.question import ask
from callscope.reports.report import build_report


@page
def report(request: HttpRequest) -> HttpResponse:
    question = ask(request)
    here = reverse("web:report")
    context = {"question": question, "presets": question.presets(here), "here": here}
    if not question.problem:
        built = build_report(question.projects, question.window)
        context |= report_figures.of(built, question)
        context["progress_url"] = with_query(reverse("web:report-progress"), question.query)
        context["can_regroup"] = report_progress.can_regroup(visitor(request), question.projects)
        context["regroup_url"] = with_query(reverse("web:regroup"), question.query)
        context["pdf_url"] = with_query(reverse("web:home") + "calls/api/report/pdf/", question.query)
    return show(
        request,
        "web/report.html",
        "web/report/body.html",
        context,
        status=400 if question.problem and not wants_fragment(request) else 200,
    )


@page
def report_csv(request: HttpRequest, table: str) -> HttpResponseBase:
    """Answer one table of the report as CSV."""
    question = ask(request)
    if table not in report_tables.TABLES or question.problem:
        raise Http404
    built = build_report(question.projects, question.window)
    head, rows = report_tables.TABLES[table](built)
    return spreadsheet.download(f"callscope-{table}.csv", head, rows)
