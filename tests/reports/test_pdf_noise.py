"""The sign behind a change of which the PDF cannot say that it is more than chance."""

import pytest

from callscope.reports.overview.report import FigureDifference
from callscope.reports.pdf.noise import mark_noise, write_difference
from callscope.reports.pdf.number_formats import DASH, ReportLocale


@pytest.mark.parametrize(
    ("difference", "interval", "within_noise", "written"),
    [
        (None, None, None, DASH),
        (13.3, None, None, "+13.3 ~"),
        (13.3, (-2.0, 28.0), True, "+13.3 ~"),
        (13.3, (2.0, 24.0), False, "+13.3"),
    ],
)
def test_a_difference_over_few_calls_is_written_and_marked(difference, interval, within_noise, written):
    found = FigureDifference("average_score", difference, interval, within_noise)

    assert write_difference(found, ReportLocale("en")) == written


def test_a_change_over_few_calls_is_marked():
    assert mark_noise(None) == ""
    assert mark_noise(None, is_few=True) == " ~"
