"""Draw small charts as SVG, for the page and for the PDF alike.

Drawn here and not by a charting engine: a chart costs well under a millisecond
and 2 kB, follows light and dark through the page's own classes, and needs no
style attributes, which the pages' security policy forbids. Across the chart
stretches to whatever width it is given; texts and dots keep their size.
"""

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

_Scale = Callable[[float], float]
Place = tuple[float, float]  # of a value in a drawing
Placed = Sequence[Place | None]
Values = Sequence[float | None]  # None: nothing was measured there; a line has a gap


@dataclass(frozen=True, slots=True)
class Palette:
    """Colors written into the SVG, for paper. On a page the classes of report.css color it."""

    line: str = "#2c56c9"
    bar: str = "#b9c3d8"
    grid: str = "#e2e5ec"
    text: str = "#566072"
    font: str = "Inter"


@dataclass(frozen=True, slots=True)
class Point:
    """One place on the x axis: what is said on hover, and where a click leads ("" for nowhere)."""

    title: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One series over time. `ticks` are (value, text) pairs of the y axis, first and last its ends."""

    values: Values
    ticks: Sequence[tuple[float, str]]
    kind: str = "line"  # or "bars"
    height: int = 96
    hollow: Collection[int] = ()  # indexes of what covers only a part of its span
    pale: Collection[int] = ()  # indexes of what is taken over so few calls that it says little
    waiting: Collection[int] = ()  # of what waits for the reader's review: a clock, on pages alone
    marks: Mapping[int, str] = field(default_factory=dict)  # index → label of a line across the chart, or ""
    intervals: Sequence[tuple[float, float] | None] = ()  # drawn as a band, on paper alone
    target: float | None = None  # a line across the chart, on paper alone


TOP = 8  # room above the highest value and below the lowest for a dot and half a text
BASE = 6
TEXT_TOP = 18  # on paper the texts of the axis stand above their lines
DOTS_UP_TO = 30  # more points than this are drawn as a line alone
DOT = 2.75
CLOCK = (  # on pages alone
    '<svg class="waits" x="{x:.3f}%" y="{y:g}" overflow="visible">'
    '<circle r="5.5"/><path d="M0-3.2V0l2.2 1.6"/></svg>'
)
DOTS_HEIGHT, DOTS_RADIUS, PAPER_RADIUS = 16, 4, 2.25  # of a row of a dot plot
DOTS_GRID = (0, 25, 50, 75, 100)
LABELS_APART = 10  # percent of the width; labels of marks that are nearer are left out


def panel_svg(
    panel: Panel, points: Sequence[Point], *, width: float | None = None, palette: Palette | None = None
) -> str:
    """Return one chart as an <svg>; `width` in pixels, None for all the width there is."""
    is_paper = width is not None
    y, paint = _scale(panel, top=TEXT_TOP if is_paper else TOP), _Paint(palette)
    draw = _bars if panel.kind == "bars" else _line
    parts = [
        _grid(panel, y, paint),
        "" if width is None else _band(panel, y, width, paint) + _target(panel, y, width, paint),
        draw(panel, y, width, paint),
        _marks(panel, y, width, paint),
        "" if is_paper else draw_clocks(panel.waiting, len(panel.values), panel.height - BASE - 8),
        _hits(panel, points),
    ]
    if is_paper:  # a page has them next to the chart: ticks_svg()
        parts += [_text(text, 0, y(value) - 4, paint) for value, text in panel.ticks]
    return _svg("chart", "100%" if width is None else f"{width:g}", panel.height, "".join(parts))


def ticks_svg(panel: Panel, *, width: int = 44) -> str:
    """Return the texts of the y axis, to stand on the left of the chart of a page."""
    y, paint = _scale(panel, top=TOP), _Paint(None)
    texts = (_text(text, width - 8, y(value) + 4, paint, anchor="end") for value, text in panel.ticks)
    return _svg("ticks", str(width), panel.height, "".join(texts))


def _text(text: str, x: float, y: float, paint: "_Paint", *, anchor: str = "start") -> str:
    look = paint.fill("text") + paint.text()
    return f'<text class="tick" x="{x:g}" y="{y:g}" text-anchor="{anchor}"{look}>{escape(text)}</text>'


def _svg(css_class: str, width: str, height: int, content: str) -> str:
    return (
        f'<svg class="{css_class}" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'aria-hidden="true">{content}</svg>'
    )


def _scale(panel: Panel, *, top: int) -> _Scale:
    low, high = panel.ticks[0][0], panel.ticks[-1][0]

    def y(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(top + (1 - share) * (panel.height - top - BASE), 1)

    return y


def share_svg(share_pct: float | None, css_class: str = "bar") -> str:
    """Return a bar that is filled to `share_pct` of its width."""
    filled = 0.0 if share_pct is None else min(max(share_pct, 0.0), 100.0)
    return f'<svg class="{css_class}" aria-hidden="true"><rect width="{filled:g}%" height="100%"/></svg>'


def dots_svg(
    now_pct: float | None,
    *,
    before_pct: float | None = None,
    interval: tuple[float, float] | None = None,
    is_few: bool = False,
    is_few_before: bool = False,
    mark_pct: float | None = None,
    width: float | None = None,
    palette: Palette | None = None,
) -> str:
    """Return one row of a dot plot from 0 to 100: a dot, a hollow one for before, a line for the interval.

    Rows below each other share the axis. `is_few`: over so few calls that the dot is pale; `is_few_before`:
    so is the hollow one. `mark_pct`: a line to be reached. `width`: points on paper, None: all there is.
    """
    paint, middle = _Paint(palette), DOTS_HEIGHT / 2
    color, radius = "text" if is_few else "line", DOTS_RADIUS if width is None else PAPER_RADIUS

    def x(percent: float) -> str:
        clipped = min(max(percent, 0.0), 100.0)
        # On paper without percentages, as in _marks(), and with room for a dot at either end.
        return f"{clipped:g}%" if width is None else f"{radius + clipped * (width - 2 * radius) / 100:.2f}"

    parts = [
        f'<line class="grid" x1="{x(at)}" x2="{x(at)}" y1="0" y2="{DOTS_HEIGHT}"{paint.stroke("grid")}/>'
        for at in DOTS_GRID
    ]
    if mark_pct is not None:  # on pages alone
        parts.append(f'<line class="mark" x1="{x(mark_pct)}" x2="{x(mark_pct)}" y1="0" y2="{DOTS_HEIGHT}"/>')
    if now_pct is not None and interval is not None:
        parts.append(
            f'<line class="reach" x1="{x(interval[0])}" x2="{x(interval[1])}" y1="{middle:g}" y2="{middle:g}"'
            f"{paint.stroke(color, 1.5)}/>"
        )
        if interval[0] < 0 and width is None:  # on pages alone: a coefficient may lie below the axis
            parts.append(f'<path class="beyond" d="M0 {middle:g}h-5v-4l-5 4l5 4v-4"/>')
    for name, value, is_pale in (("before", before_pct, is_few or is_few_before), ("now", now_pct, is_few)):
        if value is not None:
            look = paint.mark("text" if is_pale else "line", is_hollow=name == "before")
            css_class = f"{name} pale" if is_pale else name
            parts.append(f'<circle class="{css_class}" cx="{x(value)}" cy="{middle:g}" r="{radius}"{look}/>')
    return _svg(f"dots{' few' * is_few}", f"{width:g}" if width else "100%", DOTS_HEIGHT, "".join(parts))


def round_ticks(values: Values, *, at_least: float = 0.0, most: float | None = None) -> list[float]:
    """Return three or four round numbers from 0 that span the values."""
    highest = max([v for v in values if v is not None], default=0.0)
    highest = max(highest, at_least, 1e-9)
    power = 10.0 ** math.floor(math.log10(highest / 2))
    step = next(power * f for f in (1, 2, 2.5, 5, 10) if power * f * 3 >= highest)
    count = max(1, math.ceil(highest / step - 1e-9))
    ticks = [round(step * i, 10) for i in range(count + 1)]
    return ticks if most is None or ticks[-1] <= most else [0.0, most / 2, most]


class _Paint:
    """Attributes of color: none on a page, where classes do it."""

    def __init__(self, palette: Palette | None) -> None:
        self.palette = palette

    def stroke(self, name: str, width: float = 1) -> str:
        return f' stroke="{getattr(self.palette, name)}" stroke-width="{width:g}"' if self.palette else ""

    def fill(self, name: str) -> str:
        return f' fill="{getattr(self.palette, name)}"' if self.palette else ""

    def mark(self, name: str, *, is_hollow: bool) -> str:
        """A dot or a bar; a hollow one has an outline alone."""
        if not self.palette or not is_hollow:
            return self.fill(name)
        return f' fill="#ffffff" stroke="{getattr(self.palette, name)}" stroke-width="1.2"'

    def text(self) -> str:
        return f' font-family="{self.palette.font}" font-size="9"' if self.palette else ""


def _grid(panel: Panel, y: _Scale, paint: _Paint) -> str:
    lines = (
        f'<line class="grid" x1="0" x2="100%" y1="{y(value)}" y2="{y(value)}"{paint.stroke("grid")}/>'
        for value, _ in panel.ticks
    )
    return "".join(lines)


def _band(panel: Panel, y: _Scale, width: float, paint: _Paint) -> str:
    """Return what the values may be off by, over each run of them that have an interval."""
    count, found = len(panel.values), []
    run: list[tuple[float, float, float]] = []
    for i, interval in enumerate([*panel.intervals, None]):
        if interval is not None:
            run.append((find_middle(i, count) * width / 100, *interval))
            continue
        edge = [(x, high) for x, _, high in run] + [(x, low) for x, low, _ in reversed(run)]
        points = " ".join(f"{x:.1f},{y(value)}" for x, value in edge)
        if run:
            look = f'{paint.fill("line")} fill-opacity="0.14"'
            if len(run) == 1:  # which has no area
                look += f'{paint.stroke("line", 4)} stroke-opacity="0.14"'
            found.append(f'<polygon class="band" points="{points}"{look}/>')
        run = []
    return "".join(found)


def _target(panel: Panel, y: _Scale, width: float, paint: _Paint) -> str:
    if panel.target is None:
        return ""
    at = y(panel.target)
    look = paint.stroke("text")
    return f'<line class="target" x1="0" x2="{width:g}" y1="{at}" y2="{at}" stroke-dasharray="5 3"{look}/>'


def _line(panel: Panel, y: _Scale, width: float | None, paint: _Paint) -> str:
    """The path in a box of its own that stretches, the dots outside it so that they stay round."""
    across = 1000.0 if width is None else width
    count = len(panel.values)
    placed = [
        None if value is None else (find_middle(i, count) * across / 100, y(value))
        for i, value in enumerate(panel.values)
    ]
    dotted = ' stroke-dasharray="1 3"' if paint.palette else ""
    looks = paint.stroke("line", 1.5), paint.stroke("text") + dotted
    path = (
        f'<svg viewBox="0 0 {across:g} {panel.height}" preserveAspectRatio="none" width="100%" height="100%">'
        f"{line_svg(placed, panel.pale, looks)}</svg>"
    )
    dots = (
        f'<circle class="dot{" hollow" if i in panel.hollow else ""}{" pale" if i in panel.pale else ""}" '
        f'cx="{find_middle(i, count):.3f}%" cy="{y(value)}" r="{DOT}"'
        f"{paint.mark('text' if i in panel.pale else 'line', is_hollow=i in panel.hollow)}/>"
        for i, value in enumerate(panel.values)
        if value is not None and (count <= DOTS_UP_TO or i in panel.hollow or is_alone(panel.values, i))
    )
    return path + "".join(dots)


def _bars(panel: Panel, y: _Scale, _width: float | None, paint: _Paint) -> str:
    slot, base = 100 / max(len(panel.values), 1), y(panel.ticks[0][0])
    bars = (
        f'<rect class="column{" hollow" if i in panel.hollow else ""}" x="{i * slot + slot * 0.2:.3f}%" '
        f'width="{slot * 0.6:.3f}%" y="{y(value)}" '
        f'height="{base - y(value):g}"{paint.mark("bar", is_hollow=i in panel.hollow)}/>'
        for i, value in enumerate(panel.values)
        if value
    )
    return "".join(bars)


def _marks(panel: Panel, y: _Scale, width: float | None, paint: _Paint) -> str:
    """Lines across the chart, each with its label at the foot where there is room for it."""
    top, base, count, parts, last = y(panel.ticks[-1][0]), y(panel.ticks[0][0]), len(panel.values), [], -100.0
    for i, label in sorted(panel.marks.items()):
        at = find_middle(i, count)
        # On paper without percentages: its renderer takes them of the page.
        x = f"{at:.3f}%" if width is None else f"{at * width / 100:.1f}"
        look = paint.stroke("text", 0.75)
        parts.append(
            f'<line class="mark" x1="{x}" x2="{x}" y1="{top}" y2="{base}" stroke-dasharray="2 2"{look}/>'
        )
        if label and at - last >= LABELS_APART:
            last, is_late = at, at > 100 - LABELS_APART
            parts.append(
                f'<text class="mark-label" x="{x}" y="{base - 4:g}" dx="{-3 if is_late else 3}" '
                f'text-anchor="{"end" if is_late else "start"}"{paint.fill("text")}{paint.text()}>'
                f"{escape(label)}</text>"
            )
    return "".join(parts)


def _hits(panel: Panel, points: Sequence[Point]) -> str:
    """Invisible columns over the whole height: hover says the value, a click opens the calls."""
    slot = 100 / len(points) if points else 0
    found = []
    for i, point in enumerate(points):
        if not point.title:
            continue
        area = (
            f'<rect class="hit" x="{i * slot:.3f}%" width="{slot:.3f}%" height="{panel.height}" fill="none">'
            f"<title>{escape(point.title)}</title></rect>"
        )
        found.append(f'<a href="{escape(point.href)}" tabindex="-1">{area}</a>' if point.href else area)
    return "".join(found)


def draw_clocks(waiting: Collection[int], count: int, y: float) -> str:
    """Return a clock for each of `count` weeks whose value waits for the reader's review."""
    return "".join(CLOCK.format(x=find_middle(i, count), y=y) for i in sorted(waiting))


