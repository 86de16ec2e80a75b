"""The tables of a report as rows for CSV and Excel, headed by the field names of the API.

Weekdays are named in the active language.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from callscope.projects.models import Project
from callscope.reports.call_list.exported import AGENT_ID
from callscope.reports.overview.findings import FindingRow, find_in_window
from callscope.reports.overview.kept_back.calls import NOTHING_KEPT, KeptBack
from callscope.reports.overview.kept_back.other_figures import hide_in_findings, hide_in_hours, hide_in_map
from callscope.reports.overview.kept_back.whole_report import hide_in_report
from callscope.reports.overview.maps.agent_criteria import MapCell, RowName, build_agent_map
from callscope.reports.overview.maps.shades import WEEKDAYS
from callscope.reports.overview.maps.week_hours import HourFigure, count_week_hours
from callscope.reports.overview.report import (
    AgentRow,
    ContactReasonRow,
    Headline,
    ReasonGroupRow,
    Report,
    ScorecardRow,
    TrendBucket,
    build_report,
)
from callscope.reports.overview.talk_means import NAMES
from callscope.reports.window import Window

Table = tuple[list[str], list[list[Any]]]
Shown = Callable[[KeptBack], Table]  # a table that is counted, by the calls that are kept from its reader
JUDGED_COLUMNS = (
    "criterion_id",
    "name",
    "section",
    "weight_pct",
    "evaluated_pct",
    "evaluated_pct_interval",
    "judged_calls",
    "previous_evaluated_pct",
    "previous_evaluated_calls",
    "evaluated_delta_pct",
    "evaluated_delta_pct_interval",
)

HIDDEN = "blind_review"  # why figures are left out: a rating in a calibration is one, too
NEVER_HIDDEN = {"contact-reasons", "reason-groups"}  # no review asks for them
# Counts that say how calls were judged: they are left out with the figures that count them, see kept_back.
COUNTED_ANSWERS = {
    ScorecardRow: ("evaluated_calls", "not_applicable_calls", "judged_calls", "critical_errors"),
    FindingRow: ("calls", "decided_calls"),
    MapCell: ("calls", "not_met"),
}


def _rows(kind: type[Any], rows: Sequence[Any]) -> Table:
    return _columns([field.name for field in fields(kind)], rows)


def _columns(names: Sequence[str], rows: Sequence[Any]) -> Table:
    """Return the rows; an interval takes two columns, its bounds, and so does each mean."""
    head = [column for name in names for column in _head(name)]
    return head, [[cell for name in names for cell in _cells(row, name)] for row in rows]


def _head(name: str) -> Sequence[str]:
    if name.endswith("_interval"):
        stem = name.removesuffix("_interval")
        return f"{stem}_low", f"{stem}_high"
    if name == "talk":
        return [column for measure in NAMES for column in (f"mean_{measure}", f"{measure}_calls")]
    return ("changed_in_version", "changed_at") if name == "changed_in" else (name,)


def _cells(row: Any, name: str) -> Sequence[Any]:
    value = getattr(row, name)
    if name in COUNTED_ANSWERS.get(type(row), ()) and row.is_kept_back:
        return (None,)
    if name.endswith("_interval"):
        return value or (None, None)
    if name == "talk":
        return [cell for measure in NAMES for cell in (value or {}).get(measure, (None, 0))]
    if name == "critical_errors" and isinstance(row, ScorecardRow):
        return (row.shown_critical_errors,)
    if name == "changed_in":
        return (value.version, value.published_at) if value else (None, None)
    return (value,)


def scorecard_rows(report: Report) -> Table:
    """Return the criteria: first where they apply, as the page shows them, then what the interface counts."""
    left_out = {*JUDGED_COLUMNS, "unused_change"}  # it has no figures
    rest = [field.name for field in fields(ScorecardRow) if field.name not in left_out]
    return _columns([*JUDGED_COLUMNS, *rest], report.scorecard)


def agent_rows(report: Report) -> Table:
    names = [field.name for field in fields(AgentRow) if field.name not in ("external_id", "place")]
    head, rows = _columns(names, report.agents)
    return [*head, AGENT_ID], [
        [*cells, row.external_id] for row, cells in zip(report.agents, rows, strict=True)
    ]


def _shifts(report: Report) -> Table:
    head, rows = _rows(Headline, [row.headline for row in report.shifts])
    shifts = zip(report.shifts, rows, strict=True)
    return ["shift", *head], [[shift.shift, *cells] for shift, cells in shifts]


def reason_group_rows(report: Report) -> Table:
    """Return the reasons by parent reason, each with the calls that its share is taken over."""
    head, rows = _rows(ReasonGroupRow, report.reason_groups)
    base = sum(row.calls for row in report.reason_groups)
    return [*head, "calls_with_reason"], [[*cells, base] for cells in rows]


def finding_rows(rows: Sequence[FindingRow]) -> Table:
    """Return mistakes or missed prompts; their weeks are in the JSON of the API."""
    head, cells = _rows(FindingRow, rows)
    return head[:-1], [row[:-1] for row in cells]


def prepare_agent_criteria(projects: Sequence[Project], window: Window, agent_id: int | None) -> Shown:
    """Return a row for each agent and criterion of the window, those that the page leaves out included."""
    report = build_report(projects, window, agent_id)
    found = build_agent_map(report, projects, window, agent_id, is_whole=True)
    names = [field.name for field in fields(MapCell)]

    def show(kept: KeptBack) -> Table:
        rows = [
            [
                *(each.agent, each.agent_id, *key),
                *(value for name in names for value in _cells(cell, name)),
                each.external_id,
            ]
            for each in hide_in_map(found, kept.within(window)).agents
            for key, cell in zip(found.criteria, each.cells, strict=True)
        ]
        return ["agent", "agent_id", *RowName._fields, *names, AGENT_ID], rows

    return show


def prepare_week_hours(projects: Sequence[Project], window: Window, agent_id: int | None) -> Shown:
    """Return a row for each weekday and hour, from Monday at 0 on, with the day's name."""
    found = count_week_hours(projects, window, agent_id)

    def show(kept: KeptBack) -> Table:
        [_weekday, *head], rows = _rows(HourFigure, hide_in_hours(found, kept.within(window)).hours)
        named = [[day, str(WEEKDAYS[day]), *cells] for day, *cells in rows]
        return ["weekday", "weekday_name", *head], named

    return show


