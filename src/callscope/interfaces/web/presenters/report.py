"""Prepare a report for its page: figures with their change, links to their calls, charts."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import quote_plus, urlencode

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.trend import build_trend
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import Cell, number
from callscope.projects.models import Project
from callscope.reports import charts
from callscope.reports.overview.coverage import describe_coverage, describe_failed, describe_half_heard
from callscope.reports.overview.report import (
    AgentRow,
    ContactReasonRow,
    Headline,
    Report,
    ScorecardRow,
    TrackerRow,
)

AGENTS_AT_FIRST = 25
FEW_CALLS = 10  # below this a mean says little about a person
BETTER_UP, BETTER_DOWN, NEITHER = 1, -1, 0


class TileSpec(NamedTuple):
    """How one figure of the headline is shown."""

    name: str  # its field
    decimals: int
    better: int  # which way is better
    filters: dict[str, str]  # of the calls that it counts


TILES = (
    TileSpec("total_calls", 0, NEITHER, {}),
    TileSpec("average_score", 1, BETTER_UP, {"ordering": "score_percentage", "scored": "true"}),
    TileSpec("critical_error_pct", 1, BETTER_DOWN, {"critical": "true"}),
    TileSpec("negative_sentiment_pct", 1, BETTER_DOWN, {"sentiment": "negative"}),
    TileSpec("goal_reached_pct", 1, BETTER_UP, {"goal": "true"}),
)
# Those of the second row, which need no spark line.
MORE_TILES = (
    TileSpec("weighted_compliance", 1, BETTER_UP, {"ordering": "score_percentage", "scored": "true"}),
    TileSpec("scored_calls", 0, NEITHER, {"scored": "true"}),
    TileSpec("calls_with_metadata", 0, NEITHER, {"timed": "true"}),
    TileSpec("analyzed_hours", 1, NEITHER, {}),
)
CSV_TABLES = (
    ("headline", gettext_lazy("Headline")),
    ("scorecard", gettext_lazy("Scorecard")),
    ("trend", gettext_lazy("Trend by week")),
    ("contact-reasons", gettext_lazy("Contact reasons")),
    ("agents", gettext_lazy("Agents")),
    ("shifts", gettext_lazy("Shifts")),
)
REASONS_FOR_NONE = {
    "average_score": "not_scored",
    "weighted_compliance": "not_scored",
    "critical_error_pct": "not_scored",
    "negative_sentiment_pct": "no_sentiment",
    "goal_reached_pct": "no_outcome",
}
# Why a cell is empty.
RETIRED = gettext_lazy("This criterion is no longer in the rubric.")
NO_CALL = gettext_lazy("No call in this window carries this criterion.")
NONE_EVALUATED = gettext_lazy("No call in this window recorded that the criterion applies.")
NOT_MEASURED = gettext_lazy("Nothing was measured in this agent's calls.")


@dataclass(frozen=True, slots=True)
class Change:
    """The difference to the window before, and whether it is good."""

    by: float
    decimals: int
    css_class: str  # up or down, and good or bad where one way is better
    before: float

    @classmethod
    def between(
        cls, now: float | None, before: float | None, better: int, decimals: int = 1
    ) -> "Change | None":
        if now is None or before is None:
            return None
        return cls.of(now - before, before, better, decimals)

    @classmethod
    def of(cls, by: float, before: float, better: int, decimals: int = 1) -> "Change":
        moved = round(Decimal(str(by)), decimals)  # as the figure next to it is rounded
        direction = "up" if moved > 0 else "down" if moved < 0 else ""
        judged = "" if not moved or not better else "good" if moved * better > 0 else "bad"
        return cls(by, decimals, f"{direction} {judged}".strip(), before)


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: float | int | None
    decimals: int
    reason: str  # why there is no value
    coverage: str  # how many calls it is a share of, where that is not all
    change: Change | None
    url: str
    spark: SafeString


class Rate(NamedTuple):
    name: str
    value: float | None


@dataclass(frozen=True, slots=True)
class CriterionLine:
    """One criterion of the scorecard."""

    row: ScorecardRow
    weight: list[Cell]
    average: list[Cell]
    bar: SafeString
    change: Change | None
    critical_url: str
    where_it_applies: list[Cell]
    counts: list[Cell]

    @classmethod
    def of(cls, row: ScorecardRow, links: "Links") -> "CriterionLine":
        change = None
        if row.delta_pct is not None and row.previous_pct is not None:
            change = Change.of(row.delta_pct, row.previous_pct, BETTER_UP)
        calls = links.to(criterion=row.criterion_id)
        evaluated, not_applicable = f"{calls}&found=evaluated", f"{calls}&found=not_applicable"
        return cls(
            row=row,
            weight=[Cell(row.weight_pct, 1, "", RETIRED, "weight_pct", "n late")],
            average=[Cell(row.average_pct, 1, calls, NO_CALL, "average_pct", "n strong")],
            bar=mark_safe(charts.share_svg(row.average_pct, before_pct=row.previous_pct)),  # noqa: S308 - numbers
            change=change,
            critical_url=f"{calls}&found=critical",
            where_it_applies=[Cell(row.evaluated_pct, 1, evaluated, NONE_EVALUATED, column="evaluated_pct")],
            counts=[
                Cell(row.evaluated_calls, 0, evaluated, column="evaluated_calls"),
                Cell(row.not_applicable_calls, 0, not_applicable, column="not_applicable_calls"),
                Cell(row.calls, 0, calls, column="criterion_calls"),
            ],
        )


class Section(NamedTuple):
    """A section of the scorecard, in the order of the rubric."""

    name: str
    rows: list[CriterionLine]


class ReasonLine(NamedTuple):
    row: ContactReasonRow
    bar: SafeString | str
    url: str


class TrackerLine(NamedTuple):
    row: TrackerRow
    spark: SafeString
    url: str


class AgentLine(NamedTuple):
    row: AgentRow
    is_few: bool  # so few calls that the figures say little about a person
    url: str
    cells: list[Cell]


class ShiftLine(NamedTuple):
    name: str
    row: Headline
    url: str
    score_url: str
    critical_url: str
    negative_url: str
    goal_url: str


def build_report_context(report: Report, report_request: ReportRequest) -> TemplateContext:
    """Return the context of the report's template."""
    links = Links(report_request)
    rates = report.copc_rates
    agents = report.agents if report_request.wants_all_agents else report.agents[:AGENTS_AT_FIRST]
    all_agents_url = with_query(reverse("web:report"), {**report_request.query, "agents": "all"})
    return {
        "report": report,
        "tiles": _tiles(TILES, report, links),
        "more_tiles": _tiles(MORE_TILES, report, links),
        "rates": [
            Rate("customer_critical", rates.customer_critical_accuracy_pct),
            Rate("business_critical", rates.business_critical_accuracy_pct),
            Rate("compliance_critical", rates.compliance_critical_accuracy_pct),
            Rate("non_critical", rates.non_critical_accuracy_pct),
        ],
        "has_previous": report.window.previous() is not None,
        "previous": report.window.previous(),
        "sections": [
            Section(name, [CriterionLine.of(row, links) for row in rows])
            for name, rows in itertools.groupby(report.scorecard, key=lambda row: row.section)
        ],
        "trend": build_trend(tuple(report.trend), links.all_time, report.window, get_language() or ""),
        "reasons": _reasons(report.contact_reasons, links),
        "trackers": [
            TrackerLine(
                row=row,
                spark=mark_safe(charts.spark_svg([week.calls for week in row.weeks], low=0)),  # noqa: S308
                url=links.to(tracker=row.id),
            )
            for row in report.trackers
        ],
        "agents": [_agent(row, links) for row in agents],
        "agent_count": len(report.agents),
        "all_agents_url": all_agents_url if len(agents) < len(report.agents) else "",
        "shifts": [
            ShiftLine(
                name=row.shift,
                row=row.headline,
                url=links.to(shift=row.shift),
                score_url=links.to(shift=row.shift, ordering="score_percentage"),
                critical_url=links.to(shift=row.shift, critical="true"),
                negative_url=links.to(shift=row.shift, sentiment="negative"),
                goal_url=links.to(shift=row.shift, goal="true"),
            )
            for row in report.shifts
        ],
        "quotes_rule": _quotes_rule(report_request.projects),
        "half_heard": describe_half_heard(report.half_heard_calls, number),
        "failed": describe_failed(report.failed_calls, number),
        "failed_url": _failed_url(report_request),
        "all_time_url": with_query(reverse("web:report"), report_request.scope_query),
        "calls_url": links.to(),
        "csv_query": urlencode(report_request.query),
        "csv_tables": CSV_TABLES,
    }


