"""The report: what the findings of many calls say together.

build_report() is the entrance of the package; report_json() is the report as the API answers it.
"""

import dataclasses
import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from callscope.projects.models import Project
from callscope.projects.rubric_changes import RubricChange
from callscope.reports.overview import builder, loader
from callscope.reports.overview.schemas import (
    AgentRow,
    ContactReasonRow,
    CopcRates,
    CriterionChange,
    FigureDifference,
    Headline,
    MeasureMean,
    ProjectRow,
    ReasonGroupRow,
    Report,
    ScorecardRow,
    ShiftHours,
    ShiftRow,
    TrackerRow,
    TrendBucket,
)
from callscope.reports.window import Window, day_of, find_week

__all__ = [
    "AgentRow",
    "ContactReasonRow",
    "CopcRates",
    "CriterionChange",
    "FigureDifference",
    "Headline",
    "MeasureMean",
    "ProjectRow",
    "ReasonGroupRow",
    "Report",
    "RubricChange",
    "ScorecardRow",
    "ShiftHours",
    "ShiftRow",
    "TrackerRow",
    "TrendBucket",
    "build_report",
    "report_json",
]

# Only pages and the PDF show these; the interface has no such fields.
NOT_IN_TREND = ("critical_error_pct", "goal_reached_pct", "is_part", "outcome_calls")
NOT_IN_SCORECARD = ("previous_calls", "points_lost", "unused_change")
NOT_IN_REASONS = ("projects",)
NOT_IN_AGENTS = (
    "previous_average_score",
    "previous_scored_calls",
    "average_score_change",
    "average_score_change_interval",
    "external_id",
    "place",
)
NOT_IN_RATES = (
    "customer_critical_calls",
    "business_critical_calls",
    "compliance_critical_calls",
    "plain_answers",
    "scored_calls",
)
NOT_IN_VERSIONS = ("project_name", "repeats")
NOT_IN_REVIEWS = ("counted_score", "outdated_samples")


def build_report(
    projects: Sequence[Project],
    window: Window,
    agent_id: int | None = None,
    *,
    compares_projects: bool = False,
    most_reasons: int | None = builder.TOP_REASONS,
    is_drawn: bool = False,
) -> Report:
    """Return the report over the live calls of these projects, read in one snapshot.

    With `agent_id`, over the calls that this agent has in one project, and nothing else. Only with
    `compares_projects` it has a row for each project. None is all for `most_reasons`.
    `is_drawn` is for people who look at charts: their trend ends with the current week.
    """
    data = loader.load_report_data(list(projects), window, agent_id)
    report = builder.assemble_report(data, compares_projects=compares_projects, most_reasons=most_reasons)
    return leave_out_weeks_to_come(report, data.today) if is_drawn and data.today is not None else report


def leave_out_weeks_to_come(report: Report, today: int) -> Report:
    """Return the report without weeks after that of `today`: a slip in a year would add hundreds of them."""
    current = find_week(today)
    undrawn = sum(bucket.calls for bucket in report.trend if bucket.week > current)
    return dataclasses.replace(
        report,
        trend=[bucket for bucket in report.trend if bucket.week <= current],
        trackers=[
            dataclasses.replace(row, weeks=[each for each in row.weeks if each.week <= current])
            for row in report.trackers
        ],
        undrawn_calls=undrawn,
    )


def report_json(report: Report) -> dict[str, Any]:
    """Return the report as the interface shows it, ready for json.dumps."""
    return {
        "date_range": {
            "start": _iso_moment(report.window.start_at),
            "end": _iso_moment(report.window.end_at),
            "preset": report.window.preset,
        },
        "total_calls_all_time": report.total_calls_all_time,
        "headline": _row_json(report.headline),
        "scorecard": [
            _row_json(row, without=NOT_IN_SCORECARD)
            | {"changed_in": row.changed_in and _change_json(row.changed_in)}
            for row in report.scorecard
        ],
        "trend": [
            _row_json(bucket, without=NOT_IN_TREND) | {"week": bucket.week.isoformat()}
            for bucket in report.trend
        ],
        "contact_reasons": [
            _row_json(row, without=NOT_IN_REASONS + (("other_topics",) if row.other_topics is None else ()))
            for row in report.contact_reasons
        ],
        "reason_groups": [_row_json(row) for row in report.reason_groups],
        "trackers": [
            _row_json(row)
            | {"weeks": [{"week": each.week.isoformat(), "calls": each.calls} for each in row.weeks]}
            for row in report.trackers
        ],
        "agents": [
            _row_json(row, without=NOT_IN_AGENTS) | {"talk": row.talk and _talk_json(row.talk)}
            for row in report.agents
        ],
        "shifts": [{"shift": row.shift, **_row_json(row.headline)} for row in report.shifts],
        "shift_hours": _row_json(report.shift_hours),
        "copc_rates": _row_json(report.copc_rates, without=NOT_IN_RATES),
        "changes": [_row_json(each) for each in report.changes],
        "shift_differences": [_row_json(each) for each in report.shift_differences],
        "failed_calls": report.failed_calls,
        "reviews": _row_json(report.reviews, without=NOT_IN_REVIEWS),
        "rubric_versions": [
            _change_json(each, without=NOT_IN_VERSIONS)
            | {"week": find_week(day_of(each.published_at)).isoformat()}
            for each in report.rubric_changes
        ],
    }


def _iso_moment(moment: dt.datetime | None) -> str | None:
    """Return the moment, its offset in whole minutes: ISO 8601 has no seconds there, local mean times do."""
    if moment is None:
        return None
    minutes = round((moment.utcoffset() or dt.timedelta()) / dt.timedelta(minutes=1))
    return moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes))).isoformat()


def _change_json(change: RubricChange | CriterionChange, *, without: Collection[str] = ()) -> dict[str, Any]:
    return _row_json(change, without=without) | {
        "published_at": change.published_at.astimezone(dt.UTC).isoformat()
    }


def _talk_json(talk: Mapping[str, MeasureMean]) -> dict[str, object]:
    return {name: measure._asdict() for name, measure in talk.items()}


def _row_json(row: Any, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Return the fields of a flat row; dataclasses.asdict takes ten times as long over nested ones."""
    return {name: getattr(row, name) for name in row.__slots__ if name not in without}
