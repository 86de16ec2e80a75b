"""Tags that write what templates would write slowly."""

import pytest
from django.utils.translation import gettext_lazy, override

from callscope.interfaces.web.templatetags import formatting, setup


def test_options_selects_the_chosen_value_and_escapes_all():
    written = formatting.options([(7, "Ana <b>"), ('a"b', "R&D")], "7")

    assert written == (
        '<option value="7" selected>Ana &lt;b&gt;</option>\n    <option value="a&quot;b">R&amp;D</option>'
    )


@pytest.mark.parametrize("chosen", [None, "", "3"])
def test_options_selects_nothing_that_was_not_chosen(chosen):
    assert "selected" not in formatting.options([(7, "Ana"), ("", "Any")], chosen)


def test_options_takes_words_in_the_language_of_the_page():
    with override("es"):
        assert (
            formatting.options([("none", gettext_lazy("neutral"))]) == '<option value="none">neutro</option>'
        )


def test_marks_of_a_call_follow_the_language_of_the_page():
    with override("en"):
        assert formatting.sentiment("negative").endswith("negative</span>")
        assert "missed" in formatting.goal(False)
    with override("es"):
        assert formatting.sentiment("negative").endswith("negativo</span>")
        assert "missed" not in formatting.goal(False)


@pytest.mark.parametrize(
    "unknown", [formatting.sentiment(None), formatting.sentiment("puzzled"), formatting.goal(None)]
)
def test_an_unknown_result_is_a_dash_with_its_reason(unknown):
    assert "–" in unknown
    assert "unknown" in unknown


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "less than 1 min"),
        (29, "less than 1 min"),
        (62, "about 1 min"),
        (95, "about 2 min"),
        (3600, "about 60 min"),
        (9000, "about 2 h"),
    ],
)
def test_an_estimated_time_is_said_roughly(seconds, said):
    assert setup.rough_time(seconds).replace("\u00a0", " ") == said
