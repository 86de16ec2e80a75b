"""Where a line of text may not be broken."""

import re
from pathlib import Path

import pytest

from callscope.interfaces import web
from callscope.interfaces.web.templatetags.wrapping import keep_counts

TEMPLATES = {
    str(each): each.read_text("utf-8") for each in (Path(web.__file__).parent / "templates").rglob("*.html")
}
HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
#: A name, and what stands before it.
NAME = re.compile(r"(.)\{\{ (?:name|email|item\.file_name) }}", re.DOTALL)
SPACED_INTERVAL = re.compile(r"(?:low|low_pct|\.0)(?:\|number:\d }}|[^}]*%}) – ")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("(16 scored calls now, 10 before)", "(16\u00a0scored calls now, 10\u00a0before)"),
        ("In 5 llamadas, y 2 épocas", "In 5\u00a0llamadas, y 2\u00a0épocas"),
        ("Nov 23 – 27, 1 000", "Nov 23 – 27, 1 000"),
    ],
)
def test_a_number_stays_with_its_word(text, kept):
    assert keep_counts(text) == kept


def test_a_heading_breaks_before_the_name_that_it_ends_with():
    found = [
        (name, before)
        for text in TEMPLATES.values()
        for name in HEADING.findall(text)
        for before in NAME.findall(name)
    ]

    assert len(found) >= 4
    assert [name for name, before in found if before not in ">“"] == []


def test_intervals_are_written_without_spaces_on_every_page():
    assert [name for name, text in TEMPLATES.items() if SPACED_INTERVAL.search(text)] == []
