"""The PDF's weekly trend: a chart of the average score, and the table with the same values."""

import datetime as dt
from collections.abc import Sequence
from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.reports import charts
from callscope.reports.overview.coverage import FEW_CALLS, describe_undrawn
from callscope.reports.overview.report import Report
from callscope.reports.overview.rubric_marks import describe_rubric_changes, list_marks
from callscope.reports.overview.targets import Targets
from callscope.reports.pdf.noise import write_interval
from callscope.reports.pdf.number_formats import FigureCell, ReportLocale
from callscope.reports.pdf.plain_text import make_breakable

CHART_WIDTH, CHART_HEIGHT = 493.0, 108  # points on paper: as wide as the text
TICKS = [(0.0, "0"), (50.0, "50"), (100.0, "100 %")]
WEEKS_SHOWN = 13  # in the table, a quarter; the chart shows all
LABELS_ACROSS = 6  # under the chart


class AxisLabel(TypedDict):
    """A text under the chart."""

    at_pct: float  # of the width, where its middle is
    text: str


class TrendTable(TypedDict):
    chart: str  # SVG; "" for fewer than two weeks
    axis: list[AxisLabel]
    legend: list[
        tuple[str, str]
    ]  # what is drawn: its sign, by the names that report.typ uses, and what it is
    changes: str  # which versions changed the rubric, and when; "" for none
    rows: list[list[str | FigureCell]]
    note: str  # what the asterisk means, and how many weeks the table leaves out; "" for neither


def build_trend_table(
    report: Report, locale: ReportLocale, targets: Targets, *, is_one_project: bool
) -> TrendTable:
    """Return the chart over all weeks, and the latest of them as rows."""
    marks = list_marks(report.marked_changes, report.trend)
    chart = _draw_chart(report, targets, marks)
    rows: list[list[str | FigureCell]] = [
        [
            locale.short_date(bucket.week)
            + (" *" if bucket.is_part else "")
            + (f" ({_('the rubric changed')})" if i in marks else ""),
            locale.count(bucket.calls),
            locale.cell_over(bucket.average_score, bucket.scored_calls),
            write_interval(bucket.average_score_interval, locale),
            locale.cell_over(bucket.negative_sentiment_pct, bucket.sentiment_calls),
        ]
        for i, bucket in enumerate(report.trend)
    ]
    earlier, notes = len(rows) - WEEKS_SHOWN, list[str]()
    if any(bucket.is_part for bucket in report.trend[-WEEKS_SHOWN:]):
        notes.append(_("* Only part of the week is in the period or has passed."))
    if earlier > 0:
        text = ngettext(
            "The chart also shows %(count)s earlier week. The CSV of the report page and the "
            "API list all of them.",
            "The chart also shows %(count)s earlier weeks. The CSV of the report page and the "
            "API list all of them.",
            earlier,
        )
        notes.append(text % {"count": locale.count(earlier)})
    if undrawn := describe_undrawn(report.undrawn_calls, locale.count):
        notes.append(undrawn)
    changes = describe_rubric_changes(
        report, locale.short_date, locale.count, with_project=not is_one_project
    )
    return {
        "chart": chart,
        "axis": _label_axis([bucket.week for bucket in report.trend], locale) if chart else [],
        "legend": _describe_signs(report, targets, locale) if chart else [],
        "changes": make_breakable(" ".join(f"{each.rstrip('.')}." for each in changes)),
        "rows": rows[-WEEKS_SHOWN:],
        "note": " ".join(notes),
    }


def _draw_chart(report: Report, targets: Targets, marks: dict[int, str]) -> str:
    values = [bucket.average_score for bucket in report.trend]
    if sum(value is not None for value in values) < 2:
        return ""
    panel = charts.Panel(
        values=values,
        ticks=TICKS,
        height=CHART_HEIGHT,
        hollow=[i for i, bucket in enumerate(report.trend) if bucket.is_part],
        pale=[i for i, bucket in enumerate(report.trend) if bucket.scored_calls < FEW_CALLS],
        marks=marks,
        intervals=[bucket.average_score_interval for bucket in report.trend],
        target=targets.get("average_score"),
    )
    return charts.panel_svg(
        panel, [charts.Point("") for _value in values], width=CHART_WIDTH, palette=charts.Palette()
    )


def _describe_signs(report: Report, targets: Targets, locale: ReportLocale) -> list[tuple[str, str]]:
    """Return what is drawn: each sign and what it says, of those that the chart has."""
    weeks = [bucket for bucket in report.trend if bucket.average_score is not None]
    signs = [("line", _("average score, %"))]
    if all(bucket.scored_calls < FEW_CALLS for bucket in weeks):
        signs = [("few", _("average score, %; fewer than 10 calls in each week"))]
    elif any(bucket.scored_calls < FEW_CALLS for bucket in weeks):
        signs.append(("few", _("weeks with fewer than 10 calls")))
    if any(bucket.is_part for bucket in weeks):
        is_few = all(bucket.scored_calls < FEW_CALLS for bucket in weeks if bucket.is_part)
        signs.append(("few_part" if is_few else "part", _("part of a week")))
    if any(bucket.average_score_interval for bucket in weeks):
        signs.append(("band", _("95 % interval")))
    if (target := targets.get("average_score")) is not None:
        shown = locale.rounded(target, 0 if target == round(target) else 1)
        signs.append(("target", _("target %(target)s %%") % {"target": shown}))
    if list_marks(report.marked_changes, report.trend):
        signs.append(("rubric", _("the rubric changed")))
    return signs


def _label_axis(weeks: Sequence[dt.date], locale: ReportLocale) -> list[AxisLabel]:
    """Return the days of some weeks, evenly spread, each in the middle of its place in the chart."""
    step = max(1, -(-len(weeks) // LABELS_ACROSS))
    return [
        {"at_pct": round(charts.find_middle(i, len(weeks)), 2), "text": locale.short_date(weeks[i])}
        for i in range(0, len(weeks), step)
    ]
