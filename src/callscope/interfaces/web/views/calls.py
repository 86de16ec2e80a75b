"""The calls page: every analyzed call in a table, filtered, searched, sorted and paged by its address."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from callscope.accounts.trail.notes import note
from callscope.interfaces.web.call_choice import MOST_CHOSEN
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export, xlsx_export
from callscope.interfaces.web.downloads.headings import name_columns
from callscope.interfaces.web.downloads.xlsx_export import MOST_ROWS
from callscope.interfaces.web.page_context import TemplateContext, render_page_or_list, wants_fragment
from callscope.interfaces.web.presenters import call_list
from callscope.interfaces.web.presenters.failed_calls import describe_failed_calls
from callscope.interfaces.web.presenters.filter_chips import build_chips, list_trackers
from callscope.interfaces.web.presenters.list_choices import build_long_lists, list_choices
from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import (
    ReportRequest,
    choose_report,
    is_bare,
    parse_report_request,
)
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.lists import saved_views
from callscope.interfaces.web.views.preferences import remember_project
from callscope.projects import permissions
from callscope.reports.call_list import exported
from callscope.reports.call_list.call_rows import hide_results_of, name_agents
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import (
    CallPage,
    NoSuchPage,
    find_blinded,
    find_calls,
    iterate_calls,
)
from callscope.reports.window import ALL_TIME
from callscope.reviews.reading import NOTHING_HIDDEN, HiddenCalls, list_hidden


@signed_in_page
def calls(request: HttpRequest) -> HttpResponse:
    """Show the list; a bare address opens the last project and 30 days, as that of the report does."""
    here = reverse("web:calls")
    if is_bare(request) and (chosen := choose_report(request)):
        return HttpResponseRedirect(with_query(here, chosen))
    report_request = parse_report_request(request, narrows=True)
    list_query = call_list.parse_query(request)
    context: TemplateContext = {
        "report_request": report_request,
        "list_query": list_query,
        "here": here,
        "everything": EVERYTHING,
        "place": {**report_request.query, **list_query.query},
        "presets": report_request.presets(here, list_query.query, blank=EVERYTHING),
        **describe_choices(request, report_request, list_query),
        "clear_url": with_query(here, report_request.query, blank=EVERYTHING),
        "problem": report_request.problem or list_query.problem,
        **saved_views.build_context(request, report_request, list_query),
    }
    if not context["problem"]:
        hidden = list_hidden(current_user(request))
        filters = report_request.narrow(list_query.filters).blinded_to(hidden.all)
        try:
            found = find_calls(
                report_request.counted_projects,
                report_request.window,
                filters,
                list_query.page,
                list_query.page_size,
            )
        except NoSuchPage:
            if not re.fullmatch(r"[1-9]\d*", list_query.page):
                raise Http404 from None
            # A bookmark of a list that has become shorter.
            last = {**report_request.query, **list_query.query, "page": "last"}
            return HttpResponseRedirect(with_query(here, last))
        context |= describe_list(request, report_request, list_query, found, hidden)
        context["left_out"] = left_out = find_left_out(report_request, filters, hidden)
        if isinstance(total := context.get("total"), int):  # the list is empty
            context["other_total"] = total - len(left_out.all)
    is_wrong = context["problem"] and not wants_fragment(request)
    response = render_page_or_list(request, "calls", context, status=400 if is_wrong else 200)
    remember_project(request, response, report_request.project_id)
    return response


def describe_list(
    request: HttpRequest,
    report_request: ReportRequest,
    list_query: call_list.CallListQuery,
    found: CallPage,
    hidden: HiddenCalls,
) -> TemplateContext:
    """Return what the page shows of the calls that were found, and where it leads from there."""
    here, query = reverse("web:calls"), {**report_request.query, **list_query.query}
    place = {**query, "page": found.number if found.number > 1 else None}
    items = list(name_agents(hide_results_of(found.items, hidden.all), found.agents))
    projects = report_request.counted_projects
    projects_of = call_list.find_projects_of(projects, found.items)
    names = {pk: project.name for pk, project in projects_of.items()} if len(projects) > 1 else {}
    targets = call_list.find_call_targets(projects_of)
    context: TemplateContext = {
        "found": found,
        "pager": call_list.build_call_pager(found, report_request, list_query),
        "rows": call_list.build_rows(
            items, place, list_query, hidden=hidden, targets=targets, projects=names
        ),
        **call_list.describe_targets(targets),
        "most_chosen": MOST_CHOSEN,
        "place": place,
        "may_write": bool(permissions.writable(current_user(request), report_request.projects)),
        "heads": (heads := call_list.build_heads(report_request, list_query)),
        "columns": len(heads) + 1,  # with that of the boxes
        "has_answer": bool(list_query.filters.drilldown.criterion),
        "has_agent": report_request.own is None,
        "orders": call_list.build_orders(list_query, of_one_agent=report_request.own is not None),
        "csv_url": with_query(reverse("web:calls-csv"), query),
        "xlsx_url": with_query(reverse("web:calls-xlsx"), query) if found.count <= MOST_ROWS else "",
        "wide_url": report_request.query and with_query(here, list_query.query, blank=EVERYTHING),
        **describe_failed_calls(report_request, current_user(request)),
    }
    return context if found.count else context | describe_empty(report_request)


def describe_choices(
    request: HttpRequest, report_request: ReportRequest, list_query: call_list.CallListQuery
) -> TemplateContext:
    """Return what the filters offer; a whole page may leave its long lists to a later request."""
    is_whole = not wants_fragment(request)
    has_no_scripts = is_whole and "choices" in request.GET
    whole = {**report_request.query, **list_query.query, "choices": "all"}
    may_wait = is_whole and not has_no_scripts
    lists = build_long_lists(report_request, list_query.query, may_wait=may_wait)
    trackers = list_trackers(report_request)
    return {
        "filter_choices": list_choices(report_request, list_query.query),
        "long_lists": lists,
        "chips": build_chips(report_request, list_query, lists, trackers),
        "has_no_scripts": has_no_scripts,
        "whole_url": with_query(reverse("web:calls"), whole),
        "trackers": trackers,
    }


def find_left_out(report_request: ReportRequest, filters: CallFilters, hidden: HiddenCalls) -> HiddenCalls:
    """Return which calls filters for answers leave out because the visitor is to rate or review them.

    They are those that the other filters leave, so that their number says nothing of their answers.
    """
    if not filters.blinded or not filters.asks_for_answers:
        return NOTHING_HIDDEN
    projects = [project.pk for project in report_request.counted_projects]
    return hidden.among(find_blinded(projects, report_request.window, filters))


def describe_empty(report_request: ReportRequest) -> TemplateContext:
    """Return what an empty list says: whether it is the filters that hide the calls of the scope."""
    everything = find_calls(report_request.counted_projects, ALL_TIME, report_request.narrow(CallFilters()))
    return {
        "total": everything.count,
        "all_url": with_query(reverse("web:calls"), report_request.scope_query, blank=EVERYTHING),
    }


@signed_in_page
def calls_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer every call of the filtered list as CSV, in its order."""
    return csv_export.download("callscope-calls.csv", *list_rows(request, parse_export(request)))


