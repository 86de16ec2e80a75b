"""The pages of the report: overview, criteria, agents, reasons and trend of the calls in a window."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import translation

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note
from callscope.calls.share_links import may_share
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export, xlsx_export
from callscope.interfaces.web.downloads.headings import name_columns
from callscope.interfaces.web.page_context import TemplateContext, render_page_or_fragment, wants_fragment
from callscope.interfaces.web.presenters import report as presenter
from callscope.interfaces.web.presenters import report_csv
from callscope.interfaces.web.presenters.failed_calls import MOST_PROJECTS, describe_failed_calls
from callscope.interfaces.web.presenters.kept_back import describe_kept
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.findings import FindingTable, build_tables
from callscope.interfaces.web.presenters.report_page.maps import present_agent_map, present_week_hours
from callscope.interfaces.web.presenters.report_page.parts import (
    Part,
    build_address,
    find_address,
    list_parts,
)
from callscope.interfaces.web.presenters.report_page.wide_trend import WideTrend, present_wide_trend
from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import (
    ReportRequest,
    choose_report,
    is_bare,
    parse_report_request,
)
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views import report_progress
from callscope.interfaces.web.views.preferences import remember_project
from callscope.reports.file_names import build_file_name
from callscope.reports.judged_versions import find_judged_from
from callscope.reports.overview.builder import TOP_REASONS
from callscope.reports.overview.coverage import describe_removed_results
from callscope.reports.overview.figure_trend.figures import UnknownFigure, find_figure
from callscope.reports.overview.figure_trend.weeks import build_figure_trend
from callscope.reports.overview.findings import count_findings
from callscope.reports.overview.kept_back.calls import KeptBack, find_kept_back
from callscope.reports.overview.kept_back.other_figures import (
    hide_in_findings,
    hide_in_hours,
    hide_in_map,
    hide_in_trend,
)
from callscope.reports.overview.kept_back.whole_report import hide_in_report
from callscope.reports.overview.maps.agent_criteria import build_agent_map
from callscope.reports.overview.maps.week_hours import count_week_hours
from callscope.reports.overview.reason_weeks import count_reason_weeks
from callscope.reports.overview.report import Report, build_report
from callscope.reviews.reading import list_hidden_calls

# The figures of the report that a part shows: a notice names what is not shown of them.
PART_FIGURES: dict[Part, tuple[str, ...]] = {
    "overview": ("headline", "scorecard", "trend", "copc_rates", "projects"),
    "criteria": ("scorecard", "copc_rates", "trend"),
    "agents": ("agents", "headline"),
    "reasons": (),
    "trend": ("trend", "shifts"),
}
MOST_REASONS = 500  # on a page that lists all
FILE_CONTENTS = {"headline": "summary"}  # as the menu calls it; other tables are called what they are


@signed_in_page
def report(request: HttpRequest, part: Part = "overview") -> HttpResponse:
    """Show one part of the report; a bare address opens the last project and 30 days."""
    here = find_address(part)
    if is_bare(request) and (chosen := choose_report(request)):
        return HttpResponseRedirect(with_query(here, chosen))
    report_request = parse_report_request(request, narrows=True)
    if part == "agents" and report_request.own is not None:  # whose own page says all of it
        scope = {"project_id": report_request.own.project.pk, **report_request.window_query}
        return HttpResponseRedirect(
            with_query(reverse("web:agent", args=[report_request.own.agent_id]), scope)
        )
    context: TemplateContext = {
        "part": part,
        "parts": list_parts(part, report_request.query, of_one_agent=report_request.own is not None),
        "report_request": report_request,
        "presets": report_request.presets(here, report_request.view, blank=EVERYTHING),
        "other_query": report_request.view,
        "here": here,
        "everything": EVERYTHING,
    }
    if not report_request.problem:
        counted = report_request.counted_projects, report_request.window, report_request.agent_id
        built = build_report(
            *counted,
            compares_projects=part == "overview",
            is_drawn=True,
            most_reasons=MOST_REASONS if "reasons" in report_request.view else TOP_REASONS,
        )
        if part == "trend":
            built = replace(built, judged_from=find_judged_from(built.parting_change, *counted[1:]))
        kept = find_kept(report_request, current_user(request))
        built = hide_in_report(whole := built, kept, report_request.counted_projects)
        weeks = count_reason_weeks(*counted) if part == "reasons" else None
        context |= presenter.build_report_context(built, report_request, (part,), weeks)
        if built.failed_calls:
            context |= describe_failed_calls(report_request, current_user(request))
        said = describe_removed_results(built.removed_results, built.headline.total_calls, number)
        context["removed_results"] = said
        context |= build_part(part, report_request, built, current_user(request), kept)
        hides = any(getattr(built, name) != getattr(whole, name) for name in PART_FIGURES[part])
        hides = bool(context.pop("hides_more", False)) or hides
        context |= describe_kept(kept, report_request.window, hides=hides)
        if report_request.own is None:
            context["origin_url"] = with_query(reverse("web:report-origin"), report_request.query)
            context["progress_url"] = with_query(reverse("web:report-progress"), report_request.query)
            context["mails_url"] = with_query(reverse("web:report-mails"), report_request.scope_query)
        if len(report_request.projects) == 1 and may_share(current_user(request), report_request.projects[0]):
            only = {"project_id": report_request.projects[0].pk, **report_request.window_query}
            context["share_url"] = with_query(reverse("web:shares"), only)
        context |= link_reasons(report_request, part)
        context["pdf_url"] = with_query(reverse("web:home") + "calls/api/report/pdf/", report_request.query)
    response = render_page_or_fragment(
        request,
        "web/report.html",
        "web/report/body.html",
        context,
        status=400 if report_request.problem and not wants_fragment(request) else 200,
    )
    remember_project(request, response, report_request.project_id)
    return response


def link_reasons(report_request: ReportRequest, part: Part) -> TemplateContext:
    """Return where contact reasons are set up, and where those lead that a part of the report counts in one.

    These are in the same report, at an address that lists all of its days; of very many, a file holds the
    rest. The lists of several projects stand below; that of one stands in its heading.
    """
    projects, query = report_request.projects, report_request.query
    everything = build_address("reasons", {**query, "reasons": "all"}) + "#reasons-title"
    others: TemplateContext = {"all_reasons_url": everything}
    if part == "reasons" and "reasons" in report_request.view:
        table = with_query(reverse("web:report-csv", args=["contact-reasons"]), query)
        others = {
            "all_reasons_url": table,
            "fewer_reasons_url": build_address("reasons", query),
            "most_frequent": TOP_REASONS,
        }
    if len(projects) == 1:
        return {**others, "edit_reasons_url": reverse("web:project-reasons", args=[projects[0].pk])}
    by_name = sorted(projects, key=lambda project: (project.name.casefold(), project.pk))
    links = [(p.name, reverse("web:project-reasons", args=[p.pk])) for p in by_name[:MOST_PROJECTS]]
    return {**others, "reason_lists": links}


def find_kept(report_request: ReportRequest, user: User) -> KeptBack:
    """Return the calls of a report that wait for the visitor's blind review or rating, of any day."""
    projects, agent_id = report_request.counted_projects, report_request.agent_id
    return find_kept_back(projects, list_hidden_calls(user), agent_id)


