"""A figure is rounded once, to as many decimals as its place shows."""

import copy
import json
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.analysis.figures import (
    Figure,
    figure_of,
    mean_of,
    percentage,
    ratio,
    round_to,
    score_of,
    subtract,
    take_percent,
)

PARTS = st.integers(-(10**9), 10**9)
BASES = st.integers(1, 10**9)


class TestFigure:
    def test_is_the_number_of_the_interface(self):
        found = percentage(6, 11)

        assert found == 54.55
        assert (str(found), json.dumps(found)) == ("54.55", "54.55")

    def test_is_rounded_from_what_it_is_itself_rounded_from(self):
        assert round_to(percentage(6, 11), 1) == Decimal("54.5")
        assert round_to(54.55, 1) == Decimal("54.6")  # of a number, only its digits are known

    @given(part=PARTS, base=BASES, decimals=st.integers(0, 4))
    def test_is_rounded_half_even(self, part, base, decimals):
        assert round_to(ratio(part, base), decimals) == Decimal(
            str(float(round(Fraction(part, base), decimals)))
        )

    @given(part=PARTS, base=BASES)
    def test_keeps_its_fraction_without_a_sign_and_in_copies(self, part, base):
        found = ratio(part, base)

        negative = -found
        for same in (-negative, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            assert (same, round_to(same, 9)) == (found, round_to(found, 9))
        assert round_to(abs(found), 1) == abs(round_to(found, 1))

    def test_has_no_value_over_nothing(self):
        assert percentage(0, 0) is ratio(1, 0) is mean_of([]) is None


class TestSubtract:
    @given(PARTS, BASES, PARTS, BASES)
    def test_takes_one_exact_number_from_the_other(self, n1, d1, n2, d2):
        exact = Fraction(n1, d1) - Fraction(n2, d2)

        assert subtract(ratio(n1, d1), ratio(n2, d2)) == float(round(exact, 2))

    def test_takes_the_digits_of_other_numbers(self):
        assert round_to(subtract(percentage(6, 11), 54.5), 3) == Decimal("0.045")
        assert subtract(12, 7) == 5


class TestTakePercent:
    def test_multiplies_exact_numbers(self):
        found = take_percent(percentage(1, 3), percentage(5, 11))

        assert (found, round_to(found, 4)) == (15.15, Decimal("15.1515"))  # of 33.33 and 45.45: 15.1485


class TestMeanOf:
    def test_adds_up_exact_numbers(self):
        assert mean_of([percentage(2, 3), percentage(0, 3)]) == 33.33  # of 66.67 and 0 it would be 33.34


class TestFigureOf:
    def test_takes_nine_decimals_of_a_float_for_exact(self):
        assert round_to(figure_of(50.850000000001), 1) == Decimal("50.8")
        assert round_to(figure_of(50.8501), 1) == Decimal("50.9")


class TestScoreOf:
    @pytest.mark.parametrize(
        ("copc", "expected"),
        [
            ({"score_percentage": 54.55, "total_points": 6, "max_possible_points": 11}, "54.5"),
            ({"score_percentage": 54.55, "total_points": 0.6, "max_possible_points": 1.1}, "54.5"),
            ({"score_percentage": 54.55}, "54.6"),
            ({"score_percentage": 0, "total_points": 6, "max_possible_points": 11}, "0.0"),
        ],
    )
    def test_is_taken_from_the_points(self, copc, expected):
        score = score_of(copc)

        assert isinstance(score, float)
        assert (score, str(round_to(score, 1))) == (copc["score_percentage"], expected)

    def test_is_none_where_nothing_was_scored(self):
        assert score_of({}) is score_of({"score_percentage": None, "total_points": None}) is None


def test_figures_differ_from_numbers_that_are_equal():
    assert Figure(54.55, 600, 11) == 54.55  # so nothing may be cached under them