@signed_in_page
def calls_xlsx(request: HttpRequest) -> HttpResponseBase:
    """Answer every call of the filtered list as an Excel file; lead back where they are too many for one."""
    report_request, list_query, filters, _hidden = export = parse_export(request)
    count = find_calls(report_request.counted_projects, report_request.window, filters).count
    if count > MOST_ROWS:
        messages.error(
            request,
            _("An Excel file holds at most %(most)s calls. Choose fewer days, or the CSV.")
            % {"most": number(MOST_ROWS)},
        )
        query = {**report_request.query, **list_query.query}
        return HttpResponseRedirect(with_query(reverse("web:calls"), query, blank=EVERYTHING))
    head, rows = list_rows(request, export)
    headings = name_columns("calls", head, exported.name_criteria(report_request.counted_projects))
    return xlsx_export.download("callscope-calls.xlsx", head, rows, headings)


class Export(NamedTuple):
    """The list that somebody takes away."""

    report_request: ReportRequest
    list_query: call_list.CallListQuery
    filters: CallFilters  # as the visitor may use them
    hidden: HiddenCalls  # whose results are kept from the visitor


def parse_export(request: HttpRequest) -> Export:
    """Return what the address asks for; Http404 where it cannot be read."""
    report_request = parse_report_request(request, narrows=True)
    list_query = call_list.parse_query(request)
    if report_request.problem or list_query.problem:
        raise Http404
    hidden = list_hidden(current_user(request))
    filters = report_request.narrow(list_query.filters).blinded_to(hidden.all)
    return Export(report_request, list_query, filters, hidden)


def list_rows(request: HttpRequest, export: Export) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns and rows of the list; it is noted who takes them."""
    projects = export.report_request.counted_projects
    items = iterate_calls(projects, export.report_request.window, export.filters)
    rows = exported.build_rows(items, projects, export.hidden)
    note(current_user(request), "table.exported", "calls", projects=[project.pk for project in projects])
    return exported.list_columns(projects), rows
