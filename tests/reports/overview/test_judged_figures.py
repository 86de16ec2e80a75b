"""Which figures of a criterion a reader judges by: those of the calls to which it applies."""

from dataclasses import replace

import pytest

from callscope.reports.overview.schemas import ScorecardRow
from callscope.reports.overview.scorecard import judge_row

pytestmark = pytest.mark.one_database
ROW = ScorecardRow(
    "offer",
    "Offers a way to stay",
    "Closing",
    10.0,
    91.7,
    95.0,
    -3.3,
    1,
    12,
    2,
    10,
    evaluated_pct=50.0,
    previous_calls=20,
    average_pct_interval=(80.0, 97.0),
    delta_pct_interval=(-9.0, 2.0),
    previous_evaluated_pct=75.0,
    previous_evaluated_calls=4,
    evaluated_delta_pct=-25.0,
)


class TestJudgedFigures:
    def test_leave_out_calls_to_which_the_criterion_does_not_apply(self):
        judged = judge_row(ROW)

        assert (judged.pct, judged.calls, judged.interval) == (50.0, 2, None)
        assert (judged.previous_pct, judged.previous_calls, judged.delta_pct) == (75.0, 4, -25.0)
        assert not judged.is_average

    def test_are_none_where_it_applies_to_no_call(self):
        row = replace(ROW, evaluated_calls=0, not_applicable_calls=12, evaluated_pct=None)

        assert (judge_row(row).pct, judge_row(row).calls) == (None, 0)

    def test_are_the_average_where_applicability_was_not_recorded(self):
        judged = judge_row(replace(ROW, evaluated_calls=1))

        assert (judged.pct, judged.calls, judged.interval) == (91.7, 12, (80.0, 97.0))
        assert (judged.previous_pct, judged.previous_calls, judged.delta_pct) == (95.0, 20, -3.3)
        assert judged.is_average

    def test_are_compared_with_no_average_that_counts_other_calls(self):
        judged = judge_row(replace(ROW, previous_evaluated_calls=None))

        assert judged.pct == 50.0
        assert judged.previous_pct is judged.delta_pct is None
