"""A Report as the texts that the page shows: every number and date in its final form.

The Typst template receives this as JSON data, never as markup, so whatever a
caller or a file name says stays text.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from callscope.reports import charts
from callscope.reports.overview.coverage import (
    COUNTED_OVER,
    describe_answers,
    describe_failed,
    describe_half_heard,
    describe_scored,
)
from callscope.reports.overview.findings import Findings
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.highlights import write_highlights
from callscope.reports.overview.report import CopcRates, Report
from callscope.reports.overview.rubric_marks import describe_versions, list_marks
from callscope.reports.overview.targets import Targets
from callscope.reports.pdf.criterion_rows import Section, list_sections
from callscope.reports.pdf.finding_rows import FindingTable, list_finding_tables
from callscope.reports.pdf.noise import (
    NOISE_SIGN,
    write_difference,
    write_interval,
)
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.plain_text import make_breakable, strip_control_characters
from callscope.reports.pdf.reason_rows import list_reason_group_rows, list_reason_rows
from callscope.reports.pdf.talk_rows import list_talk_rows
from callscope.reports.pdf.tiles import HEADLINE_FIGURES, Tile, build_tiles, format_headline_figure
from callscope.reports.window import server_zone

CHART_WIDTH, CHART_HEIGHT = 480.0, 110  # points on paper
RATES = ("customer_critical", "business_critical", "compliance_critical", "non_critical")
DEFINED = (  # at the foot of the report
    "average_score",
    "weighted_compliance",
    "critical_error_pct",
    "negative_sentiment_pct",
    "goal_reached_pct",
    "interval",
    "within_noise",
    "critical_errors",
    "evaluated_calls",
    "not_applicable_calls",
    "volume_pct",
    *RATES,
)
AGENT_FIGURES = ("average_score", "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct")
FIGURE_LABELS = (  # heads of columns, by the names that report.typ uses
    "weight_pct",
    "average_pct",
    "delta_pct",
    "critical_errors",
    "evaluated_calls",
    "not_applicable_calls",
    "volume_pct",
    "average_score",
    "negative_sentiment_pct",
)
LABELS = {  # headings and heads of columns, by the names that report.typ uses
    "summary": gettext_lazy("Executive summary"),
    "headline": gettext_lazy("Headline"),
    "trend": gettext_lazy("Weekly trend"),
    "trend_chart": gettext_lazy(
        "Line chart of the average score by week; its values are in the table below."
    ),
    "week": gettext_lazy("Week of"),
    "scorecard": gettext_lazy("Scorecard"),
    "criterion": gettext_lazy("Criterion"),
    "previous_pct": gettext_lazy("Before, % (calls)"),
    "covered": gettext_lazy("Covered"),
    "copc_rates": gettext_lazy("COPC-style rates"),
    "rate": gettext_lazy("Rate"),
    "contact_reasons": gettext_lazy("Contact reasons"),
    "reason": gettext_lazy("Contact reason"),
    "reason_groups": gettext_lazy("Contact reasons by the reason above them"),
    "reasons": gettext_lazy("Reasons"),
    "agents": gettext_lazy("Agents"),
    "agent": gettext_lazy("Agent"),
    "score_short": gettext_lazy("Score %"),
    "share": gettext_lazy("Share %"),
    "interval": gettext_lazy("95 % interval"),
    "difference": gettext_lazy("Day less night"),
    "critical_short": gettext_lazy("Critical %"),
    "negative_short": gettext_lazy("Negative %"),
    "goal_short": gettext_lazy("Goal %"),
    "talk": gettext_lazy("How agents talk"),
    "talk_share_short": gettext_lazy("Talks %"),
    "monologue_short": gettext_lazy("Monologue s"),
    "silence_short": gettext_lazy("Silence s"),
    "interruptions_short": gettext_lazy("Interruptions"),
    "rate_short": gettext_lazy("Words a minute"),
    "hold_short": gettext_lazy("Hold s"),
    "shifts": gettext_lazy("Day and night"),
    "figure": gettext_lazy("Figure"),
    "day": gettext_lazy("Day"),
    "night": gettext_lazy("Night"),
    "reading": gettext_lazy("How to read this report"),
    "no_rows": gettext_lazy("Nothing in this window."),
    "page": pgettext_lazy("page 1 of 5", "Page"),
    "of": pgettext_lazy("page 1 of 5", "of"),
}
NOTES = (  # at the foot of the report, around the definitions
    gettext_lazy("A dash (–) means that nothing was measured; it is not a zero."),
    gettext_lazy(
        "Before and Change compare with the window of the same length that ends the day before this one."
    ),
    gettext_lazy(
        "A change against fewer than 10 calls says little and has no color. A hollow mark in the chart, and "
        "an asterisk in its table, is a week of which only a part lies in the window or has passed."
    ),
    gettext_lazy("%(sign)s marks a change that is within the noise."),
    gettext_lazy(
        "Next to each criterion a dot stands for its average from 0 to 100 %, a line for the 95 % interval, "
        "and a hollow dot for the window before. Over fewer than 10 calls the dots are gray."
    ),
    gettext_lazy(
        "Talk measures are means over the calls of which they are known, with their number. They are unknown "
        "where a recording does not tell the speakers apart, and where a transcript has no overlaps."
    ),
    gettext_lazy("Day and night hold only calls whose real time is known."),
)


@dataclass(frozen=True, slots=True)
class Summary:
    """The executive summary; `note` says who wrote it or why it is missing."""

    paragraphs: Sequence[str]
    note: str = ""


class TrendTable(TypedDict):
    chart: str  # SVG; "" for fewer than two weeks
    axis: list[str]  # the first, the middle and the last week
    changes: str  # which versions changed the rubric, and when; "" for none
    rows: list[list[str]]


class Tables(TypedDict):
    """The tables of the report; cells are texts."""

    trend: TrendTable
    sections: list[Section]
    rates: list[list[str]]
    reasons: list[list[str]]
    reason_groups: list[list[str]]
    agents: list[list[str]]
    talk: list[list[str]]  # by agent; [] where nothing was measured
    shifts: list[list[str]]


class SummaryText(TypedDict):
    highlights: list[str]
    paragraphs: list[str]
    note: str


class PageData(Tables):
    """Everything that report.typ prints."""

    language: str
    title: str
    heading: str
    labels: dict[str, str]
    cover: list[list[str]]
    zone: str
    summary: SummaryText
    tiles: list[Tile]
    findings: list[FindingTable]
    shift_hours: str
    definitions: list[str]


def build_page_data(
    report: Report,
    *,
    projects: Sequence[str],
    summary: Summary,
    locale: ReportLocale,
    generated_at: dt.datetime,
    targets: Targets | None = None,
    findings: Findings | None = None,
) -> PageData:
    """Return what the template prints, JSON-ready."""
    with translation.override(locale.language):
        title = _("Call report")
        scope = ", ".join(projects) or _("no projects")
        hours = report.shift_hours
        half_heard = describe_half_heard(report.half_heard_calls, locale.count)
        failed = describe_failed(report.failed_calls, locale.count)
        shift_hours = (
            _("The projects in scope have different shift hours; each call is classed by its own.")
            if hours.day_start is None
            else _("Day is from %(start)s:00 to %(end)s:00.")
            % {"start": hours.day_start, "end": hours.day_end}
        )
        return {
            **_tables(report, locale, is_one_project=len(projects) == 1),
            "language": locale.language,
            "title": f"{title}: {strip_control_characters(scope)}"[:500],
            "heading": title,
            "labels": {name: DEFINITIONS[name].heading for name in FIGURE_LABELS}
            | {"calls": DEFINITIONS["total_calls"].heading}
            | {name: str(label) for name, label in LABELS.items()},
            "cover": [
                [_("Projects"), make_breakable(scope)],
                [_("Window"), _window(report, locale)],
                [_("Generated"), locale.moment(generated_at.astimezone(server_zone()))],
                [_("Calls of all time in scope"), locale.count(report.total_calls_all_time)],
                *([[_("Half heard"), half_heard]] if half_heard else []),
                *([[_("Failed"), failed]] if failed else []),
            ],
            "zone": _("Days of time zone %(zone)s") % {"zone": server_zone()},
            "summary": {
                "highlights": [
                    make_breakable(each.text) for each in write_highlights(report, locale.rounded)
                ],
                "paragraphs": [make_breakable(p) for p in summary.paragraphs],
                "note": summary.note,
            },
            "tiles": build_tiles(report, locale, targets or {}),
            "findings": list_finding_tables(findings, locale),
            "shift_hours": shift_hours,
            "definitions": [
                str(NOTES[0]),
                *(f"{DEFINITIONS[name].label}: {DEFINITIONS[name].meaning}" for name in DEFINED),
                *(str(note).replace("%(sign)s", NOISE_SIGN) for note in NOTES[1:]),
            ],
        }


def _tables(report: Report, locale: ReportLocale, *, is_one_project: bool) -> Tables:
    differences = {each.figure: each for each in report.shift_differences}
    return {
        "trend": _trend(report, locale, is_one_project=is_one_project),
        "sections": list_sections(report.scorecard, locale),
        "rates": [
            [
                DEFINITIONS[name].heading,
                locale.figure(value := getattr(report.copc_rates, f"{name}_accuracy_pct")),
                describe_rate(name, value, report.copc_rates, locale),
            ]
            for name in RATES
        ],
        "reasons": list_reason_rows(report, locale),
        "reason_groups": list_reason_group_rows(report, locale),
        "agents": [
            [
                make_breakable(row.agent),
                locale.count(row.calls),
                locale.figure_over(row.average_score, row.scored_calls),
                write_interval(row.average_score_interval, locale),
                *(
                    locale.figure_over(getattr(row, name), getattr(row, COUNTED_OVER[name]))
                    for name in AGENT_FIGURES[1:]
                ),
            ]
            for row in report.agents
        ],
        "talk": list_talk_rows(report.agents, locale),
        "shifts": [
            [
                DEFINITIONS[n].heading,
                *(
                    locale.figure_over(getattr(s.headline, n), getattr(s.headline, COUNTED_OVER[n]))
                    if n in COUNTED_OVER
                    else format_headline_figure(s.headline, n, locale)
                    for s in report.shifts
                ),
                write_difference(differences.get(n), locale),
            ]
            for n, _more_is_better in HEADLINE_FIGURES
        ],
    }


def describe_rate(name: str, value: float | None, rates: CopcRates, locale: ReportLocale) -> str:
    """Return what a rate is taken over, or why there is none."""
    if name == "non_critical":
        return describe_answers(rates.plain_answers, locale.count)
    if value is None and rates.scored_calls:
        return _("no criterion looks for it")
    return describe_scored(rates.scored_calls, locale.count)


def _window(report: Report, locale: ReportLocale) -> str:
    start, end = report.window.start, report.window.end
    if start and end:
        return _("%(start)s to %(end)s") % {"start": locale.date(start), "end": locale.date(end)}
    if start:
        return _("from %(start)s") % {"start": locale.date(start)}
    if end:
        return _("until %(end)s") % {"end": locale.date(end)}
    return _("the whole history")


def _trend(report: Report, locale: ReportLocale, *, is_one_project: bool) -> TrendTable:
    values = [bucket.average_score for bucket in report.trend]
    marks = list_marks(report.rubric_changes, report.trend)
    chart = ""
    if sum(v is not None for v in values) > 1:
        ticks = [(0.0, "0"), (50.0, "50"), (100.0, "100 %")]
        hollow = [i for i, bucket in enumerate(report.trend) if bucket.is_part]
        panel = charts.Panel(values=values, ticks=ticks, height=CHART_HEIGHT, hollow=hollow, marks=marks)
        points = [charts.Point("") for _ in values]
        chart = charts.panel_svg(panel, points, width=CHART_WIDTH, palette=charts.Palette())
    rows = [
        [
            locale.short_date(bucket.week)
            + (" *" if bucket.is_part else "")
            + (f" ({_('the rubric changed')})" if i in marks else ""),
            locale.count(bucket.calls),
            locale.figure_over(bucket.average_score, bucket.scored_calls),
            write_interval(bucket.average_score_interval, locale),
            locale.figure_over(bucket.negative_sentiment_pct, bucket.sentiment_calls),
        ]
        for i, bucket in enumerate(report.trend)
    ]
    ends = [report.trend[i].week for i in (0, len(report.trend) // 2, -1)] if chart else []
    changes = describe_versions(report.rubric_changes, locale.short_date, with_project=not is_one_project)
    return {
        "chart": chart,
        "axis": [locale.short_date(week) for week in ends],
        "changes": make_breakable(changes),
        "rows": rows,
    }
