"""Prepare the wide trend of a report: one figure of choice, with the window before and its intervals."""

import itertools
from typing import NamedTuple

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.report_links import Links, link_week
from callscope.interfaces.web.presenters.report_page.headline import MORE_TILES, TILES
from callscope.interfaces.web.presenters.report_page.parts import build_address
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell, cells, day, number, write_interval
from callscope.reports import charts
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.figure_trend.figures import (
    CALLS,
    CRITERION,
    FIGURES,
    HOUR_FIGURES,
    QUESTION,
    FigureName,
    list_criteria,
    list_questions,
)
from callscope.reports.overview.figure_trend.weeks import FigureTrend, FigureWeek, WeekFigure
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.intervals import LEAST_CALLS
from callscope.reports.overview.report import Report
from callscope.reports.overview.rubric_marks import list_marks
from callscope.reports.wide_chart import WideChart, wide_svg, wide_ticks

TERMS = {  # → names in the glossary
    CALLS: "total_calls",
    "customer_critical_accuracy_pct": "customer_critical",
    "business_critical_accuracy_pct": "business_critical",
    "compliance_critical_accuracy_pct": "compliance_critical",
    "non_critical_accuracy_pct": "non_critical",
}
FILTERS: dict[str, dict[str, str]] = {  # of the calls that a figure counts, or is taken over
    **{spec.name: spec.filters for spec in (*TILES, *MORE_TILES)},
    **{name: {"scored": "true"} for name in HOUR_FIGURES},
    CALLS: {},
}
NONE_JUDGED = gettext_lazy("it applied to no call")
PERCENT_TICKS = [0.0, 25.0, 50.0, 75.0, 100.0]


class Choice(NamedTuple):
    value: str
    label: str
    is_current: bool
    url: str = ""


class ChoiceGroup(NamedTuple):
    """Figures of one kind, as they stand together in the list of choices."""

    label: str
    choices: list[Choice]


class WeekSlot(NamedTuple):
    """One week of the chart: what it says, and where it leads."""

    said: str
    url: str


class WeekRow(NamedTuple):
    """One week of the table next to the chart."""

    day: str
    note: str  # that it is a part of a week, that calls are few; "" for others
    figures: SafeString


class WideTrend(NamedTuple):
    """The chart, the choices above it, and the table with the same values."""

    figure: str  # its name in addresses
    label: str
    unit: str
    groups: list[ChoiceGroup]
    answers: list[Choice]  # of a question
    query: dict[str, str]  # to keep when another figure is chosen
    ticks: SafeString | str
    svg: SafeString | str
    slots: list[WeekSlot]
    rows: list[WeekRow]
    is_compared: bool
    is_previous_few: bool  # no week of the window before has enough calls: they are in the table alone
    previous_lines: list[str]  # of the window before: "firm", "dotted" (few calls), both, or none
    has_parts: bool
    has_band: bool
    has_gaps_in_band: bool  # a week has a value, but so few calls that there is no interval
    has_pale: bool  # a week with few calls
    is_all_pale: bool  # no week has more
    has_clock: bool  # a week waits for the visitor's review
    is_cut: bool
    is_previous_cut: bool
    is_unanswered: bool  # a question to which no call has an answer that says something