def _failed_url(report_request: ReportRequest) -> str:
    """Return the address of the failed files; "" where the scope holds several projects."""
    if len(report_request.projects) != 1:
        return ""
    return reverse("web:project-files", args=[report_request.projects[0].pk]) + "?state=failed"


def _quotes_rule(projects: Sequence[Project]) -> str:
    """Return the definition that says whether points need quotes, by the settings of the projects."""
    # The stored documents, not parsed: a scope may hold hundreds of projects.
    counting = [p.config.get("rubric", {}).get("on_unverified") == "count" for p in projects]
    if not any(counting):
        return "quotes_required"
    return "quotes_not_required" if all(counting) else "quotes_required_in_some"


class Links:
    """Links to the calls of a figure, in the scope and window of the report."""

    def __init__(self, report_request: ReportRequest) -> None:
        self.url = reverse("web:calls")
        self.all_time = (
            f"{with_query(self.url, report_request.scope_query)}{'&' if report_request.scope_query else '?'}"
        )
        self.start = with_query(self.url, report_request.query)
        self.joint = "&" if report_request.query else "?"

    def to(self, **filters: object) -> str:
        if not filters:
            return self.start
        return self.start + self.joint + "&".join([f"{k}={quote_plus(str(v))}" for k, v in filters.items()])


