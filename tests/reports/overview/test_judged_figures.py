"""Which figures of a criterion a reader judges by: those of the calls to which it applies."""

from dataclasses import replace

import pytest

from callscope.projects.models import Project
from callscope.projects.owners import Owners
from callscope.reports.overview.schemas import ScorecardRow
from callscope.reports.overview.scorecard import group_rows, judge_row

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

    @pytest.mark.parametrize(
        ("evaluated", "not_applicable", "calls", "is_average"),
        [(2, 10, 2, False), (1, 10, 2, False), (0, 0, 12, True), (11, 0, 12, True), (12, 0, 12, False)],
    )
    def test_count_calls_that_did_not_record_whether_it_applies(
        self, evaluated, not_applicable, calls, is_average
    ):
        row = replace(ROW, evaluated_calls=evaluated, not_applicable_calls=not_applicable)

        assert (judge_row(row).calls, judge_row(row).is_average) == (calls, is_average)


class TestGroupRows:
    """Page and PDF have the rows of one section below one head, wherever they stand."""

    def test_has_each_section_of_a_project_once_in_the_order_of_its_first_row(self):
        owners = Owners([make_project(1, "North", "acd"), make_project(2, "South", "b")])
        places = [("a", "Start"), ("b", "Start"), ("c", "End"), ("d", "Start"), ("e", "")]
        rows = [replace(ROW, criterion_id=each, name=each, section=section) for each, section in places]

        groups = group_rows(rows, owners)

        assert [(each.project, each.section, [row.criterion_id for row in each.rows]) for each in groups] == [
            ("North", "Start", ["a", "d"]),
            ("", "End", ["c"]),
            ("South", "Start", ["b"]),
            ("No longer in a rubric", "", ["e"]),
        ]

    def test_has_no_head_of_a_project_where_there_is_one(self):
        assert [each.project for each in group_rows([ROW], Owners([]))] == [""]


def make_project(pk, name, criteria):
    rubric = {
        "sections": [
            {"name": "S", "criteria": [{"id": each, "name": each, "max_points": 10} for each in criteria]}
        ]
    }
    return Project(pk=pk, name=name, config={"rubric": rubric})
