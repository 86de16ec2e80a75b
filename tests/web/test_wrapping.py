"""Where a line of text may not be broken."""

import pytest

from callscope.interfaces.web.templatetags.wrapping import keep_counts


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