def reason_for_none(name: str) -> str:
    """Return why a figure is not there, as a sentence."""
    return {
        "not_scored": _("No call in this window was scored."),
        "no_sentiment": _("No call in this window has a known sentiment."),
        "no_outcome": _("No call in this window has a known outcome."),
    }.get(REASONS_FOR_NONE.get(name, ""), _("Nothing was measured in this window."))


def _tiles(specs: Sequence[TileSpec], report: Report, links: Links) -> list[Tile]:
    before = report.previous_headline
    sparks = {"total_calls": charts.spark_svg([bucket.calls for bucket in report.trend], low=0)}
    for name in ("average_score", "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct"):
        sparks[name] = charts.spark_svg([getattr(bucket, name) for bucket in report.trend])
    return [
        Tile(
            name=name,
            value=(value := getattr(report.headline, name)),
            decimals=decimals,
            reason=reason_for_none(name),
            coverage=describe_coverage(name, report.headline, number),
            change=Change.between(value, getattr(before, name) if before else None, better, decimals),
            url=links.to(**filters),
            spark=mark_safe(sparks.get(name, "")),  # noqa: S308 - numbers alone go into it
        )
        for name, decimals, better, filters in specs
    ]


def _reasons(rows: list[ContactReasonRow], links: Links) -> list[ReasonLine]:
    """Return the reasons; the longest bar is that of the most frequent one, the rest have none."""
    most = max([row.volume_pct or 0.0 for row in rows if row.topic], default=0.0) or 1.0
    return [
        ReasonLine(
            row=row,
            bar=mark_safe(charts.share_svg(100 * (row.volume_pct or 0.0) / most, "bar plain"))  # noqa: S308
            if row.topic
            else "",
            url=links.to(topic=row.topic) if row.topic else "",
        )
        for row in rows
    ]


def _agent(row: AgentRow, links: Links) -> AgentLine:
    calls = links.to(agent=row.agent_id)
    return AgentLine(
        row=row,
        is_few=row.calls < FEW_CALLS,
        url=calls,
        cells=[
            Cell(value, decimals, url, NOT_MEASURED, column)
            for value, decimals, column, url in (
                (row.calls, 0, "total_calls", calls),
                (row.average_score, 1, "average_score", f"{calls}&ordering=score_percentage"),
                (row.critical_error_pct, 1, "critical_error_pct", f"{calls}&critical=true"),
                (row.negative_sentiment_pct, 1, "negative_sentiment_pct", f"{calls}&sentiment=negative"),
                (row.goal_reached_pct, 1, "goal_reached_pct", f"{calls}&goal=true"),
            )
        ],
    )
