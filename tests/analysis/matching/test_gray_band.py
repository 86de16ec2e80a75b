"""The bounds between which nobody can tell, fitted to clauses whose truth is known."""

import numpy as np
import pytest

from callscope.analysis.matching.gray_band import (
    LEAST_CLAUSES,
    SAID_FROM_TRIED,
    UNSURE_FROM_TRIED,
    Errors,
    count_errors,
    fit_band,
)
from callscope.analysis.matching.likelihood import USUAL_BAND, Band

NEAR_MISSES, PARAPHRASES = np.linspace(0.0, 0.799, LEAST_CLAUSES), np.linspace(0.2, 1.0, LEAST_CLAUSES)
SAID = np.repeat([False, True], LEAST_CLAUSES)
LIKELIHOODS = np.concatenate([NEAR_MISSES, PARAPHRASES])


def test_counts_what_is_wrong_outside_the_band():
    said, likelihoods = np.array([False, False, True, True, True]), np.array([0.6, 0.59, 0.29, 0.3, 0.9])

    assert count_errors(said, likelihoods, Band(0.3, 0.6)) == Errors(taken=1, refused=1)


@pytest.mark.parametrize("allowed", [Errors(10, 8), Errors(5, 5), Errors(20, 3)])
def test_is_the_narrowest_with_no_more_errors(allowed):
    band = fit_band(SAID, LIKELIHOODS, allowed)

    assert count_errors(SAID, LIKELIHOODS, band).taken <= allowed.taken
    assert count_errors(SAID, LIKELIHOODS, band).refused <= allowed.refused
    lower = SAID_FROM_TRIED[SAID_FROM_TRIED.index(band.said_from) - 1]
    assert count_errors(SAID, LIKELIHOODS, band._replace(said_from=lower)).taken > allowed.taken
    higher = UNSURE_FROM_TRIED[UNSURE_FROM_TRIED.index(band.unsure_from) - 1]
    assert count_errors(SAID, LIKELIHOODS, band._replace(unsure_from=higher)).refused > allowed.refused


def test_ends_at_the_widest_where_no_band_is_good_enough():
    band = fit_band(SAID, 1 - LIKELIHOODS, Errors(0, 0))

    assert band == Band(UNSURE_FROM_TRIED[-1], SAID_FROM_TRIED[-1])


def test_is_the_usual_one_where_few_clauses_would_decide():
    assert fit_band(SAID[1:], LIKELIHOODS[1:], Errors(0, 0)) == USUAL_BAND


def test_never_refuses_what_the_default_encoder_leaves_open():
    assert fit_band(SAID, LIKELIHOODS, Errors(0, 80)).unsure_from == USUAL_BAND.unsure_from
