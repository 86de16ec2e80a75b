"""Dates: on one line of a table where there is room, and below their bars in charts."""

import re
from pathlib import Path

import pytest

from callscope.interfaces import web
from callscope.interfaces.web.presenters.trend import draw_axis

FOLDER = Path(web.__file__).parent
DATES = re.compile(r"<td((?: [^>]*)?)>(?:\{%[^%]*%\})?\{\{ [^}]*\|(?:day|moment)\b")
NAMED = re.compile(r'class="(?:[^"]* )?(?:day|moment|f-when|c-when)\b')


def test_each_date_of_a_table_is_named():
    files = sorted((FOLDER / "templates").rglob("*.html"))
    found = [
        (file.name, attributes) for file in files for attributes in DATES.findall(file.read_text("utf-8"))
    ]

    assert len(found) > 10
    assert [(name, attributes) for name, attributes in found if not NAMED.search(attributes)] == []


@pytest.mark.parametrize("name", ["day", "moment"])
def test_a_date_stands_on_one_line(name):
    css = (FOLDER / "static" / "web" / "css" / "base.css").read_text("utf-8")

    assert re.search(rf"@media \(min-width: 4[08]rem\) \{{ td\.{name} \{{ white-space: nowrap", css)


def test_the_first_and_the_last_date_of_a_chart_stand_below_the_middle_of_their_bars():
    assert re.findall(r'text-anchor="(\w+)"', str(draw_axis(["Nov 3"] * 25))) == ["middle"] * 3


@pytest.mark.parametrize(("count", "at_edge"), [(5, False), (25, True)])
def test_the_last_date_of_many_keeps_to_the_page_of_a_phone(count, at_edge):
    last = str(draw_axis(["Nov 3"] * count)).split("<text")[-1]

    assert ('class="tick at-edge"' in last) is at_edge