def present_wide_trend(
    trend: FigureTrend, report: Report, report_request: ReportRequest, links: Links
) -> WideTrend:
    """Return the wide trend; without slots where no week has calls."""
    is_count = trend.figure.figure == CALLS
    label, unit = name_figure(trend), "" if is_count else "%"
    weeks = trend.weeks
    chart = draw_chart(weeks, report, is_count=is_count) if weeks else None
    urls = link_weeks(trend, report_request, links)
    spoken = label if trend.figure.name else label[:1].lower() + label[1:]  # a criterion is named as it is
    spoken = f"{spoken} {trend.answer}" if trend.answer else spoken
    said_missing = missing = _("not measured")
    if trend.figure.figure.startswith(CRITERION):
        missing = str(NONE_JUDGED)
        said_missing = f"– ({missing})"
    return WideTrend(
        figure=trend.figure.figure,
        label=label,
        unit=unit,
        groups=list_choices(trend, report_request),
        answers=list_answers(trend, report_request),
        query=report_request.query | keep_view(report_request),
        ticks=mark_safe(wide_ticks(chart)) if chart else "",  # noqa: S308
        svg=mark_safe(wide_svg(chart)) if chart else "",  # noqa: S308
        slots=[
            WeekSlot(describe_week(each, spoken, said_missing, is_count=is_count), url)
            for each, url in zip(weeks, urls, strict=True)
        ],
        rows=[
            write_row(each, url, missing, is_count=is_count) for each, url in zip(weeks, urls, strict=True)
        ],
        is_compared=trend.is_compared and any(each.previous for each in weeks),
        is_previous_few=not is_count and is_few_before(weeks),
        previous_lines=[] if is_count else list_previous_lines(weeks),
        has_parts=any(each.now.is_part or (each.previous and each.previous.is_part) for each in weeks),
        has_pale=not is_count and any(0 < each.now.n < FEW_CALLS for each in weeks),
        is_all_pale=not is_count and all(each.now.n < FEW_CALLS for each in weeks),
        has_clock=any(is_waiting(each.now) for each in weeks),
        has_band=any(each.now.interval for each in weeks),
        has_gaps_in_band=any(0 < each.now.n < LEAST_CALLS and not each.now.interval for each in weeks),
        is_cut=trend.is_cut,
        is_previous_cut=trend.is_previous_cut,
        is_unanswered=trend.figure.figure.startswith(QUESTION) and not trend.answer,
    )


def draw_chart(weeks: list[FigureWeek], report: Report, *, is_count: bool) -> WideChart:
    values = [each.now.value for each in weeks]
    is_left_out = not is_count and is_few_before(weeks)
    behind = [each.previous.value if each.previous and not is_left_out else None for each in weeks]
    ticks = charts.round_ticks([*values, *behind], at_least=3) if is_count else PERCENT_TICKS
    texts = [number(value, 0 if value == int(value) else 1) for value in ticks]
    by_day = {each.now.week: i for i, each in enumerate(weeks)}
    marked = list_marks(report.marked_changes, report.trend)
    marks = {
        by_day[report.trend[i].week]: text for i, text in marked.items() if report.trend[i].week in by_day
    }
    return WideChart(
        values=values,
        behind=behind,
        intervals=[each.now.interval for each in weeks],
        ticks=[
            (value, text + (" %" if value == ticks[-1] and not is_count else ""))
            for value, text in zip(ticks, texts, strict=True)
        ],
        dates=[date_format(each.now.week, _("M j")) for each in weeks],
        hollow=[i for i, each in enumerate(weeks) if each.now.is_part],
        pale=[] if is_count else [i for i, each in enumerate(weeks) if each.now.n < FEW_CALLS],
        pale_behind=[]
        if is_count
        else [i for i, each in enumerate(weeks) if each.previous and each.previous.n < FEW_CALLS],
        hollow_behind=[i for i, each in enumerate(weeks) if each.previous and each.previous.is_part],
        marks=marks,
        waiting=[i for i, each in enumerate(weeks) if is_waiting(each.now)],
        is_count=is_count,
    )


def is_waiting(week: WeekFigure) -> bool:
    """Return whether its value waits for the visitor's review: it has calls, and yet no value."""
    return week.value is None and week.n > 0


def is_few_before(weeks: list[FigureWeek]) -> bool:
    """Return whether each week of the window before has so few calls that a line of them would be chance."""
    return all(each.previous.n < FEW_CALLS for each in weeks if each.previous)


def list_previous_lines(weeks: list[FigureWeek]) -> list[str]:
    """Return the kinds of line that lead through the window before, as line_svg() draws them.

    None where each of its weeks is alone, and has a dot.
    """
    known = [each.previous if each.previous and each.previous.value is not None else None for each in weeks]
    pairs = [(a, b) for a, b in itertools.pairwise(known) if a is not None and b is not None]
    is_dotted = {min(a.n, b.n) < FEW_CALLS for a, b in pairs}
    return [name for name, each in (("firm", False), ("dotted", True)) if each in is_dotted]


def name_figure(trend: FigureTrend) -> str:
    """Return the name of a figure in the active language."""
    figure = trend.figure
    return figure.name or DEFINITIONS[TERMS.get(figure.figure, figure.figure)].label


