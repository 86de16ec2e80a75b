"""How a score stands to its target."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.reports.overview.targets import DEFAULT_TARGET, find_average_band, find_band

ORDER = ["below", "near", "on_target"]


class TestScoreBand:
    @pytest.mark.parametrize(
        ("score", "target", "band"),
        [
            (85.0, 85.0, "on_target"),
            (84.99, 85.0, "near"),
            (75.0, 85.0, "near"),
            (74.99, 85.0, "below"),
            (DEFAULT_TARGET, None, "on_target"),
            (DEFAULT_TARGET - 0.01, None, "near"),
            (0.0, 5.0, "near"),
        ],
    )
    def test_is_by_the_points_that_are_missing(self, score, target, band):
        assert find_band(score, target) == band

    @pytest.mark.parametrize(
        ("average", "interval", "target", "band"),
        [
            (81.0, (70.5, 88.4), 80.0, "within_noise"),
            (79.0, (70.5, 88.4), 80.0, "within_noise"),
            (86.0, (80.0, 90.0), 80.0, "on_target"),
            (76.0, (72.0, 79.0), 80.0, "near"),
            (66.0, (60.0, 70.0), 80.0, "below"),
            (81.0, None, 80.0, "on_target"),
            (81.0, (70.5, 88.4), None, None),
            (None, None, 80.0, None),
        ],
    )
    def test_of_an_average_is_open_within_the_noise_and_without_a_target(
        self, average, interval, target, band
    ):
        assert find_average_band(average, interval, target) == band

    @given(st.floats(0, 100), st.floats(0, 100), st.none() | st.floats(0, 100))
    def test_is_never_worse_for_a_higher_score(self, one, other, target):
        low, high = sorted((one, other))

        assert ORDER.index(find_band(low, target)) <= ORDER.index(find_band(high, target))
