"""The tables of a report as rows for CSV, headed by the field names of the API."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
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
    head = [field.name for field in fields(kind)]
    return head, [[getattr(row, name) for name in head] for row in rows]


TABLES: dict[str, Callable[[Report], Table]] = {
    "headline": lambda report: _rows(Headline, [report.headline]),
    "scorecard": lambda report: _rows(ScorecardRow, report.scorecard),
    "trend": lambda report: _rows(TrendBucket, report.trend),
    "contact-reasons": lambda report: _rows(ContactReasonRow, report.contact_reasons),
    "agents": lambda report: _rows(AgentRow, report.agents),
    "shifts": lambda report: (
        ["shift", *(field.name for field in fields(Headline))],
        [[row.shift, *asdict(row.headline).values()] for row in report.shifts],
    ),
}