def list_choices(trend: FigureTrend, report_request: ReportRequest) -> list[ChoiceGroup]:
    current, projects = trend.figure.figure, report_request.counted_projects
    named = [FigureName(each, DEFINITIONS[TERMS.get(each, each)].label) for each in FIGURES]
    groups: list[tuple[str, list[FigureName]]] = [
        (_("Figures"), named),
        (_("Criteria"), list_criteria(projects)),
        (_("Questions"), list_questions(projects)),
    ]
    found = [
        ChoiceGroup(label, [Choice(value, text, value == current) for value, text in each])
        for label, each in groups
        if each
    ]
    if not any(choice.is_current for group in found for choice in group.choices):  # only results have it
        found[-1].choices.append(Choice(current, trend.figure.name, is_current=True))
    return found


def list_answers(trend: FigureTrend, report_request: ReportRequest) -> list[Choice]:
    """Return the answers of a question, each with its calls; none for other figures."""
    query = report_request.query | keep_view(report_request) | {"figure": trend.figure.figure}
    return [
        Choice(
            each.text,
            f"{each.text} (n {number(each.calls)})",
            each.text == trend.answer,
            build_address("trend", {**query, "answer": each.text}),
        )
        for each in trend.answers
    ]


def keep_view(report_request: ReportRequest) -> dict[str, str]:
    return {name: text for name, text in report_request.view.items() if name not in ("figure", "answer")}


def describe_week(week: FigureWeek, name: str, missing: str, *, is_count: bool) -> str:
    """Return what a week says: its value, with n and interval, and the week behind it with its n.

    `missing` is why a week has no value.
    """
    text = _("Week of %(week)s: %(value)s") % {
        "week": day(week.now.week),
        "value": f"{name} {write_value(week.now, missing, is_count=is_count)}",
    }
    if week.now.interval is not None:
        bounds = write_interval(week.now.interval, 1, get_language() or "")
        text += ", " + _("95 %% interval %(interval)s") % {"interval": bounds}
    if week.now.is_part:
        text += " · " + _("part of the week")
    if week.previous is not None:
        before = _("in the period before, week of %(week)s: %(value)s") % {
            "week": day(week.previous.week),
            "value": write_value(week.previous, missing, is_count=is_count),
        }
        text += f" · {before}" + (" · " + _("part of the week") if week.previous.is_part else "")
    return text


def write_value(week: WeekFigure, missing: str, *, is_count: bool) -> str:
    if week.value is None:
        return _("waits for your review") if is_waiting(week) else missing  # a chart has no room for more
    return number(week.value) if is_count else f"{number(week.value, 1)}\u00a0% (n\u00a0{number(week.n)})"


def find_filters(trend: FigureTrend, report_request: ReportRequest) -> dict[str, str] | None:
    """Return the filters of the calls behind a week; None where the page of questions lists them."""
    figure = trend.figure.figure
    if figure.startswith(CRITERION):
        return {"criterion": figure.removeprefix(CRITERION), "found": "judged"}
    if figure.startswith(QUESTION):
        return None if report_request.own is None else {}  # that page is not for agents
    return FILTERS[figure]


def link_weeks(trend: FigureTrend, report_request: ReportRequest, links: Links) -> list[str]:
    """Return for each week the address of the calls behind its value."""
    filters, window = find_filters(trend, report_request), report_request.window
    if filters is not None:
        return [links.to_week(each.now.week, window, **filters) for each in trend.weeks]
    here = with_query(reverse("web:questions"), report_request.scope_query)
    asked = {"question": trend.figure.name, "answer": trend.answer}
    return [
        link_week(f"{here}{'&' if '?' in here else '?'}", each.now.week, window, **asked)
        for each in trend.weeks
    ]


def write_row(week: FigureWeek, url: str, missing: str, *, is_count: bool) -> WeekRow:
    decimals = 0 if is_count else 1
    notes = [_("part of the week")] if week.now.is_part else []
    if 0 < week.now.n < FEW_CALLS and not is_count:
        notes.append(_("few calls"))
    figures = [
        Cell(
            week.now.value,
            decimals,
            url,
            WAITS if is_waiting(week.now) else missing,
            out_of=None if is_count or week.now.value is None else week.now.n,
            interval=week.now.interval,
        )
    ]
    before = week.previous
    figures.append(
        Cell(
            before.value if before else None,
            decimals,
            "",
            WAITS if before and is_waiting(before) else missing,
            out_of=None if is_count or before is None or before.value is None else before.n,
        )
    )
    return WeekRow(day(week.now.week), " · ".join(notes), cells(figures))
