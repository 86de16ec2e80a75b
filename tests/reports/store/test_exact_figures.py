"""Figures are exact fractions until they are rounded, once and half-even."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import FEW

from callscope.analysis.figures import percentage, ratio, round_half_even
from callscope.reports.store.exact_figures import ExactMean, difference_percent, join_millionths, means_by_key

BIG = st.integers(0, 10**24)
SHARES = st.lists(
    st.tuples(st.sampled_from([1, 3, 7, 10**6, 2_500_000]), st.fractions(0, 1, max_denominator=50)),
    max_size=6,
)


def mean_of(shares):
    """Return the mean of (maximum, share) pairs, and the same by fractions."""
    mean = ExactMean()
    fractions = []
    for maximum, share in shares:
        points = int(share * maximum)
        mean.add(maximum, points, 1)
        fractions.append(Fraction(points, maximum))
    return mean, (sum(fractions, Fraction(0)) / len(fractions) if fractions else None)


def two_decimals(value):
    return None if value is None else float(round(value, 2))


class TestRoundHalfEven:
    @pytest.mark.parametrize(
        ("numerator", "denominator", "rounded"),
        [
            (1, 2, 0),
            (3, 2, 2),
            (5, 2, 2),
            (-1, 2, 0),
            (-3, 2, -2),
            (7, 4, 2),
            (5, 4, 1),
            (0, 9, 0),
            (6, 3, 2),
        ],
    )
    def test_sends_ties_to_the_even_neighbor(self, numerator, denominator, rounded):
        assert round_half_even(numerator, denominator) == rounded

    @given(st.integers(-(10**30), 10**30), st.integers(1, 10**18))
    @FEW
    def test_agrees_with_the_rounding_of_fractions(self, numerator, denominator):
        assert round_half_even(numerator, denominator) == round(Fraction(numerator, denominator))


class TestPercentage:
    @pytest.mark.parametrize(
        ("part", "base", "shown"),
        [
            (0, 0, None),
            (5, 0, None),
            (0, 3, 0.0),
            (1, 3, 33.33),
            (2, 3, 66.67),
            (1, 1, 100.0),
            (1, 800, 0.12),
            (3, 800, 0.38),
        ],
    )
    def test_has_two_decimals_and_is_null_without_a_base(self, part, base, shown):
        assert percentage(part, base) == shown

    def test_is_a_ratio_of_hundredths(self):
        assert ratio(1, 8) == 0.12
        assert ratio(7, 0) is None


class TestJoinMillionths:
    @given(BIG)
    @FEW
    def test_undoes_the_split_of_an_amount(self, amount):
        assert join_millionths(*divmod(amount, 1_000_000)) == amount

    @given(BIG, BIG)
    @FEW
    def test_joins_sums_of_parts_to_the_sum(self, one, other):
        parts = [divmod(one, 1_000_000), divmod(other, 1_000_000)]

        assert join_millionths(sum(high for high, _ in parts), sum(low for _, low in parts)) == one + other


class TestExactMean:
    @given(SHARES)
    @FEW
    def test_is_the_mean_of_the_shares(self, shares):
        mean, expected = mean_of(shares)

        numerator, denominator = mean.fraction()
        assert denominator == 0 if expected is None else Fraction(numerator, denominator) == expected
        assert mean.percent() == two_decimals(None if expected is None else expected * 100)

    def test_counts_every_call_alike_whatever_its_maximum(self):
        mean = ExactMean()
        mean.add(100, 100, 1)
        mean.add(1, 0, 1)

        assert mean.percent() == 50.0

    @given(SHARES, SHARES)
    @FEW
    def test_differs_from_another_by_the_exact_difference(self, now, before):
        (now_mean, now_exact), (before_mean, before_exact) = mean_of(now), mean_of(before)

        change = None if now_exact is None or before_exact is None else (now_exact - before_exact) * 100
        assert difference_percent(now_mean, before_mean) == two_decimals(change)

    def test_subtracts_before_it_rounds(self):
        now, before = ExactMean(), ExactMean()
        now.add(3, 2, 1)
        before.add(3, 1, 1)

        assert (now.percent(), before.percent()) == (66.67, 33.33)
        assert difference_percent(now, before) == 33.33


class TestMeansByKey:
    @given(
        st.dictionaries(
            st.tuples(st.integers(1, 3), st.sampled_from([3, 7, 10_000_019])),
            st.tuples(st.integers(1, 5), st.integers(0, 10**12), st.integers(0, 999_999)),
            max_size=6,
        )
    )
    @FEW
    def test_equals_adding_row_by_row(self, rows):
        table = np.array([[*key, *counts] for key, counts in rows.items()], np.int64).reshape(-1, 5)
        expected = {}
        for (key, maximum), (calls, high, low) in rows.items():
            expected.setdefault(key, ExactMean()).add(maximum, join_millionths(high, low), calls)

        means = means_by_key(table)

        assert {key: mean.percent() for key, mean in means.items()} == {
            key: mean.percent() for key, mean in expected.items()
        }

    def test_stays_exact_where_products_pass_64_bits(self):
        maxima = [2**40 - 87, 2**40 - 167]
        table = np.array([[1, maximum, 1, maximum // 10**6, maximum % 10**6] for maximum in maxima], np.int64)

        assert means_by_key(table)[1].percent() == 100.0

    def test_of_an_empty_table_is_empty(self):
        assert means_by_key(np.empty((0, 5), np.int64)) == {}
