"""Any number of raters: Krippendorff's alpha for answers without an order, some of them missing.

The interval comes from a bootstrap over the units with a fixed seed, on Fisher's scale. One
more unit whose raters disagree at random is among those that are drawn, because otherwise
few units that all agree would have an interval without length.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from callscope.reviews.statistics.estimate import UNDEFINED, Estimate, Floats, make_estimate, to_fisher_scale

SEED = 16
RESAMPLES = 2000
MIN_RESAMPLES = 100  # with a defined alpha; an interval from fewer says nothing


def estimate_alpha(units: Iterable[Sequence[Hashable | None]]) -> Estimate:
    """Return alpha of units, each the answers of its raters; None is a missing one.

    Undefined where no unit has two answers, or where only one answer was ever given. The same
    units in any order give the same interval.
    """
    coincidences, counts = count_coincidences(units)
    total = np.tensordot(counts, coincidences, axes=1)
    value = float(_alpha(total[None])[0]) if counts.size else float("nan")
    if not np.isfinite(value):
        return UNDEFINED
    size = coincidences.shape[1]
    with_chance = np.concatenate([coincidences, np.full((1, size, size), 1 / size**2)])
    weights = np.append(counts, 1.0)
    drawn = np.random.default_rng(SEED).multinomial(
        int(weights.sum()), weights / weights.sum(), size=RESAMPLES
    )
    values = _alpha(np.tensordot(drawn.astype(float), with_chance, axes=1))
    values = values[np.isfinite(values)]
    if len(values) < MIN_RESAMPLES:
        return Estimate(value, None, None)
    center = float(_alpha(np.tensordot(weights, with_chance, axes=1)[None])[0])
    deviation = float(to_fisher_scale(values).std())
    return make_estimate(value, center, deviation, float(counts.sum()) - 1)


def count_coincidences(units: Iterable[Sequence[Hashable | None]]) -> tuple[Floats, Floats]:
    """Return the different matrices of coincidences (kinds × answers × answers) and how often each is."""
    profiles = Counter(
        tuple(sorted(Counter(str(answer) for answer in unit if answer is not None).items())) for unit in units
    )
    usable = {p: n for p, n in sorted(profiles.items()) if sum(times for _, times in p) >= 2}
    answers = sorted({answer for profile in usable for answer, _ in profile})
    matrices = np.zeros((len(usable), len(answers), len(answers)))
    for matrix, profile in zip(matrices, usable, strict=True):
        given = np.zeros(len(answers))
        for answer, times in profile:
            given[answers.index(answer)] = times
        matrix += (np.outer(given, given) - np.diag(given)) / (given.sum() - 1)
    return matrices, np.array(list(usable.values()), dtype=float)


def _alpha(coincidences: Floats) -> Floats:
    """Return alpha of each matrix of coincidences; NaN where it is undefined."""
    given = coincidences.sum(axis=2)
    total = given.sum(axis=1)
    apart = total - np.trace(coincidences, axis1=1, axis2=2)
    expected = total**2 - (given**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values: Floats = np.where(expected > 1e-12, 1 - (total - 1) * apart / expected, np.nan)
    return values
