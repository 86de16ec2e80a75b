"""The rows of the scorecard as texts for the PDF, each with its dots, and the rates of critical errors."""

from collections.abc import Sequence
from typing import TypedDict

from django.utils.translation import gettext as _

from callscope.projects.owners import Owners, head_owner
from callscope.reports import charts
from callscope.reports.overview.coverage import FEW_CALLS, describe_answers, describe_scored
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.report import CopcRates, ScorecardRow
from callscope.reports.overview.rubric_marks import describe_row
from callscope.reports.overview.scorecard import JudgedFigures, group_rows, judge_row
from callscope.reports.overview.targets import Targets, describe_target
from callscope.reports.pdf.noise import NOISE_SIGN, mark_noise
from callscope.reports.pdf.number_formats import DASH, FigureCell, ReportLocale
from callscope.reports.pdf.plain_text import make_breakable

RATES = ("customer_critical", "business_critical", "compliance_critical", "non_critical")
DOTS_WIDTH = 130.0, 76.0  # points on paper, without and with a period before: report.typ has the same


class CriterionRow(TypedDict):
    name: str
    note: str  # how it stands to its target, that it waits for a person, in which version it changed
    dots: str  # SVG
    tone: str  # "good", "bad", "few" where calls are too few to say, or ""
    cells: list[str | FigureCell]
    averages: list[str]  # below the second to fourth cell: over all calls; [] where they are the same


class Section(TypedDict):
    name: str
    project: str  # the head above the first section of a project, where there are several; else ""
    rows: list[CriterionRow]


def list_sections(
    rows: Sequence[ScorecardRow],
    locale: ReportLocale,
    targets: Targets,
    owners: Owners,
    *,
    is_compared: bool,
) -> list[Section]:
    """Return the rows by project and section, in the order in which these first come."""
    return [
        {
            "name": make_breakable(group.section) or DASH,  # a heading without text is refused by PDF/UA
            "project": make_breakable(group.project),
            "rows": [_write_row(row, locale, targets, is_compared=is_compared) for row in group.rows],
        }
        for group in group_rows(rows, owners)
    ]


def _write_row(
    row: ScorecardRow, locale: ReportLocale, targets: Targets, *, is_compared: bool
) -> CriterionRow:
    judged = judge_row(row)
    is_few = min(judged.calls, judged.previous_calls) < FEW_CALLS
    noise = mark_noise(judged.delta_interval, is_few=is_few and judged.delta_pct is not None)
    tone = "few" if is_few else ""
    if judged.delta_pct and not (is_few or noise):
        tone = "good" if judged.delta_pct > 0 else "bad"
    key = f"criterion:{row.criterion_id}"
    target = describe_target(key, judged.pct, judged.interval, targets, locale.rounded)
    notes = target, _describe_calls(row, locale), describe_row(row, locale.short_date)
    return {
        "name": make_breakable(row.name),
        "note": " · ".join(filter(None, notes)),
        "dots": charts.dots_svg(
            judged.pct,
            before_pct=judged.previous_pct,
            interval=judged.interval,
            is_few=judged.calls < FEW_CALLS,
            is_few_before=judged.previous_calls < FEW_CALLS,
            width=DOTS_WIDTH[is_compared],
            palette=charts.Palette(),
        ),
        "tone": tone,
        "cells": [
            locale.figure(row.weight_pct),
            # Both windows' calls stand in the row: a change against a few says little.
            locale.cell_over(judged.pct, judged.calls),
            locale.cell_over(judged.previous_pct, judged.previous_calls),
            locale.change(judged.delta_pct) + noise,
            locale.count(row.shown_critical_errors),
        ],
        "averages": _write_averages(row, judged, locale),
    }


def name_owner(owner: str) -> str:
    """Return the head of a project's criteria, in the active language."""
    return make_breakable(head_owner(owner))


def describe_signs(sections: Sequence[Section], *, is_compared: bool) -> list[tuple[str, str]]:
    """Return what stands in a row of the scorecard: a sign of report.typ or "", and its meaning.

    In the active language; [] without rows.
    """
    rows = [row for section in sections for row in section["rows"]]
    if not rows:
        return []
    dots = [
        ("dot", _("share of points where it applies, from 0 to 100 %")),
        ("reach", _("its 95 % interval")),
        *([("before", _("the period before"))] if is_compared else []),
    ]
    noise = _("%(sign)s within the margin of error, or over too few calls to say") % {"sign": NOISE_SIGN}
    return [
        *dots,
        *([("", noise)] if is_compared else []),
        ("", _("figures in gray: fewer than %(count)s calls") % {"count": FEW_CALLS}),
        *(
            [("", _("second line: with the calls to which it does not apply, at full points"))]
            if any(row["averages"] for row in rows)
            else []
        ),
    ]


def _describe_calls(row: ScorecardRow, locale: ReportLocale) -> str:
    """Return to how many calls a criterion did not apply, of those that carry it; "" for none."""
    if not row.not_applicable_calls:
        return ""
    counts = {"others": locale.count(row.not_applicable_calls), "calls": locale.count(row.calls)}
    return _("not applicable in %(others)s of %(calls)s") % counts


def _write_averages(row: ScorecardRow, judged: JudgedFigures, locale: ReportLocale) -> list[str]:
    figures = judged.pct, judged.previous_pct, judged.delta_pct
    if judged.is_average or figures == (row.average_pct, row.previous_pct, row.delta_pct):
        return []
    return [
        locale.figure_over(row.average_pct, row.calls),
        locale.figure_over(row.previous_pct, row.previous_calls),
        locale.change(row.delta_pct),
    ]


def list_rate_rows(rates: CopcRates, locale: ReportLocale) -> list[list[str | FigureCell]]:
    """Return name with unit, share and base of each of the COPC-style rates."""
    rows: list[list[str | FigureCell]] = []
    for name in RATES:
        value = getattr(rates, f"{name}_accuracy_pct")
        calls = rates.plain_answers if name == "non_critical" else getattr(rates, f"{name}_calls") or 0
        based_on = _describe_rate(name, rates, locale)
        rows.append([DEFINITIONS[name].heading, locale.share(value, calls), based_on])
    return rows


def _describe_rate(name: str, rates: CopcRates, locale: ReportLocale) -> str:
    """Return what a rate is taken over, or why there is none."""
    if name == "non_critical":
        return describe_answers(rates.plain_answers, locale.count)
    calls: int | None = getattr(rates, f"{name}_calls")
    if calls is None and rates.scored_calls:
        return _("no criterion looks for it")
    return describe_scored(calls or 0, locale.count)
