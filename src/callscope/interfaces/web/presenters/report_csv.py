"""The tables of a report as rows for CSV, headed by the field names of the API."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from callscope.reports.overview.report import (
    AgentRow,
    ContactReasonRow,
    Headline,
    Report,
    ScorecardRow,
    TrendBucket,
)

Table = tuple[list[str], list[list[Any]]]


def _rows(kind: type[Any], rows: Sequence[Any]) -> Table:
    """Return the rows; an interval takes two columns, its bounds."""
    head: list[str] = []
    for field in fields(kind):
        stem = field.name.removesuffix("_interval")
        head += [field.name] if stem == field.name else [f"{stem}_low", f"{stem}_high"]
    return head, [[cell for field in fields(kind) for cell in _cells(row, field.name)] for row in rows]


def _cells(row: Any, name: str) -> Sequence[Any]:
    value = getattr(row, name)
    return (value or (None, None)) if name.endswith("_interval") else (value,)


def _shifts(report: Report) -> Table:
    head, rows = _rows(Headline, [row.headline for row in report.shifts])
    shifts = zip(report.shifts, rows, strict=True)
    return ["shift", *head], [[shift.shift, *cells] for shift, cells in shifts]


TABLES: dict[str, Callable[[Report], Table]] = {
    "headline": lambda report: _rows(Headline, [report.headline]),
    "scorecard": lambda report: _rows(ScorecardRow, report.scorecard),
    "trend": lambda report: _rows(TrendBucket, report.trend),
    "contact-reasons": lambda report: _rows(ContactReasonRow, report.contact_reasons),
    "agents": lambda report: _rows(AgentRow, report.agents),
    "shifts": _shifts,
}
