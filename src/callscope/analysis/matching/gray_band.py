"""Fit the gray band of an embedder: between which likelihoods nobody can tell whether a phrase was said.

The default encoder has the band by which the goals were met on trades that were left out of the fit
(docs/analysis.md, "The gray band"). Another embedder puts the same texts elsewhere. Its band is the narrowest
at which, of the reference texts, it takes no more that is something else, and refuses no more that says the
phrase, than the default encoder does: a better embedder leaves less open, a worse one more.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from callscope.analysis.matching.likelihood import USUAL_BAND, Band

# From the narrowest on. The texts tell no hundredths apart (ADR 15), but a wider step only leaves more open.
SAID_FROM_TRIED = tuple(bar / 100 for bar in range(50, 81))
# None refuses what the default encoder would leave open: with higher bars more single sentences were lost
# that say a phrase in other words.
UNSURE_FROM_TRIED = tuple(bar / 100 for bar in range(30, 9, -1))
LEAST_CLAUSES = 80  # that say their phrase, and that do not; fewer cannot tell two bounds apart

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Errors(NamedTuple):
    """How many of some clauses are judged wrong."""

    taken: int  # though they say something else
    refused: int  # though they say the phrase


def count_errors(said: Bools, likelihoods: Floats, band: Band) -> Errors:
    """Return the errors outside a band; `said` tells which clauses say their phrase."""
    taken = ~said & (likelihoods >= band.said_from)
    refused = said & (likelihoods < band.unsure_from)
    return Errors(int(taken.sum()), int(refused.sum()))


def fit_band(said: Bools, likelihoods: Floats, most: Errors) -> Band:
    """Return the narrowest band with at most these errors, or the widest one that is tried.

    The usual one where there are too few clauses of a kind.
    """
    if min(said.sum(), (~said).sum()) < LEAST_CLAUSES:
        return USUAL_BAND
    unsure_from = next(
        (
            bar
            for bar in UNSURE_FROM_TRIED
            if count_errors(said, likelihoods, Band(bar, 1.0)).refused <= most.refused
        ),
        UNSURE_FROM_TRIED[-1],
    )
    said_from = next(
        (
            bar
            for bar in SAID_FROM_TRIED
            if count_errors(said, likelihoods, Band(0.0, bar)).taken <= most.taken
        ),
        SAID_FROM_TRIED[-1],
    )
    return Band(unsure_from, said_from)
