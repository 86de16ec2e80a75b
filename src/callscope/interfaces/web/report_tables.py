"""The tables of a report as rows for CSV. Heads are the API's field names, so that both read alike."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from typing import Any

from callscope.reports.report import (
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


def _shifts(report: Report) -> Table:
    head = ["shift", *(field.name for field in fields(Headline))]
    return head, [[row.shift, *asdict(row.headline).values()] for row in report.shifts]


TABLES: dict[str, Callable[[Report], Table]] = {
    "headline": lambda report: _rows(Headline, [report.headline]),
    "scorecard": lambda report: _rows(ScorecardRow, report.scorecard),
    "trend": lambda report: _rows(TrendBucket, report.trend),
    "contact-reasons": lambda report: _rows(ContactReasonRow, report.contact_reasons),
    "agents": lambda report: _rows(AgentRow, report.agents),
    "shifts": _shifts,
}
