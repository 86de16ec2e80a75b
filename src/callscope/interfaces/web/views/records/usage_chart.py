"""Draw what engines did over time: a small chart for each figure, over the same days, weeks or months.

Each starts at 0. A row of links lies over each chart, one a period, which say the value on hover and
focus and lead to the lines of that period; a folded table says the same values.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.trend import draw_axis
from callscope.interfaces.web.templatetags.formatting import clock, day, number
from callscope.pipeline.ledger.usage import UsageRow
from callscope.reports import charts
from callscope.reports.window import DAY, Window

THOUSAND, MILLION = 1_000, 1_000_000
MINUTE_S, HOUR_S = 60, 3600
DAYS_UP_TO = 31  # more days than this are drawn by week,
WEEKS_UP_TO = 53  # and more weeks by month
LARGE = 10_000  # tokens of one period; the texts of the axis have room for four digits
LONG_S = 10 * HOUR_S

_Step = Literal["day", "week", "month"]


@dataclass(slots=True)
class Period:
    """A day, week or month, and what was used in it."""

    first: dt.date
    last: dt.date
    audio_us: int = 0
    tokens: int = 0
    cost_micros: int = 0

    def add(self, row: UsageRow) -> None:
        self.audio_us += row.audio_us
        self.tokens += row.input_tokens + row.output_tokens
        self.cost_micros += row.cost_micros or 0


class Slot(NamedTuple):
    """One period of a chart: what it says, and where it leads."""

    said: str
    url: str


class UsagePanel(NamedTuple):
    """One chart."""

    label: str
    unit: str
    ticks: SafeString
    svg: SafeString
    slots: list[Slot]


class PeriodRow(NamedTuple):
    """One period in the table."""

    name: str
    url: str
    texts: list[str]


class UsageChart(NamedTuple):
    """The charts over the same periods, and the table of their values."""

    head: str  # of the first column
    panels: list[UsagePanel]
    axis: SafeString  # the first date, one in the middle, the last
    rows: list[PeriodRow]
    hollow: str  # which periods are incomplete; "" for none


class _Figure(NamedTuple):
    label: str
    unit: str
    values: list[float]  # in that unit, one a period
    texts: list[str]  # of them, in words
    said_unit: str = ""  # behind a text that is spoken without its head


def draw_usage(
    rows: Sequence[UsageRow], window: Window, today: dt.date, address: Callable[[Mapping[str, str]], str]
) -> UsageChart | None:
    """Return the charts of these rows; None where they are of one period alone, or measured nothing.

    `address` returns that of the page for the parameters of a window.
    """
    step, periods = _sum_up(rows)
    figures = [each for each in _list_figures(periods) if any(each.values)]
    if len(periods) < 2 or not figures:
        return None
    names = [_name(period, step) for period in periods]
    urls = [address(_dates(period, window)) for period in periods]
    hollow = [i for i, period in enumerate(periods) if _is_part(period, window, today)]
    short = _("M Y") if step == "month" else _("M j")
    cut = " · ".join(_name_inside(periods[i], step) for i in hollow)
    said = _("Hollow: incomplete (%(periods)s).") % {"periods": cut}
    return UsageChart(
        head={"day": _("Day"), "week": _("Week"), "month": _("Month")}[step],
        panels=[_draw(figure, names, urls, hollow) for figure in figures],
        axis=draw_axis([date_format(period.first, short) for period in periods]),
        rows=[
            PeriodRow(name, url, [figure.texts[i] for figure in figures])
            for i, (name, url) in enumerate(zip(names, urls, strict=True))
        ],
        hollow=said if hollow else "",
    )


def _sum_up(rows: Sequence[UsageRow]) -> tuple[_Step, list[Period]]:
    """Return every period from the first to the last use, those without any, too."""
    days = [row.date for row in rows]
    if not days:
        return "day", []
    length = (max(days) - min(days)).days + 1
    step: _Step = "day" if length <= DAYS_UP_TO else "week" if length <= 7 * WEEKS_UP_TO else "month"
    first, last = _begin(min(days), step), max(days)
    periods: dict[dt.date, Period] = {}
    while first <= last:
        after = _begin(first + {"day": 1, "week": 7, "month": 31}[step] * DAY, step)
        periods[first] = Period(first, after - DAY)
        first = after
    for row in rows:
        periods[_begin(row.date, step)].add(row)
    return step, list(periods.values())


def _begin(date: dt.date, step: _Step) -> dt.date:
    """Return the first day of the period that a day is in."""
    if step == "month":
        return date.replace(day=1)
    return date - date.weekday() * DAY if step == "week" else date


def _is_part(period: Period, window: Window, today: dt.date) -> bool:
    """Return whether some of its days are outside the window, or not over."""
    first, last = window.start or dt.date.min, min(window.end or dt.date.max, today - DAY)
    return period.first < first or period.last > last


def _dates(period: Period, window: Window) -> dict[str, str]:
    """Return the parameters of its days, as far as they are in the window."""
    first, last = max(period.first, window.start or dt.date.min), min(period.last, window.end or dt.date.max)
    return {"start_date": first.isoformat(), "end_date": last.isoformat()}


def _name(period: Period, step: _Step) -> str:
    if step == "month":
        return date_format(period.first, "YEAR_MONTH_FORMAT")
    return _("Week of %(day)s") % {"day": day(period.first)} if step == "week" else day(period.first)


def _name_inside(period: Period, step: _Step) -> str:
    """Return the name of a period as it stands within a sentence."""
    return _("week of %(day)s") % {"day": day(period.first)} if step == "week" else _name(period, step)


def _list_figures(periods: Sequence[Period]) -> list[_Figure]:
    """Return what is drawn, each in a unit whose numbers have at most four digits before the point."""
    seconds = [period.audio_us / MILLION for period in periods]
    tokens = [period.tokens for period in periods]
    costs = [period.cost_micros / MILLION for period in periods]
    most_s, most_tokens = max(seconds, default=0), max(tokens, default=0)
    unit, factor = (_("in hours"), HOUR_S) if most_s >= LONG_S else (_("in minutes"), MINUTE_S)
    if most_tokens < LARGE:
        scale, size = "", 1
    elif most_tokens < LARGE * THOUSAND:
        scale, size = _("in thousands"), THOUSAND
    else:
        scale, size = _("in millions"), MILLION
    return [
        _Figure(_("Audio transcribed"), unit, [s / factor for s in seconds], [_say_time(s) for s in seconds]),
        _Figure(
            _("Tokens read and written"),
            scale,
            [t / size for t in tokens],
            [number(t) for t in tokens],
            said_unit=_("tokens"),
        ),
        _Figure(_("Known cost"), "", costs, [number(cost, 2) for cost in costs]),
    ]


def _say_time(seconds: float) -> str:
    """Return a length with its unit: "1:30 min:s"."""
    return f"{clock(seconds)} {_('h:min:s') if seconds >= HOUR_S else _('min:s')}"


def _draw(figure: _Figure, names: Sequence[str], urls: Sequence[str], hollow: Sequence[int]) -> UsagePanel:
    ticks = charts.round_ticks(figure.values)
    decimals = next(n for n in range(7) if n == 6 or all(round(tick, n) == tick for tick in ticks))
    panel = charts.Panel(
        figure.values,
        [(tick, number(tick, decimals if tick else 0)) for tick in ticks],
        kind="bars",
        hollow=hollow,
    )
    return UsagePanel(
        label=figure.label,
        unit=figure.unit,
        ticks=mark_safe(charts.ticks_svg(panel)),  # noqa: S308
        svg=mark_safe(charts.panel_svg(panel, [])),  # noqa: S308
        slots=[
            Slot(f"{name}: {text} {figure.said_unit}".strip(), url)
            for name, text, url in zip(names, figure.texts, urls, strict=True)
        ],
    )
