"""Prepare a report for its page: figures with their change, links to their calls, charts."""

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.agents import build_agents
from callscope.interfaces.web.presenters.report_page.courses import draw_counts, explain_counts, write_counts
from callscope.interfaces.web.presenters.report_page.headline import (
    BETTER_UP,
    MORE_TILES,
    TILES,
    Change,
    build_tiles,
    explain_sparks,
)
from callscope.interfaces.web.presenters.report_page.highlights import build_highlights
from callscope.interfaces.web.presenters.report_page.parts import PARTS, Part, PartLink, build_address
from callscope.interfaces.web.presenters.report_page.reasons import (
    add_courses,
    build_reasons,
    explain_courses,
    find_full_bar,
)
from callscope.interfaces.web.presenters.report_page.shifts import build_shifts
from callscope.interfaces.web.presenters.trend import Trend, build_trend
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import Cell, day, number, write_interval
from callscope.projects.models import Project
from callscope.reports import charts
from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.coverage import (
    FEW_CALLS,
    describe_answers,
    describe_half_heard,
    describe_scored,
)
from callscope.reports.overview.people.sentences import describe_difference, describe_people
from callscope.reports.overview.reason_weeks import ReasonWeeks
from callscope.reports.overview.report import (
    CopcRates,
    ReasonGroupRow,
    Report,
    ScorecardRow,
    TrackerRow,
)
from callscope.reports.overview.rubric_marks import describe_row
from callscope.reports.overview.scorecard import JudgedFigures, judge_row
from callscope.reports.overview.targets import Targets, describe_target, find_targets, list_called

ROWS_AT_FIRST = 5  # of criteria and of reasons, on the overview
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
# Why a cell is empty.
RETIRED = gettext_lazy("This criterion is no longer in the rubric.")
NO_CALL = gettext_lazy("No call in this period has this criterion.")
NONE_EVALUATED = gettext_lazy("No call in this period recorded that the criterion applies.")
NO_SUCH_CRITERION = gettext_lazy(
    "No criterion of the rubric looks for this kind of error, so nothing was measured."
)
NO_PLAIN_ANSWER = gettext_lazy("In this period, no criterion that is not critical was evaluated.")


class Rate(NamedTuple):
    name: str
    value: float | None
    coverage: str
    reason: str | Promise  # why there is no value


@dataclass(frozen=True, slots=True)
class CriterionLine:
    """One criterion of the scorecard."""

    row: ScorecardRow
    projects: str  # whose it is, in a report of several; else ""
    note: str  # that it waits for a person, in which version of the window it changed; "" for others
    weight: list[Cell]
    average: list[Cell]
    dots: SafeString
    said: str  # what the dots show, with the calls behind each
    few: str  # "n 7" where the calls are too few to say much; else ""
    judged: JudgedFigures
    lost: float | None  # how many points of the score it costs; None where that is not known
    costs: str  # the same in words
    change: Change | None
    critical_url: str
    missed_url: str  # calls in which it applied and earned nothing
    where_it_applies: list[Cell]
    counts: list[Cell]
    no_change: str  # why it is not compared with the window before
    target: str  # in words; "" without one

    @classmethod
    def of(cls, row: ScorecardRow, links: Links, targets: Targets) -> "CriterionLine":
        judged = judge_row(row)
        # Where it is not known to which calls the criterion applies, its average stands out in their place.
        bold, quiet = "n strong", "n late extra"
        calls = links.to(criterion=row.criterion_id)
        evaluated, not_applicable = f"{calls}&found=evaluated", f"{calls}&found=not_applicable"
        return cls(
            row=row,
            judged=judged,
            projects=links.name_projects(row.criterion_id, row.name),
            note=describe_row(row, day),
            weight=[Cell(row.weight_pct, 1, "", RETIRED, "weight_pct", "n late extra")],
            average=[
                Cell(row.average_pct, 1, calls, NO_CALL, "average_pct", bold if judged.is_average else quiet)
            ],
            dots=mark_safe(  # noqa: S308 - numbers
                charts.dots_svg(
                    judged.pct,
                    before_pct=judged.previous_pct,
                    interval=judged.interval,
                    is_few=judged.calls < FEW_CALLS,
                    is_few_before=judged.previous_calls < FEW_CALLS,
                )
            ),
            said=describe_dots(row),
            few=_("n %(count)s") % {"count": number(judged.calls)} if 0 < judged.calls < FEW_CALLS else "",
            lost=(lost := find_points_lost(row)),
            costs="" if lost is None else _("costs %(points)s points") % {"points": number(lost, 1)},
            change=compare(judged),
            no_change=explain_no_change(row),
            critical_url=f"{calls}&found=critical",
            missed_url=f"{calls}&result=not_met",
            target=describe_target(
                f"criterion:{row.criterion_id}", judged.pct, judged.interval, targets, number
            ),
            where_it_applies=[
                Cell(
                    None if judged.is_average else judged.pct,
                    1,
                    f"{calls}&found=judged",
                    NONE_EVALUATED,
                    "evaluated_pct",
                    quiet if judged.is_average else bold,
                )
            ],
            counts=[
                Cell(row.evaluated_calls, 0, evaluated, "", "evaluated_calls"),  # what its share is of
                Cell(row.not_applicable_calls, 0, not_applicable, "", "not_applicable_calls", "n extra"),
                Cell(row.calls, 0, calls, "", "criterion_calls", "n extra"),
                *(
                    [Cell(judged.previous_calls, 0, "", "", "previous_calls", "n extra")]
                    if links.is_compared
                    else []
                ),
            ],
        )


