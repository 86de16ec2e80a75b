"""The rows of the scorecard as texts for the PDF, each with its dots."""

from collections.abc import Sequence
from typing import TypedDict

from callscope.reports import charts
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.report import ScorecardRow
from callscope.reports.overview.rubric_marks import describe_row
from callscope.reports.overview.targets import Targets, describe_target
from callscope.reports.pdf.noise import mark_noise
from callscope.reports.pdf.number_formats import DASH, ReportLocale
from callscope.reports.pdf.plain_text import make_breakable

DOTS_WIDTH = 54.0  # points on paper


class CriterionRow(TypedDict):
    name: str
    note: str  # how it stands to its target, that it waits for a person, in which version it changed
    dots: str  # SVG
    tone: str  # "good", "bad", "few" where calls are too few to say, or ""
    cells: list[str]


class Section(TypedDict):
    name: str
    rows: list[CriterionRow]


def list_sections(rows: Sequence[ScorecardRow], locale: ReportLocale, targets: Targets) -> list[Section]:
    """Return the rows by section, in the order in which sections first come."""
    sections: dict[str, list[CriterionRow]] = {}
    for row in rows:
        is_few = min(row.calls, row.previous_calls) < FEW_CALLS
        noise = mark_noise(row.delta_pct_interval)
        tone = "few" if is_few else ""
        if row.delta_pct and not (is_few or noise):
            tone = "good" if row.delta_pct > 0 else "bad"
        key = f"criterion:{row.criterion_id}"
        target = describe_target(key, row.average_pct, row.average_pct_interval, targets, locale.rounded)
        sections.setdefault(row.section, []).append(
            {
                "name": make_breakable(row.name),
                "note": " · ".join(filter(None, (target, describe_row(row, locale.short_date)))),
                "dots": charts.dots_svg(
                    row.average_pct,
                    before_pct=row.previous_pct,
                    interval=row.average_pct_interval,
                    is_few=row.calls < FEW_CALLS,
                    width=DOTS_WIDTH,
                    palette=charts.Palette(),
                ),
                "tone": tone,
                "cells": [
                    locale.figure(row.weight_pct),
                    locale.figure(row.average_pct),
                    # Both windows' calls stand in the row: a change against a few says little.
                    locale.figure(row.previous_pct)
                    + ("" if row.previous_pct is None else f" ({locale.count(row.previous_calls)})"),
                    locale.change(row.delta_pct) + noise,
                    locale.count(row.critical_errors),
                    locale.count(row.calls),
                    locale.count(row.evaluated_calls),
                    locale.count(row.not_applicable_calls),
                ],
            }
        )
    # A heading without text is refused by PDF/UA.
    return [{"name": make_breakable(name) or DASH, "rows": found} for name, found in sections.items()]
