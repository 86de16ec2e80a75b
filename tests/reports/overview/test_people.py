"""What people would score next to what counts: said where it says something, named where it contradicts."""

import dataclasses

import pytest

from callscope.reports.overview.people.sentences import (
    describe_difference,
    describe_people,
    explain_people,
    is_disputed,
)
from callscope.reports.overview.schemas import ReviewFigures
from callscope.reports.overview.targets import describe_target

pytestmark = pytest.mark.one_database


def figures(score=71.4, interval=(66.0, 76.8), counted=81.2, sampled=10) -> ReviewFigures:
    return ReviewFigures(
        sampled,
        0,
        None,
        true_score=score,
        true_score_interval=interval,
        sampled_calls=sampled,
        counted_score=counted,
    )


def write(value, decimals):
    return f"{value:.{decimals}f}"


class TestPeople:
    def test_are_quoted_with_their_calls_and_their_interval(self):
        assert describe_people(figures(), write) == (
            "People would score these calls 71.4\u00a0% on average, estimated from 10 calls that were drawn "
            "at random and reviewed. 95\u00a0% interval 66.0 to 76.8."
        )

    def test_are_set_against_the_machine_on_the_same_calls(self):
        both = dataclasses.replace(figures(), sampled_score=73.7, sampled_machine_score=78.9)

        assert describe_people(both, write).endswith(
            " 95\u00a0% interval 66.0 to 76.8. On these 10 calls, people gave 73.7\u00a0% "
            "and the machine 78.9\u00a0%."
        )

    @pytest.mark.parametrize(
        ("outdated", "expected"),
        [
            (1, "1 reviewed call is left out: its criteria or its transcript have changed since."),
            (3, "3 reviewed calls are left out: their criteria or transcripts have changed since."),
        ],
    )
    def test_name_the_reviews_that_are_left_out(self, outdated, expected):
        many = dataclasses.replace(figures(), outdated_samples=outdated)
        few = dataclasses.replace(figures(100.0, None, 50.0, 3), outdated_samples=outdated)

        expected = f"In what people would score, {expected}"
        assert describe_people(many, write).endswith(f"interval 66.0 to 76.8. {expected}")
        assert describe_people(few, write).startswith(
            f"What people would score is not estimated: {outdated} reviewed call"
        )
        assert explain_people(few, write) == ""

    def test_are_explained_by_the_average_that_counts(self):
        assert explain_people(figures(), write) == (
            "The estimate is the average score of all calls, 81.2\u00a0%, plus what people gave more or less "
            "than the machine on the calls drawn: agent by agent, for the calls that nobody reviewed."
        )
        assert explain_people(figures(counted=None), write) == ""
        assert explain_people(figures(interval=None), write) == ""

    def test_are_not_quoted_over_so_few_calls_that_there_is_no_interval(self):
        few = figures(100.0, None, 50.0, 3)

        assert describe_people(few, write) == describe_difference(few, write) == ""
        assert describe_people(figures(None, None, None, 0), write) == ""

    @pytest.mark.parametrize(
        ("interval", "counted", "expected"),
        [
            ((66.0, 76.8), 81.2, True),
            ((66.0, 76.8), 60.0, True),
            ((66.0, 81.2), 81.2, False),
            ((80.01, 80.01), 80.0, False),  # the same figure, but for rounding
            ((66.0, 76.8), None, False),
            (None, 81.2, False),
        ],
    )
    def test_differ_where_their_interval_leaves_out_what_counts(self, interval, counted, expected):
        found = figures(interval=interval, counted=counted)

        assert is_disputed(found) is expected
        assert describe_difference(found, write) == ("People: 71.4\u00a0% (n 10)" if expected else "")

    def test_leave_a_target_without_a_verdict(self):
        said = describe_target("average_score", 81.2, None, {"average_score": 80.0}, write, is_disputed=True)

        assert said == "Target 80\u00a0%"
