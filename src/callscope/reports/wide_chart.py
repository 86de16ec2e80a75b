"""Draw one figure over weeks in full width as SVG: a line or bars, its band, and the window before behind it.

The page lays a row of links over it, one a week, which say the values on hover and focus: see
templates/web/report/wide_trend.html. Across the drawing stretches; texts and dots keep their size.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from callscope.reports.charts import DOTS_UP_TO, Place, Values, draw_clocks, is_alone, line_svg

HEIGHT = 240
TOP, BASE = 12, 28  # room for a dot above, for the dates below
DOT = 3.5
BAR = 0.6  # of the room of a week; the one behind is wider
WIDTH = 1000.0  # of what stretches
DATES = 5  # at most, as many as fit a phone in each language


@dataclass(frozen=True, slots=True)
class WideChart:
    """What is drawn, one value for each week in each list. `ticks` are (value, text) from the foot up."""

    values: Values
    behind: Values
    intervals: Sequence[tuple[float, float] | None]
    ticks: Sequence[tuple[float, str]]
    dates: Sequence[str]
    hollow: Collection[int] = ()  # weeks of which only a part is counted
    hollow_behind: Collection[int] = ()
    pale: Collection[int] = ()  # weeks of so few calls that they say little
    pale_behind: Collection[int] = ()
    marks: Mapping[int, str] = field(default_factory=dict)  # weeks with a line across
    waiting: Collection[int] = ()  # weeks whose value waits for the reader's review: a clock stands there
    is_count: bool = False  # bars


def wide_svg(chart: WideChart) -> str:
    """Return the drawing; what it says is in the page next to it."""
    count = len(chart.values)
    stretched = [_band(chart)]
    if not chart.is_count:
        stretched += [
            line_svg(_place(chart, chart.behind), chart.pale_behind, name="behind"),
            line_svg(_place(chart, chart.values), chart.pale),
        ]
    parts = [
        *(
            f'<line class="grid" x1="0" x2="100%" y1="{_y(chart, value)}" y2="{_y(chart, value)}"/>'
            for value, _ in chart.ticks
        ),
        *(_mark(_x(i, count), label) for i, label in sorted(chart.marks.items())),
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT}" preserveAspectRatio="none" width="100%" height="100%">'
        f"{''.join(stretched)}</svg>",
        *(_draw_weeks(chart)),
        draw_clocks(chart.waiting, count, HEIGHT - BASE - 12),
        *_dates(chart.dates),
    ]
    return f'<svg class="chart" width="100%" height="{HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'


def wide_ticks(chart: WideChart, *, width: int = 44) -> str:
    """Return the texts of the y axis, to stand on the left of the drawing."""
    texts = (
        f'<text class="tick" x="{width - 8}" y="{_y(chart, value) + 4:g}" text-anchor="end">'
        f"{escape(text)}</text>"
        for value, text in chart.ticks
    )
    return f'<svg class="ticks" width="{width}" height="{HEIGHT}" aria-hidden="true">{"".join(texts)}</svg>'


def _y(chart: WideChart, value: float) -> float:
    low, high = chart.ticks[0][0], chart.ticks[-1][0]
    share = (min(max(value, low), high) - low) / (high - low)
    return round(TOP + (1 - share) * (HEIGHT - TOP - BASE), 1)


def _x(index: int, count: int) -> float:
    """Return where the middle of a week is, in percent of the width."""
    return (index + 0.5) * 100 / count


def _draw_weeks(chart: WideChart) -> list[str]:
    """Return bars, or the dots of both lines and the intervals of weeks without neighbors."""
    if chart.is_count:
        return _bars("behind", chart, chart.behind, chart.hollow_behind, 0.84) + _bars(
            "column", chart, chart.values, chart.hollow, BAR
        )
    count, parts = len(chart.values), []
    for i, interval in enumerate(chart.intervals):
        if interval is not None and is_alone(chart.intervals, i):
            x, (low, high) = f"{_x(i, count):.3f}%", interval
            parts.append(
                f'<line class="reach" x1="{x}" x2="{x}" y1="{_y(chart, low)}" y2="{_y(chart, high)}"/>'
            )
    return (
        parts
        + _dots("behind", chart, chart.behind, chart.hollow_behind)
        + _dots("dot", chart, chart.values, chart.hollow)
    )


def _dots(css_class: str, chart: WideChart, values: Values, hollow: Collection[int]) -> list[str]:
    """Dots where there is room for them, and where a line would hide that a week is a part, or alone."""
    is_shown = len(values) <= DOTS_UP_TO and css_class == "dot"
    return [
        f'<circle class="{css_class}{" hollow" if i in hollow else ""}'
        f'{" pale" if css_class == "dot" and i in chart.pale else ""}" cx="{_x(i, len(values)):.3f}%" '
        f'cy="{_y(chart, value)}" r="{DOT}"/>'
        for i, value in enumerate(values)
        if value is not None and (is_shown or i in hollow or is_alone(values, i))
    ]


def _bars(
    css_class: str, chart: WideChart, values: Values, hollow: Collection[int], share: float
) -> list[str]:
    slot, base = 100 / len(values), _y(chart, chart.ticks[0][0])
    bars = []
    for i, value in enumerate(values):
        if value:
            x, top = (i + (1 - share) / 2) * slot, _y(chart, value)
            bars.append(
                f'<rect class="{css_class}{" hollow" if i in hollow else ""}" x="{x:.3f}%" '
                f'width="{slot * share:.3f}%" y="{top}" height="{base - top:g}"/>'
            )
    return bars


def _band(chart: WideChart) -> str:
    """Return what the figure may be off by, over each run of weeks that have an interval."""
    count, found, run = len(chart.intervals), [], []
    for i, interval in enumerate([*chart.intervals, None]):
        if interval is not None:
            run.append((_x(i, count) * WIDTH / 100, *interval))
            continue
        if len(run) > 1:
            edge = [(x, high) for x, _, high in run] + [(x, low) for x, low, _ in reversed(run)]
            points = " ".join(f"{x:.1f},{_y(chart, value)}" for x, value in edge)
            found.append(f'<polygon class="band" points="{points}"/>')
        run = []
    return "".join(found)


def _place(chart: WideChart, values: Values) -> list[Place | None]:
    count = len(values)
    return [
        None if value is None else (_x(i, count) * WIDTH / 100, _y(chart, value))
        for i, value in enumerate(values)
    ]


def _mark(x: float, label: str) -> str:
    anchor, shift = ("end", -4) if x > 85 else ("start", 4)  # above the plot: no line crosses it
    text = (
        f'<text class="mark-label" x="{x:.3f}%" y="{TOP - 5}" dx="{shift}" text-anchor="{anchor}">'
        f"{escape(label)}</text>"
    )
    foot = HEIGHT - BASE
    line = f'<line class="mark" x1="{x:.3f}%" x2="{x:.3f}%" y1="{TOP}" y2="{foot}" stroke-dasharray="2 2"/>'
    return line + (text if label else "")


def _dates(dates: Sequence[str]) -> list[str]:
    """Return at most DATES of the dates, evenly, each below its week."""
    count, parts = len(dates), []
    for i in range(0, count, -(-count // DATES)):
        x = _x(i, count)
        anchor = "start" if x < 4 else "end" if x > 96 else "middle"
        parts.append(
            f'<text class="tick" x="{x:.3f}%" y="{HEIGHT - 8}" text-anchor="{anchor}">'
            f"{escape(dates[i])}</text>"
        )
    return parts
