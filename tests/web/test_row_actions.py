"""Buttons in rows of a table look like buttons elsewhere."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

import callscope.interfaces.web as web

STYLES = Path(finders.find("web/css/base.css")).parent
TEMPLATES = Path(web.__file__).parent / "templates"


def rules() -> list[tuple[str, str]]:
    """Return selector and declarations of each rule of the pages."""
    css = "".join(path.read_text() for path in sorted(STYLES.glob("*.css")))
    return re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))


def test_a_button_alone_in_its_cell_keeps_the_gap_after_its_icon():
    # What lays out the only link of a cell must leave buttons as they are: flex boxes with a gap.
    laid_out = [selector.strip() for selector, said in rules() if "display" in said]
    found = [selector for selector in laid_out if "a:only-child" in selector]

    assert found
    assert [selector for selector in found if ":not(.button)" not in selector] == []


def test_a_cell_that_begins_with_a_quiet_button_is_one_of_actions():
    cells = re.compile(r'<td(?P<said>[^>]*)>(?:\{%[^%]*%\})?<a class="button quiet"')
    found = [cell["said"] for path in TEMPLATES.rglob("*.html") for cell in cells.finditer(path.read_text())]

    assert len(found) > 2
    assert [said for said in found if "row-actions" not in said] == []


def test_buttons_of_one_row_stand_apart_also_where_each_is_a_form():
    found = [selector.strip() for selector, said in rules() if "margin-inline-start: var(--u)" in said]

    assert ".row-actions :is(.button, form) + :is(.button, form)" in found


def test_buttons_next_to_a_heading_use_its_width():
    [said] = [said for selector, said in rules() if selector.strip() == ".section-head > .aside.actions"]

    assert "max-inline-size: none" in said


def test_the_cross_of_a_critical_error_is_as_large_in_the_list_as_in_its_legend():
    named = [(name.strip(), said) for name, said in rules() if "font-size" in said]
    sizes = [(name, said) for name, said in named if re.search(r"(?<!:not\()\.critical", name)]

    assert [name for name, _said in sizes] == [".band.critical::before"]  # one size everywhere
    assert "font-size: 1.25em" in sizes[0][1]