def line_svg(
    placed: Placed,
    pale: Collection[int],
    looks: tuple[str, str] = ("", ""),
    name: str = "line",
) -> str:
    """Return the line through the values: firm, and dotted where it leads to one of few calls.

    The looks are their attributes of color, for paper.
    """
    firm = draw_path([None if i in pale else point for i, point in enumerate(placed)])
    faint = "".join(
        draw_path(pair)
        for i, pair in enumerate(itertools.pairwise(placed))
        if None not in pair and (i in pale or i + 1 in pale)
    )
    return "".join(
        f'<path class="{each}" d="{path}" fill="none" vector-effect="non-scaling-stroke"{color}/>'
        for each, path, color in ((name, firm, looks[0]), (f"{name} pale", faint, looks[1]))
        if path
    )


def is_alone(values: Sequence[object], i: int) -> bool:
    """Return whether a value has none next to it, so that no line leads to it."""
    around = values[max(i - 1, 0) : i], values[i + 1 : i + 2]
    return values[i] is not None and all(other is None for side in around for other in side)


def draw_path(placed: Placed) -> str:
    """Return a path through the values, with a gap where there is none."""
    steps, pen = [], "M"
    for point in placed:
        if point is None:
            pen = "M"
            continue
        steps.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "L"
    return "".join(steps)


def find_middle(index: int, count: int) -> float:
    """Return where the middle of a point's slot is, in percent of the width."""
    return (index + 0.5) * 100 / count