def prepare_contact_reasons(projects: Sequence[Project], window: Window, agent_id: int | None) -> Shown:
    """Return all contact reasons, each with the names of the projects of its calls, most calls first.

    No review asks the reason of a call.
    """
    names = {project.pk: project.name for project in projects}
    reasons = build_report(projects, window, agent_id, most_reasons=None).contact_reasons
    head, rows = _rows(ContactReasonRow, reasons)
    own = head.index("projects")
    for reason, row in zip(reasons, rows, strict=True):
        row[own] = "; ".join(names[project] for project in reason.projects)
    return lambda _kept: (head, rows)


def list_rows(
    table: str, projects: Sequence[Project], window: Window, agent_id: int | None, kept: KeptBack
) -> Table:
    """Return a table by its name; its last column says why cells are empty that are kept from the reader."""
    show = prepare_table(table, projects, window, agent_id)
    head, rows = show(kept)
    if table in NEVER_HIDDEN:
        return head, rows
    whole = show(NOTHING_KEPT)[1] if kept else rows
    why = ["" if row == each else HIDDEN for row, each in zip(rows, whole, strict=True)]
    return [*head, "figures_hidden"], [[*row, each] for row, each in zip(rows, why, strict=True)]


def prepare_table(table: str, projects: Sequence[Project], window: Window, agent_id: int | None) -> Shown:
    """Count a table, once however often it is shown."""
    scope = projects, window, agent_id
    if table in SCOPED_TABLES:
        return SCOPED_TABLES[table](*scope)
    if table in FINDING_TABLES:
        found = find_in_window(*scope)
        return lambda kept: finding_rows(
            getattr(hide_in_findings(found, window, kept), FINDING_TABLES[table])
        )
    report = build_report(*scope)
    return lambda kept: TABLES[table](hide_in_report(report, kept, projects))


#: Tables that are counted by themselves, or that need more than the report.
SCOPED_TABLES = {
    "agent-criteria": prepare_agent_criteria,
    "contact-reasons": prepare_contact_reasons,
    "week-hours": prepare_week_hours,
}
FINDING_TABLES = {"mistakes": "mistakes", "missed-prompts": "missed_prompts"}  # and their fields of Findings
TABLES: dict[str, Callable[[Report], Table]] = {
    "headline": lambda report: _rows(Headline, [report.headline]),
    "scorecard": scorecard_rows,
    "trend": lambda report: _rows(TrendBucket, report.trend),
    "reason-groups": reason_group_rows,
    "agents": agent_rows,
    "shifts": _shifts,
}
