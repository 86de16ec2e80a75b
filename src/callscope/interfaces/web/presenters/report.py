"""Prepare a report for its page: figures with their change, links to their calls, charts."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.agents import build_agents
from callscope.interfaces.web.presenters.report_page.courses import draw_counts, explain_counts, write_counts
from callscope.interfaces.web.presenters.report_page.headline import (
    MORE_TILES,
    TILES,
    build_tiles,
    explain_sparks,
)
from callscope.interfaces.web.presenters.report_page.highlights import build_highlights
from callscope.interfaces.web.presenters.report_page.parts import PARTS, Part, build_address
from callscope.interfaces.web.presenters.report_page.projects import build_projects
from callscope.interfaces.web.presenters.report_page.reasons import (
    add_courses,
    build_reasons,
    explain_courses,
    find_full_bar,
)
from callscope.interfaces.web.presenters.report_page.scorecard import (
    ROWS_AT_FIRST,
    CriterionLine,
    build_sections,
    list_orders,
)
from callscope.interfaces.web.presenters.report_page.shifts import build_shifts
from callscope.interfaces.web.presenters.trend import Trend, build_trend
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import WAITS, day, number
from callscope.projects.models import Project
from callscope.reports import charts
from callscope.reports.overview.coverage import (
    FEW_CALLS,
    describe_answers,
    describe_half_heard,
    describe_scored,
    describe_undrawn,
    describe_zeroed,
)
from callscope.reports.overview.origin.sentences import describe_reviewed
from callscope.reports.overview.people.sentences import (
    describe_difference,
    describe_people,
    explain_people,
)
from callscope.reports.overview.reason_weeks import ReasonWeeks
from callscope.reports.overview.report import (
    CopcRates,
    ReasonGroupRow,
    Report,
    TrackerRow,
)
from callscope.reports.overview.rubric_marks import describe_rubric_changes
from callscope.reports.overview.scorecard import find_costly
from callscope.reports.overview.targets import Targets, find_targets, list_called

CSV_TABLES = (
    ("headline", gettext_lazy("Summary")),
    ("scorecard", gettext_lazy("Scorecard")),
    ("mistakes", gettext_lazy("Mistakes")),
    ("missed-prompts", gettext_lazy("Missed prompts")),
    ("trend", gettext_lazy("Trend by week")),
    ("contact-reasons", gettext_lazy("Contact reasons")),
    ("reason-groups", gettext_lazy("Contact reasons by parent reason")),
    ("agents", gettext_lazy("Agents")),
    ("agent-criteria", gettext_lazy("Agents by criterion")),
    ("shifts", gettext_lazy("Shifts")),
    ("week-hours", gettext_lazy("Weekdays and hours")),
)
OF_AGENTS = ("agents", "agent-criteria")  # which say nothing new to an agent who sees own calls alone
# Why an accuracy is empty.
NO_SUCH_CRITERION = gettext_lazy(
    "No criterion of the rubric looks for this kind of error, so nothing was measured."
)
NO_CALL_SCORED = gettext_lazy("No call in this period was scored.")
NO_CALL_JUDGED = gettext_lazy(
    "No call of a project that looks for this kind of error was scored in this period."
)
NO_PLAIN_ANSWER = gettext_lazy("In this period, no criterion that is not critical was evaluated.")


class Rate(NamedTuple):
    name: str
    value: float | None
    coverage: str
    reason: str | Promise  # why there is no value


class ReasonGroupLine(NamedTuple):
    row: ReasonGroupRow
    bar: SafeString
    url: str


class TrackerLine(NamedTuple):
    row: TrackerRow
    spark: SafeString
    said: str  # the same in words
    url: str


def build_report_context(
    report: Report,
    report_request: ReportRequest,
    parts: Collection[Part] = PARTS,
    reason_weeks: ReasonWeeks | None = None,
) -> TemplateContext:
    """Return the context of the report's template, for these parts of it.

    `reason_weeks` are the weeks that contact reasons are drawn by; without them they have no course.
    """
    links = Links(report_request)
    called = list_called(report_request.counted_projects, report_request.window)
    targets = find_targets(called)
    context: TemplateContext = {
        "report": report,
        "score_target": targets.get("average_score"),
        "is_of_several": len(called) > 1,
        "has_previous": report.window.previous() is not None,
        "previous": report.window.previous(),
        "calls_with_reason": sum(row.calls for row in report.contact_reasons),
        "rates": build_rates(report.copc_rates),
        "quotes_rule": _quotes_rule(report_request.projects),
        "half_heard": describe_half_heard(report.half_heard_calls, report.half_heard_by_people, number),
        "zeroed": describe_zeroed(report.zeroed_calls, report.headline.scored_calls, number),
        "zeroed_url": links.to(critical="true", max_score=0),
        "reviewed": describe_reviewed(report, number),
        "half_heard_url": links.to(half_heard="true"),
        "project_without_criteria": _find_project_without_criteria(report_request.projects),
        "all_time_url": build_address("overview", report_request.scope_query),
        "calls_url": links.to(),
        "csv_query": urlencode(report_request.query),
        "csv_tables": [each for each in CSV_TABLES if report_request.own is None or each[0] not in OF_AGENTS],
    }
    if "overview" in parts:
        context |= _build_overview(report, links, targets)
        context["projects_compared"] = build_projects(report.projects, report_request)
        is_one_project = len(report_request.counted_projects) == 1
        changes = describe_rubric_changes(report, day, number, with_project=not is_one_project)
        context["rubric_changes"] = changes
        if len(report_request.projects) == 1 and report_request.own is None:
            url = reverse("web:project-agreement", args=[report_request.projects[0].pk])
            context["agreement_url"] = url
    if "criteria" in parts:
        by_points_lost = report_request.view.get("order") == "lost"
        context |= {
            "sections": build_sections(report, links, targets, by_points_lost=by_points_lost),
            "orders": list_orders(report_request),
            "by_points_lost": by_points_lost,
        }
    if "agents" in parts:
        context |= build_agents(report, report_request, links, targets.get("average_score"))
    if "reasons" in parts:
        context |= _build_reason_parts(report, links, reason_weeks)
    if "trend" in parts:
        is_one_project = len(report_request.counted_projects) == 1
        context["trend"] = present_trend(report, links, is_one_project=is_one_project)
        context["shifts"] = build_shifts(report, links)
        context["undrawn"] = describe_undrawn(report.undrawn_calls, number)
        context["undrawn_url"] = links.to_weeks_to_come(report.window)
    return context


def _build_overview(report: Report, links: Links, targets: Targets) -> TemplateContext:
    top = build_reasons([row for row in report.contact_reasons if row.topic][:ROWS_AT_FIRST], links)
    return {
        "highlights": build_highlights(report, links),
        "costly": [
            CriterionLine.of(row, links, targets) for row in find_costly(report.scorecard, ROWS_AT_FIRST)
        ],
        "tiles": build_tiles(TILES, report, links, targets),
        "more_tiles": build_tiles(MORE_TILES, report, links),
        "spark_notes": explain_sparks(report.trend)
        + [said for said in [describe_undrawn(report.undrawn_calls, number)] if said],
        "people": describe_people(report.reviews, number),
        "people_explained": explain_people(report.reviews, number),
        "people_differ": describe_difference(report.reviews, number),
        "is_few_scored": report.headline.scored_calls < FEW_CALLS,
        "top_reasons": top,
        "more_reasons": sum(row.other_topics or 1 for row in report.contact_reasons) - len(top),
    }


def _build_reason_parts(report: Report, links: Links, weeks: ReasonWeeks | None) -> TemplateContext:
    reasons, drawn = build_reasons(report.contact_reasons, links), {}
    if weeks is not None:
        reasons = add_courses(reasons, weeks)
        drawn = {
            "course_ends": (weeks.mondays[0], weeks.mondays[-1]),
            "course_notes": explain_courses(weeks),
        }
    return {
        **drawn,
        "reasons": reasons,
        "reason_count": sum(row.other_topics or 1 for row in report.contact_reasons),
        "has_other_reasons": any(row.other_topics for row in report.contact_reasons),
        "full_bar": find_full_bar(report.contact_reasons),
        "reason_groups": [_reason_group(row, links) for row in report.reason_groups],
        "trackers": [
            TrackerLine(
                row=row,
                spark=draw_counts(row.weeks, report.trend),
                said=write_counts(row.weeks, report.trend),
                url=links.to(tracker=row.id),
            )
            for row in report.trackers
        ],
        "tracker_notes": explain_counts(report.trend),
    }


def present_trend(report: Report, links: Links, *, is_one_project: bool) -> Trend | None:
    """Return the charts of the weeks, with marks where a rubric changed; None without a week."""
    weeks, marked = tuple(report.trend), tuple(report.marked_changes)
    changes = describe_rubric_changes(report, day, number, with_project=not is_one_project)
    return build_trend(weeks, links.all_time, report.window, get_language() or "", marked, changes)


def build_rates(rates: CopcRates) -> list[Rate]:
    """Return the accuracies, each with what it is taken over."""
    critical = []
    for name in ("customer_critical", "business_critical", "compliance_critical"):
        calls: int | None = getattr(rates, f"{name}_calls")
        if not rates.scored_calls:
            reason = NO_CALL_SCORED
        else:
            reason = NO_SUCH_CRITERION if calls is None else NO_CALL_JUDGED
        share = getattr(rates, f"{name}_accuracy_pct")
        if share is None and calls:
            reason = WAITS
        critical.append(Rate(name, share, describe_scored(calls or 0, number), reason))
    answers = describe_answers(rates.plain_answers, number)
    none = WAITS if rates.plain_answers else NO_PLAIN_ANSWER
    return [*critical, Rate("non_critical", rates.non_critical_accuracy_pct, answers, none)]


def _find_project_without_criteria(projects: Sequence[Project]) -> int | None:
    """Return the id of the only project shown, where its rubric is empty."""
    if len(projects) != 1 or projects[0].configuration.rubric.criteria():
        return None
    return projects[0].pk


def _quotes_rule(projects: Sequence[Project]) -> str:
    """Return the definition that says whether points need quotes, by the settings of the projects."""
    # The stored documents, not parsed: a scope may hold hundreds of projects.
    counting = [p.config.get("rubric", {}).get("on_unverified") == "count" for p in projects]
    if not any(counting):
        return "quotes_required"
    return "quotes_not_required" if all(counting) else "quotes_required_in_some"


def _reason_group(row: ReasonGroupRow, links: Links) -> ReasonGroupLine:
    """Return a group; its link lists the calls of all its reasons."""
    return ReasonGroupLine(
        row=row,
        bar=mark_safe(charts.share_svg(row.volume_pct, "bar plain")),  # noqa: S308 - numbers
        url=links.to(reason=row.reason_id) if row.reason_id else "",
    )
