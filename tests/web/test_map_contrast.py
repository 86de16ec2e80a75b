"""Figures in the maps can be read on each shade, and lines of charts be seen, in light and in dark."""

import re
from pathlib import Path

import pytest

from callscope.interfaces import web
from callscope.reports.overview.maps.shades import LEVELS

CSS = Path(web.__file__).parent / "static" / "web" / "css"
LEAST = 4.5  # of normal text, by WCAG 2.2
LEAST_OF_LINES = 3  # of what is drawn, by the same
LEAST_OF_STEPS = (1.12, 1.25)  # of the lowest shade against none, in light and in dark


def read_colors(name):
    """Return the color of a name in light and in dark, as three shares of 255."""
    found = re.search(rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)", (CSS / "base.css").read_text())
    return [[int(each[i : i + 2], 16) / 255 for i in (1, 3, 5)] for each in found.groups()]


def mix(color, share, other):
    return [a * share + b * (1 - share) for a, b in zip(color, other, strict=True)]


def contrast(one, other):
    bright, dark = sorted((measure_luminance(one), measure_luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def measure_luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_each_shade_and_from_its_hatching(theme):
    css = (CSS / "report.css").read_text()
    ink, accent, paper = (read_colors(name)[theme] for name in ("ink", "accent", "paper"))
    found = re.findall(r"--shade: (\d+)%; --dark: (\d+)%; }", css)
    shades = [0, *(int(each[theme]) / 100 for each in found)]
    few = re.search(r"td\.few \{ color: var\(--ink\);.*var\(--ink\) (\d+)%, var\(--cell\)", css)
    assert len(shades) == LEVELS + 1

    cells = [mix(accent, share, paper) for share in shades]
    hatched = [mix(ink, int(few[1]) / 100, cell) for cell in cells]

    assert min(contrast(ink, each) for each in (*cells, *hatched)) >= LEAST
    assert contrast(cells[1], paper) >= LEAST_OF_STEPS[theme]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    "line", [".chart .line", ".chart .line.pale", ".chart .behind", ".wide-trend .chart .line.pale"]
)
def test_lines_of_charts_stand_out_and_are_wide_enough_to_be_drawn_in_full(theme, line):
    css = (CSS / "report.css").read_text()
    rule = re.search(rf"  {re.escape(line)} \{{ ([^}}]*)\}}", css)[1]

    stroke = read_colors(re.search(r"stroke: var\(--([\w-]+)\)", rule)[1])[theme]
    width = re.search(r"stroke-width: ([\d.]+)", rule)

    assert contrast(stroke, read_colors("paper")[theme]) >= LEAST_OF_LINES
    assert width is None or float(width[1]) >= 1.5
