"""Intervals: within their bounds, as wide as the calls are few, and equal to a count from single values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import naive_intervals
from reports.fact_rows import FEW

from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.intervals import (
    LEAST_CALLS,
    estimate,
    sample_means,
    sample_ratio,
    sample_shares,
)

SCORES = st.lists(st.integers(0, 100).map(lambda percent: percent / 100), min_size=1, max_size=30)


def mean_interval(*values):
    values = np.array(values, float)
    (interval,) = estimate(sample_means(len(values), values.sum(), (values**2).sum())).intervals()
    return interval


def share_interval(part, base):
    (interval,) = estimate(sample_shares(part, base)).intervals()
    return interval


class TestShares:
    @pytest.mark.parametrize(
        ("part", "base", "bounds"),
        [(0, 10, (0.0, 27.75)), (5, 10, (23.66, 76.34)), (10, 10, (72.25, 100.0)), (81, 263, (25.53, 36.62))],
    )
    def test_have_the_interval_of_wilson(self, part, base, bounds):
        assert share_interval(part, base) == bounds

    def test_of_too_few_calls_have_none(self):
        assert share_interval(2, LEAST_CALLS - 1) is None
        assert share_interval(2, LEAST_CALLS) is not None


class TestMeans:
    @given(SCORES)
    @FEW
    def test_equal_a_count_from_single_values(self, values):
        found, expected = mean_interval(*values), naive_intervals.interval(naive_intervals.mean_of(values))

        assert (found is None) == (expected is None)
        assert found is None or found == pytest.approx(expected, abs=0.011)

    @given(SCORES.filter(lambda values: len(values) >= LEAST_CALLS))
    @FEW
    def test_stay_within_0_to_100_around_their_value(self, values):
        low, high = mean_interval(*values)

        assert 0 <= low <= round(100 * math.fsum(values) / len(values), 2) <= high <= 100

    def test_have_a_length_where_all_scores_are_equal(self):
        low, high = mean_interval(*[1.0] * 5)

        assert (low < 70, high) == (True, 100.0)

    def test_shrink_as_calls_come_in(self):
        few, many = mean_interval(*[0.6, 0.8, 1.0] * 5), mean_interval(*[0.6, 0.8, 1.0] * 50)

        assert many[1] - many[0] < few[1] - few[0]

    def test_of_values_that_are_shares_are_those_of_shares(self):
        assert mean_interval(*[1] * 7, *[0] * 5) == share_interval(7, 12)


class TestRatio:
    def test_weighs_calls_by_their_points(self):
        scored, maxima = np.array([6.0, 6.0]), np.array([10.0, 30.0])
        shares = np.array([6 * 5_000.0, 6 * 9_000.0])
        squares = np.array([6 * 5_000.0**2, 6 * 9_000.0**2])

        found = estimate(sample_ratio(scored, maxima, shares, squares))
        expected = naive_intervals.ratio_of([0.5] * 6 + [0.9] * 6, [10] * 6 + [30] * 6)

        assert found.value[0] == pytest.approx(0.8)
        assert found.intervals()[0] == pytest.approx(naive_intervals.interval(expected), abs=0.011)


class TestDifferences:
    def test_of_two_shares_have_the_interval_of_newcombe(self):
        # Newcombe 1998, method 10: 56/70 and 48/80.
        (interval,) = estimate(sample_shares(56, 70)).minus(estimate(sample_shares(48, 80))).intervals()

        assert interval == (5.24, 33.39)

    @pytest.mark.parametrize(
        ("interval", "noise"), [((-1.0, 2.0), True), ((0.0, 2.0), True), ((0.1, 2.0), False), (None, None)]
    )
    def test_are_within_the_noise_where_the_interval_holds_zero(self, interval, noise):
        assert is_within_noise(interval) is noise
