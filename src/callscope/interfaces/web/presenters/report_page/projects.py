"""Prepare the projects of a report next to each other: figures, change and target of each."""

from collections.abc import Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_lazy

from callscope.interfaces.web.presenters.report_page.agents import FIGURES, compare_scores, explain_no_change
from callscope.interfaces.web.presenters.report_page.headline import Change
from callscope.interfaces.web.presenters.report_page.parts import build_address
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell, number
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS
from callscope.reports.overview.report import ProjectRow

NOT_MEASURED = gettext_lazy("Nothing was measured in this project's calls.")
NONE_BEFORE = gettext_lazy("No call of the project was scored in the period before.")
SHOWN = ("average_score", "critical_error_pct", "goal_reached_pct")


class ProjectLine(NamedTuple):
    row: ProjectRow
    url: str  # of the report of this project alone, in the same period
    score: list[Cell]  # calls and average score
    shares: list[Cell]
    change: Change | None  # of the average score
    no_change: str  # why there is none
    target: str  # in percent; "" without one
    is_few: bool  # so few scored calls that a word about its target would be a verdict on chance


def build_projects(rows: Sequence[ProjectRow], report_request: ReportRequest) -> list[ProjectLine]:
    """Return the lines, in the order of the rows."""
    return [build_line(row, report_request) for row in rows]


def build_line(row: ProjectRow, report_request: ReportRequest) -> ProjectLine:
    query = {"project_id": str(row.project_id), **report_request.window_query}
    calls = with_query(reverse("web:calls"), query)
    score, *shares = [
        Cell(
            getattr(row, name),
            1,
            f"{calls}&{FIGURES[name]}",
            WAITS if getattr(row, COUNTED_OVER[name]) else NOT_MEASURED,
            name,
            # The calls of the row stand next to it; where a figure is of fewer, it says so itself.
            out_of=base if (base := getattr(row, COUNTED_OVER[name])) != row.total_calls else None,
            interval=getattr(row, f"{name}_interval"),
            has_short=True,
        )
        for name in SHOWN
    ]
    target = row.target
    return ProjectLine(
        row=row,
        url=build_address("overview", query),
        score=[Cell(row.total_calls, 0, calls, NOT_MEASURED, "total_calls"), score],
        shares=shares,
        change=compare_scores(row),
        no_change=str(explain_no_change(row, NONE_BEFORE, NOT_MEASURED)),
        target="" if target is None else number(target, 0 if target == round(target) else 1),
        is_few=row.scored_calls < FEW_CALLS,
    )
