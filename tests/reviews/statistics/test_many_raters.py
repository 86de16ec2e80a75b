"""Alpha of units with any number of raters, against a public implementation and by hand.

public_figures.json holds random units with what the package krippendorff says of them.
"""

import json
import random
from pathlib import Path

import pytest

from callscope.reviews.statistics.many_raters import estimate_alpha

pytestmark = pytest.mark.one_database

PUBLIC = json.loads((Path(__file__).parent / "public_figures.json").read_text("utf-8"))["units"]


class TestAlpha:
    @pytest.mark.parametrize("case", PUBLIC, ids=range(len(PUBLIC)))
    def test_equals_the_public_implementation(self, case):
        assert estimate_alpha(case["units"]).value == pytest.approx(case["alpha"], abs=1e-9)

    def test_has_bounds_around_it_and_within_its_range(self):
        for case in PUBLIC:
            found = estimate_alpha(case["units"])

            assert -1 <= found.low <= found.value <= found.high <= 1

    def test_is_the_same_in_any_order_and_at_any_time(self):
        units = PUBLIC[0]["units"]
        mixed = [random.Random(1).sample(unit, len(unit)) for unit in reversed(units)]

        assert estimate_alpha(mixed) == estimate_alpha(units)

    def test_leaves_out_units_with_fewer_than_two_answers(self):
        units = [["met", "met"], ["met", "not_met"], ["not_met", "not_met"]]

        assert estimate_alpha([*units, ["met", None], [None, None], []]) == estimate_alpha(units)

    @pytest.mark.parametrize(
        "units", [[], [["met", None]], [["met", "met"], ["met", "met", "met"]]], ids=["none", "alone", "one"]
    )
    def test_is_undefined_without_two_answers_to_compare(self, units):
        found = estimate_alpha(units)

        assert (found.value, found.low, found.high) == (None, None, None)

    def test_of_few_units_that_all_agree_is_not_certain(self):
        found = estimate_alpha([["met", "met"]] * 4 + [["not_met", "not_met"]] * 4)

        assert found.value == found.high == 1.0
        assert found.low < 0.95

    def test_in_clusters_is_as_certain_as_its_clusters_are_many(self):
        units = [
            ["met", "met"],
            ["met", "not_met"],
            ["not_met", "not_met"],
            ["not_met", "met"],
            ["met", "met"],
        ] * 8
        alone = estimate_alpha(units)

        found = estimate_alpha(units, [number // 10 for number in range(len(units))])
        single = estimate_alpha(units, ["one"] * len(units))

        assert found.value == single.value == alone.value
        assert (single.low, single.high) == (None, None)
