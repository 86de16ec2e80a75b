"""What a spreadsheet would run as a formula is shown as a text."""

import pytest

from callscope.interfaces.guard.spreadsheet_cells import defused


@pytest.mark.parametrize(
    "start",
    [
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "\n",
        "＝",
        "＋",
        "－",
        "＠",
        " =",
        "　＝",
        "\ufeff=",
        "−",
        "\u200b=",
        "\u00ad=",
    ],
)
def test_a_text_that_begins_like_a_formula_is_quoted(start):
    assert defused(f"{start}1+1.srt") == f"'{start}1+1.srt"


@pytest.mark.parametrize("text", ["call=1.srt", "a + b", "", "½ call", "１+1"])
def test_any_other_text_is_left_as_it_is(text):
    assert defused(text) == text


@pytest.mark.parametrize("value", [-1, 0.5])
def test_numbers_stay_numbers(value):
    assert defused(value) == value
