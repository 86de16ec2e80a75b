"""Any number of raters: Krippendorff's alpha for answers without an order, some of them missing.

The interval comes from a jackknife: alpha without each unit in turn, or without each cluster where
units belong together (the criteria of one call). Student's t takes as many degrees as there are units that
carry the spread (its squares over its fourth powers), since among few units one or two may carry all of it;
the interval is made on Fisher's scale. One more unit whose raters disagree at random takes part, because
otherwise few units that all agree would have an interval without length.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from callscope.reviews.statistics.estimate import UNDEFINED, Estimate, Floats, make_estimate

FEWEST_DEGREES = 3.0  # of Student's t; fewer would make intervals that say nothing
Profile = tuple[tuple[str, int], ...]  # of a unit: each answer, and how often it was given


def estimate_alpha(
    units: Iterable[Sequence[Hashable | None]], clusters: Sequence[Hashable] | None = None
) -> Estimate:
    """Return alpha of units, each the answers of its raters; None is a missing one.

    Undefined where no unit has two answers, or where only one answer was ever given. The same
    units in any order give the same interval. `clusters` names for each unit what it belongs to.
    """
    coincidences, counts = count_coincidences(units, clusters)
    total = np.tensordot(counts, coincidences, axes=1)
    value = float(_alpha(total[None])[0]) if counts.size else float("nan")
    if not np.isfinite(value):
        return UNDEFINED
    size = coincidences.shape[1]
    chance = np.full((1, size, size), 1 / size**2)
    kinds, times = np.concatenate([coincidences, chance]), np.append(counts, 1.0)
    whole = np.tensordot(times, kinds, axes=1)
    center = float(_alpha(whole[None])[0])
    without = _alpha(np.maximum(whole - kinds, 0.0))
    times = times[np.isfinite(without)]
    without = without[np.isfinite(without)]
    n = float(times.sum())
    if counts.sum() < 2 or n < 2:
        return Estimate(value, None, None)
    squares = (without - float(times @ without) / n) ** 2
    spread = float(times @ squares)
    carriers = spread**2 / float(times @ squares**2) if spread > 0 else n
    error = float(np.sqrt((n - 1) / n * spread))
    return make_estimate(value, center, error / (1 - center**2), max(min(carriers, n - 1), FEWEST_DEGREES))


def count_coincidences(
    units: Iterable[Sequence[Hashable | None]], clusters: Sequence[Hashable] | None = None
) -> tuple[Floats, Floats]:
    """Return the different matrices of coincidences (kinds × answers × answers) and how often each is.

    A kind is what the units of one cluster say together; without clusters, each unit is its own.
    """
    found: defaultdict[Hashable, list[Profile]] = defaultdict(list)
    for number, unit in enumerate(units):
        given = Counter(str(answer) for answer in unit if answer is not None)
        if given.total() >= 2:
            found[clusters[number] if clusters else number].append(tuple(sorted(given.items())))
    kinds = sorted(Counter(tuple(sorted(profiles)) for profiles in found.values()).items())
    answers = sorted({answer for kind, _ in kinds for profile in kind for answer, _ in profile})
    matrices = np.zeros((len(kinds), len(answers), len(answers)))
    for matrix, (kind, _) in zip(matrices, kinds, strict=True):
        for profile in kind:
            times = np.zeros(len(answers))
            for answer, often in profile:
                times[answers.index(answer)] = often
            matrix += (np.outer(times, times) - np.diag(times)) / (times.sum() - 1)
    return matrices, np.array([often for _, often in kinds], dtype=float)


def _alpha(coincidences: Floats) -> Floats:
    """Return alpha of each matrix of coincidences; NaN where it is undefined."""
    given = coincidences.sum(axis=2)
    total = given.sum(axis=1)
    apart = total - np.trace(coincidences, axis1=1, axis2=2)
    expected = total**2 - (given**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values: Floats = np.where(expected > 1e-12, 1 - (total - 1) * apart / expected, np.nan)
    return values
