"""Kappa and AC1 of tables of counts, against public implementations and by hand.

public_figures.json holds random tables with what statsmodels and irrCAC say of them; those
need older versions of numpy and scipy than Callscope, so their figures are kept instead.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from callscope.reviews.statistics.two_raters import (
    ac1_standard_error,
    estimate_ac1,
    estimate_kappa,
    kappa_standard_error,
)

pytestmark = pytest.mark.one_database

PUBLIC = json.loads((Path(__file__).parent / "public_figures.json").read_text("utf-8"))["tables"]
EXACT = 1e-9


def table(*rows):
    return np.array(rows, dtype=float)


class TestKappa:
    @pytest.mark.parametrize("case", PUBLIC, ids=range(len(PUBLIC)))
    def test_and_its_error_equal_statsmodels(self, case):
        counts = table(*case["table"])

        assert estimate_kappa(counts).value == pytest.approx(case["kappa"], abs=EXACT)
        assert kappa_standard_error(counts) == pytest.approx(case["kappa_error"], abs=EXACT)

    def test_equals_scikit_learn_on_random_answers(self):
        # To import it takes a second, also where these tests are only collected.
        from sklearn.metrics import cohen_kappa_score

        rng = np.random.default_rng(4)
        for size in (2, 3, 4):
            for _ in range(50):
                first = rng.integers(0, size, 60)
                second = np.where(rng.random(60) < 0.6, first, rng.integers(0, size, 60))
                counts = np.zeros((size, size))
                np.add.at(counts, (first, second), 1)

                assert estimate_kappa(counts).value == pytest.approx(
                    cohen_kappa_score(first, second, labels=range(size)), abs=EXACT
                )

    def test_is_undefined_where_both_only_ever_said_one_thing(self):
        nothing = estimate_kappa(table([0, 0], [0, 0]))
        constant = estimate_kappa(table([30, 0], [0, 0]))

        assert (nothing.value, nothing.low, nothing.high) == (None, None, None)
        assert (constant.value, constant.low, constant.high) == (None, None, None)

    def test_of_one_pair_has_no_interval(self):
        found = estimate_kappa(table([0, 1], [0, 0]))

        assert (found.value, found.low, found.high) == (0.0, None, None)

    def test_of_few_pairs_that_all_agree_is_not_certain(self):
        few, many = estimate_kappa(table([6, 0], [0, 4])), estimate_kappa(table([600, 0], [0, 400]))

        assert few.value == few.high == many.value == 1.0
        assert -1 < few.low < 0.5
        assert 0.95 < many.low < 1

    def test_has_bounds_around_it_and_within_its_range(self):
        for case in PUBLIC:
            found = estimate_kappa(table(*case["table"]))

            assert -1 <= found.low <= found.value <= found.high <= 1

    def test_is_less_sure_where_the_pairs_of_a_call_are_alike(self):
        counts = table([20, 8], [4, 18])
        alike = np.zeros((10, 2, 2))
        for place, (row, column, calls) in enumerate(((0, 0, 4), (0, 1, 2), (1, 0, 1), (1, 1, 3))):
            start = sum((4, 2, 1, 3)[:place])
            alike[start : start + calls, row, column] = counts[row, column] / calls

        alone, together = estimate_kappa(counts), estimate_kappa(counts, alike)

        assert together.value == alone.value
        assert together.low < alone.low < alone.high < together.high


class TestAc1:
    @pytest.mark.parametrize("case", PUBLIC, ids=range(len(PUBLIC)))
    def test_and_its_error_equal_irrcac(self, case):
        counts = table(*case["table"])

        assert estimate_ac1(counts).value == pytest.approx(case["ac1"], abs=EXACT)
        assert ac1_standard_error(counts) == pytest.approx(case["ac1_error"], abs=EXACT)

    def test_is_defined_where_all_said_the_same(self):
        found = estimate_ac1(table([30, 0], [0, 0]))

        assert found.value == found.high == 1.0
        assert 0.7 < found.low < 1

    def test_is_undefined_without_pairs(self):
        assert estimate_ac1(table([0, 0], [0, 0])).value is None
