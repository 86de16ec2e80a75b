"""Excel files: each value as what it is, and texts never as anything else."""

import datetime as dt

import pytest

from callscope.interfaces.web.downloads import xlsx_export
from tests.sheets import read_cells, read_sheet

pytestmark = pytest.mark.django_db  # the end of a response looks at the connections


def written(head, *rows):
    answer = xlsx_export.download("x.xlsx", head, iter(rows))
    content = b"".join(answer.streaming_content)
    answer.close()
    return content


class TestCells:
    @pytest.mark.parametrize(
        "text",
        [
            "=cmd|'/c calc'!A0", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "https://example.com",
            "mailto:a@b.example", "{=1+1}", "1e5", "007", "TRUE", " padded ", "two\nlines", "<b>&amp;",
            "½ ñ 😀", "internal:x!A1",
        ],
    )  # fmt: skip
    def test_keep_texts_as_they_are(self, text):
        assert read_sheet(written(["name"], [text])) == [["name"], [text]]

    @pytest.mark.parametrize("text", ["\x00bell\x07", "half \ud800", "\ufffe", "x" * 40_000])
    def test_keep_texts_readable_that_no_sheet_holds(self, text):
        [_, [shown]] = read_sheet(written(["name"], [text]))

        assert shown

    def test_are_numbers_truths_days_and_moments(self):
        moment = dt.datetime(2026, 3, 1, 10, 30)
        abroad = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
        head = ["calls", "is_new", "week", "call_datetime", "changed_at", "agent"]

        [_, row] = read_cells(written(head, [3, True, moment.date(), moment, abroad, None]))

        assert row == [
            (3.0, ""),
            (True, ""),
            (46082.0, "yyyy-mm-dd"),
            (46082.4375, "yyyy-mm-dd hh:mm:ss"),
            (46082.4375, "yyyy-mm-dd hh:mm:ss"),
            (None, ""),
        ]

    def test_of_a_year_that_no_sheet_knows_are_texts(self):
        [_, row] = read_sheet(written(["call_datetime"], [dt.datetime(1812, 1, 1)]))

        assert row == ["1812-01-01 00:00:00"]

    @pytest.mark.parametrize(
        ("name", "look"),
        [
            ("critical_error_pct", '0.00" %"'),
            ("score_percentage", '0.00" %"'),
            ("average_score", '0.00" %"'),
            ("average_score_low", '0.00" %"'),
            ("weighted_compliance", '0.00" %"'),
            ("delta_pct", "+0.00;-0.00;0.00"),
            ("average_score_difference_low", "+0.00;-0.00;0.00"),
            ("Did the caller ask for a change? quote_start", ""),
            ("calls", ""),
            ("duration_seconds", ""),
        ],
    )
    def test_say_what_a_number_is(self, name, look):
        [_, row] = read_cells(written([name], [83.5]))

        assert row == [(83.5, look)]