def compare(judged: JudgedFigures) -> Change | None:
    """Return how a criterion changed since the window before; None where it cannot be compared."""
    if judged.delta_pct is None or judged.previous_pct is None:
        return None
    counts, noise = (judged.calls, judged.previous_calls), is_within_noise(judged.delta_interval)
    return Change.of(judged.delta_pct, judged.previous_pct, BETTER_UP, calls=counts, within_noise=noise)


def explain_no_change(row: ScorecardRow) -> str:
    """Return why a criterion is not compared with the window before, as a sentence."""
    if row.previous_calls and row.previous_evaluated_calls is None:
        return _("Some calls did not record whether it applies, so the two periods are not compared.")
    if row.previous_calls and not row.previous_evaluated_calls:
        return _("In the period before it applied to no call.")
    if row.previous_calls and row.calls:
        return str(NONE_EVALUATED)
    return _("Nothing was measured in the period before.") if row.calls else str(NO_CALL)


class Section(NamedTuple):
    """A section of the scorecard, in the order of the rubric."""

    name: str
    rows: list[CriterionLine]


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
        "half_heard": describe_half_heard(report.half_heard_calls, number),
        "project_without_criteria": _find_project_without_criteria(report_request.projects),
        "all_time_url": build_address("overview", report_request.scope_query),
        "calls_url": links.to(),
        "csv_query": urlencode(report_request.query),
        "csv_tables": CSV_TABLES,
    }
    if "overview" in parts:
        context |= _build_overview(report, links, targets)
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
    return context


def _build_overview(report: Report, links: Links, targets: Targets) -> TemplateContext:
    top = build_reasons([row for row in report.contact_reasons if row.topic][:ROWS_AT_FIRST], links)
    return {
        "highlights": build_highlights(report, links),
        "costly": [CriterionLine.of(row, links, targets) for row in find_costly(report.scorecard)],
        "tiles": build_tiles(TILES, report, links, targets),
        "more_tiles": build_tiles(MORE_TILES, report, links),
        "spark_notes": explain_sparks(report.trend),
        "people": describe_people(report.reviews, number),
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


def build_sections(report: Report, links: Links, targets: Targets, *, by_points_lost: bool) -> list[Section]:
    """Return the scorecard by section, or as one list with what costs most points first."""
    rows = report.scorecard
    if by_points_lost and rows:
        ordered = order_by_points_lost(rows)
        return [Section(_("By points lost"), [CriterionLine.of(row, links, targets) for row in ordered])]
    return [
        Section(name, [CriterionLine.of(row, links, targets) for row in found])
        for name, found in itertools.groupby(rows, key=lambda row: row.section)
    ]


def list_orders(report_request: ReportRequest) -> list[PartLink]:
    """Return the orders of the scorecard as links."""
    here, by_points_lost = report_request.query, report_request.view.get("order") == "lost"
    return [
        PartLink(_("Order of the rubric"), build_address("criteria", here), not by_points_lost),
        PartLink(_("By points lost"), build_address("criteria", {**here, "order": "lost"}), by_points_lost),
    ]


def find_points_lost(row: ScorecardRow) -> float | None:
    """Return how many of the 100 points of the average score a criterion costs; None if unknown."""
    if row.average_pct is None or row.weight_pct is None:
        return None
    return row.weight_pct * (100 - row.average_pct) / 100


def order_by_points_lost(rows: Sequence[ScorecardRow]) -> list[ScorecardRow]:
    """Return all criteria, those that cost most points first and those whose cost is unknown last."""
    costs = [(find_points_lost(row), row) for row in rows]
    return [row for _cost, row in sorted(costs, key=lambda cost: 1.0 if cost[0] is None else -cost[0])]


def find_costly(rows: Sequence[ScorecardRow]) -> list[ScorecardRow]:
    """Return the few criteria that cost most points of the score, most first."""
    return [row for row in order_by_points_lost(rows)[:ROWS_AT_FIRST] if (find_points_lost(row) or 0) > 0]


def describe_dots(row: ScorecardRow) -> str:
    """Return the figures of a row of the dot plot in words, each with its calls."""
    judged = judge_row(row)
    if judged.pct is None:
        return str(NONE_EVALUATED if row.calls else NO_CALL)
    parts = [
        _("%(value)s %% (n %(calls)s)") % {"value": number(judged.pct, 1), "calls": number(judged.calls)}
    ]
    if judged.interval is not None:
        bounds = write_interval(judged.interval, 1, get_language() or "")
        parts.append(_("95 %% interval %(bounds)s") % {"bounds": bounds})
    if judged.previous_pct is not None:
        before = {"value": number(judged.previous_pct, 1), "calls": number(judged.previous_calls)}
        parts.append(_("before: %(value)s %% (n %(calls)s)") % before)
    return " · ".join(parts)


def present_trend(report: Report, links: Links, *, is_one_project: bool) -> Trend | None:
    """Return the charts of the weeks, with marks where a rubric changed; None without a week."""
    weeks, changes = tuple(report.trend), tuple(report.rubric_changes)
    return build_trend(weeks, links.all_time, report.window, get_language() or "", changes, is_one_project)


def build_rates(rates: CopcRates) -> list[Rate]:
    """Return the accuracies, each with what it is taken over."""
    none_scored = "" if rates.scored_calls else _("No call in this period was scored.")
    scored = describe_scored(rates.scored_calls, number)
    critical = [
        Rate(name, getattr(rates, f"{name}_accuracy_pct"), scored, none_scored or NO_SUCH_CRITERION)
        for name in ("customer_critical", "business_critical", "compliance_critical")
    ]
    answers = describe_answers(rates.plain_answers, number)
    return [*critical, Rate("non_critical", rates.non_critical_accuracy_pct, answers, NO_PLAIN_ANSWER)]


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
