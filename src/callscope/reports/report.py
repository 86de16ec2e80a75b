"""The report: what the findings of many calls say together.

Shapes and rules: docs/api.md, "Report object" and "Figures". Every percentage
is exact until it is rounded half-even to two decimals, and None when nothing
was measured. render.py makes a Report of sums; this module says what it holds.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from callscope.projects.models import Project
from callscope.reports.window import Window


@dataclass(frozen=True, slots=True)
class Headline:
    total_calls: int
    analyzed_hours: float
    average_score: float | None  # plain mean of call scores
    weighted_compliance: float | None  # points over possible points, percent
    scored_calls: int
    critical_error_pct: float | None  # of scored calls
    negative_sentiment_pct: float | None  # of calls with a sentiment
    goal_reached_pct: float | None  # of calls with a known outcome
    calls_with_metadata: int  # whose time came by API or manifest


@dataclass(frozen=True, slots=True)
class ScorecardRow:
    criterion_id: str
    name: str
    section: str
    weight_pct: float | None
    average_pct: float | None  # includes not-applicable calls, which earn full points
    previous_pct: float | None
    delta_pct: float | None
    critical_errors: int
    calls: int
    evaluated_calls: int
    not_applicable_calls: int
    evaluated_pct: float | None = (
        None  # the average over evaluated calls alone; only pages and the PDF show it
    )


@dataclass(frozen=True, slots=True)
class TrendBucket:
    week: dt.date  # the Monday
    calls: int
    average_score: float | None
    negative_sentiment_pct: float | None
    critical_error_pct: float | None = None  # this and the next: only pages show them
    goal_reached_pct: float | None = None


@dataclass(frozen=True, slots=True)
class ContactReasonRow:
    topic: str  # "" in the trailing row that holds everything else
    calls: int
    volume_pct: float  # of the calls that have a topic
    other_topics: int | None = None  # only in the trailing row: how many topics it holds


@dataclass(frozen=True, slots=True)
class AgentRow:
    agent: str
    agent_id: int
    calls: int
    average_score: float | None
    critical_error_pct: float | None
    negative_sentiment_pct: float | None
    goal_reached_pct: float | None


@dataclass(frozen=True, slots=True)
class ShiftRow:
    shift: str  # day or night
    headline: Headline


@dataclass(frozen=True, slots=True)
class ShiftHours:
    day_start: int | None  # None when the projects in scope differ, or there is none
    day_end: int | None


@dataclass(frozen=True, slots=True)
class CopcRates:
    """Accuracy by class of error, percent.

    Critical: scored calls without such an error over scored calls. Non-critical:
    criteria that are not critical and earned full points, over those evaluated.
    """

    customer_critical_accuracy_pct: float | None
    business_critical_accuracy_pct: float | None
    compliance_critical_accuracy_pct: float | None
    non_critical_accuracy_pct: float | None


@dataclass(frozen=True, slots=True)
class Report:
    window: Window
    total_calls_all_time: int
    headline: Headline
    scorecard: list[ScorecardRow]
    trend: list[TrendBucket]
    contact_reasons: list[ContactReasonRow]
    agents: list[AgentRow]
    shifts: list[ShiftRow]
    shift_hours: ShiftHours
    copc_rates: CopcRates
    previous_headline: Headline | None = None  # of the window before; only pages and the PDF show it


def build_report(projects: Sequence[Project], window: Window) -> Report:
    """Return the report over the live calls of these projects, read in one snapshot."""
    from callscope.reports import render, source

    return render.report(source.read(list(projects), window))


def report_json(report: Report) -> dict[str, Any]:
    """Return the report as the interface shows it, ready for json.dumps."""
    start, end = report.window.start_at, report.window.end_at
    return {
        "date_range": {
            "start": None if start is None else start.isoformat(),
            "end": None if end is None else end.isoformat(),
            "preset": report.window.preset,
        },
        "total_calls_all_time": report.total_calls_all_time,
        "headline": _plain(report.headline),
        "scorecard": [_criterion_json(row) for row in report.scorecard],
        "trend": [_week_json(bucket) for bucket in report.trend],
        "contact_reasons": [_reason_json(row) for row in report.contact_reasons],
        "agents": [_plain(row) for row in report.agents],
        "shifts": [{"shift": row.shift, **_plain(row.headline)} for row in report.shifts],
        "shift_hours": _plain(report.shift_hours),
        "copc_rates": _plain(report.copc_rates),
    }


def _week_json(bucket: TrendBucket) -> dict[str, Any]:
    shown = _plain(bucket) | {"week": bucket.week.isoformat()}
    del shown["critical_error_pct"], shown["goal_reached_pct"]
    return shown


def _criterion_json(row: ScorecardRow) -> dict[str, Any]:
    shown = _plain(row)
    del shown["evaluated_pct"]
    return shown


def _reason_json(row: ContactReasonRow) -> dict[str, Any]:
    shown = _plain(row)
    if row.other_topics is None:
        del shown["other_topics"]
    return shown


def _plain(row: Any) -> dict[str, Any]:
    """Return the fields of a flat row; dataclasses.asdict takes ten times as long over nested ones."""
    return {name: getattr(row, name) for name in row.__slots__}