def build_part(
    part: Part, report_request: ReportRequest, built: Report, user: User, kept: KeptBack
) -> TemplateContext:
    """Return what one part of the report shows and no other."""
    scope = report_request.counted_projects, report_request.window, report_request.agent_id
    links, now = Links(report_request), kept.within(report_request.window)
    if part == "criteria":
        return {"findings": count_and_present(report_request, built, kept)}
    if part == "agents":
        agent_map = hide_in_map(whole_map := build_agent_map(built, *scope), now)
        return {"agent_map": present_agent_map(agent_map, links), "hides_more": agent_map != whole_map}
    if part == "reasons":
        return report_progress.offer_regrouping_of(user, report_request)
    if part == "trend":
        hours = hide_in_hours(whole_hours := count_week_hours(*scope), now)
        return {
            "hides_more": hours != whole_hours,
            "week_hours": present_week_hours(hours, report_request, links),
            "wide": count_and_draw(report_request, built, kept),
        }
    return {}


def count_and_present(report_request: ReportRequest, built: Report, kept: KeptBack) -> list[FindingTable]:
    """Return the tables of mistakes and missed prompts in the calls of a report."""
    found = count_findings(
        report_request.counted_projects,
        report_request.window,
        [bucket.week for bucket in built.trend],
        report_request.agent_id,
    )
    shown = hide_in_findings(found, report_request.window, kept)
    return build_tables(shown, Links(report_request), built.trend)


def count_and_draw(report_request: ReportRequest, built: Report, kept: KeptBack) -> WideTrend | None:
    """Return the wide trend of the figure in the address, or of the average score."""
    projects, view = report_request.counted_projects, report_request.view
    try:
        figure = find_figure(view.get("figure", ""), projects)
    except UnknownFigure:
        figure = find_figure("", projects)
    found = build_figure_trend(
        projects,
        report_request.window,
        figure,
        answer=view.get("answer", ""),
        agent_id=report_request.agent_id,
        is_drawn=True,
    )
    shown = hide_in_trend(found, projects, report_request.window, kept)
    return present_wide_trend(shown, built, report_request, Links(report_request))


@signed_in_page
def report_table_csv(request: HttpRequest, table: str) -> HttpResponseBase:
    """Answer one table of the report as CSV, which is in English in every language."""
    with translation.override("en"):
        return csv_export.download(*list_table(request, table, "csv"))


@signed_in_page
def report_table_xlsx(request: HttpRequest, table: str) -> HttpResponseBase:
    """Answer one table of the report as an Excel file."""
    name, head, rows = list_table(request, table, "xlsx")
    return xlsx_export.download(name, head, rows, name_columns(table, head))


def list_table(request: HttpRequest, table: str, ending: str) -> tuple[str, *report_csv.Table]:
    """Return file name, columns and rows of a table of the report; it is noted who took them."""
    report_request = parse_report_request(request, narrows=True)
    known = report_csv.TABLES.keys() | report_csv.FINDING_TABLES.keys() | report_csv.SCOPED_TABLES.keys()
    if table not in known or report_request.problem:
        raise Http404
    scope = report_request.counted_projects, report_request.window, report_request.agent_id
    kept = find_kept(report_request, current_user(request))
    head, rows = report_csv.list_rows(table, *scope, kept)
    projects = [project.pk for project in report_request.counted_projects]
    note(current_user(request), "table.exported", f"report {table}", projects=projects)
    content = FILE_CONTENTS.get(table, table)
    name = build_file_name(report_request.counted_projects, report_request.window, ending, content)
    return name, head, rows
