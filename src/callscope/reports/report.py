"""The report: what the findings of many calls say together.

source.py reads the sums of the calls, render.py makes figures of them; the shapes
stand in figures.py.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from callscope.projects.models import Project
from callscope.reports import render, source
from callscope.reports.figures import (
    AgentRow,
    ContactReasonRow,
    CopcRates,
    Headline,
    Report,
    ScorecardRow,
    ShiftHours,
    ShiftRow,
    TrendBucket,
)
from callscope.reports.window import Window

__all__ = [
    "AgentRow",
    "ContactReasonRow",
    "CopcRates",
    "Headline",
    "Report",
    "ScorecardRow",
    "ShiftHours",
    "ShiftRow",
    "TrendBucket",
    "build_report",
    "report_json",
]


def build_report(projects: Sequence[Project], window: Window) -> Report:
    """Return the report over the live calls of these projects, read in one snapshot."""
    return render.report(source.read(list(projects), window))


def _shown(moment: dt.datetime | None) -> str | None:
    """Return the moment, its offset in whole minutes: ISO 8601 has no seconds there, local mean times do."""
    if moment is None:
        return None
    minutes = round((moment.utcoffset() or dt.timedelta()) / dt.timedelta(minutes=1))
    return moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes))).isoformat()


def report_json(report: Report) -> dict[str, Any]:
    """Return the report as the interface shows it, ready for json.dumps."""
    start, end = report.window.start_at, report.window.end_at
    return {
        "date_range": {
            "start": _shown(start),
            "end": _shown(end),
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
