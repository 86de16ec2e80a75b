"""Two raters: Cohen's kappa and Gwet's AC1 of a square table of counts.

Row: what the first said; column: what the second said. Standard errors are the
asymptotic ones of Fleiss, Cohen and Everitt (1969) and of Gwet (2008), both written
as the spread of what each pair adds to the coefficient.

Those errors alone are 0 where all pairs agree, however few they are. So the interval
takes them from the table with one more pair, spread evenly over its cells (estimate.py
has the rest). Pairs of one call are no independent looks at the machine: with
`clusters` the interval is widened by how alike they are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from callscope.reviews.statistics.estimate import UNDEFINED, Estimate, Floats, make_estimate


class Linear(NamedTuple):
    """A coefficient, and what one pair in each cell adds to it."""

    value: float
    influence: Floats


def estimate_kappa(table: Floats, clusters: Floats | None = None) -> Estimate:
    """Return Cohen's kappa; undefined without pairs, or where both said one answer alone."""
    return _estimate(_linearize_kappa, table, clusters)


def estimate_ac1(table: Floats, clusters: Floats | None = None) -> Estimate:
    """Return Gwet's AC1; undefined without pairs. A table has a row for each possible answer, at least 2."""
    return _estimate(_linearize_ac1, table, clusters)


def kappa_standard_error(table: Floats) -> float:
    """Return the asymptotic standard error of kappa (Fleiss, Cohen and Everitt)."""
    n = float(table.sum())
    return float(np.sqrt(_spread(_linearize_kappa(table / n), table / n) / n))


def ac1_standard_error(table: Floats) -> float:
    """Return the standard error of AC1 (Gwet) for a sample of a large population."""
    n = float(table.sum())
    return float(np.sqrt(_spread(_linearize_ac1(table / n), table / n) / (n - 1)))


def _estimate(
    linearize: Callable[[Floats], Linear | None], table: Floats, clusters: Floats | None
) -> Estimate:
    n = float(table.sum())
    found = linearize(table / n) if n else None
    if found is None:
        return UNDEFINED
    smoothed = (table + 1 / table.size) / (n + 1)
    center = linearize(smoothed)
    if center is None:  # cannot be: every cell of it is above 0
        return Estimate(found.value, None, None)
    error = np.sqrt(_spread(center, smoothed) / n)
    if clusters is not None:
        error *= np.sqrt(design_effect(center, table, clusters))
    deviation = float(error / (1 - center.value**2))
    return make_estimate(found.value, center.value, deviation, n - 1)


def _linearize_kappa(shares: Floats) -> Linear | None:
    first, second = shares.sum(axis=1), shares.sum(axis=0)
    agreed, expected = float(np.trace(shares)), float(first @ second)
    if expected >= 1:
        return None
    value = (agreed - expected) / (1 - expected)
    chance = second[:, None] + first[None, :]
    return Linear(value, (np.eye(len(shares)) - (1 - value) * chance) / (1 - expected))


def _linearize_ac1(shares: Floats) -> Linear:
    answers = len(shares)
    means = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    agreed, expected = float(np.trace(shares)), float((means * (1 - means)).sum()) / (answers - 1)
    value = (agreed - expected) / (1 - expected)
    slopes = (1 - 2 * means) / (answers - 1) / 2
    chance = slopes[:, None] + slopes[None, :]
    return Linear(value, (np.eye(answers) - (1 - value) * chance) / (1 - expected))


def _spread(found: Linear | None, shares: Floats) -> float:
    """Return the variance of what a pair adds, with the cells' shares as probabilities."""
    if found is None:
        return float("nan")
    mean = float((shares * found.influence).sum())
    return max(float((shares * found.influence**2).sum()) - mean**2, 0.0)


def design_effect(found: Linear, table: Floats, clusters: Floats) -> float:
    """Return how much larger the variance is because pairs come in clusters; at least 1."""
    n = float(table.sum())
    around = found.influence - float((table * found.influence).sum()) / n
    alone = float((table * around**2).sum())
    together = float(((clusters * around).sum(axis=(1, 2)) ** 2).sum())
    return max(together / alone, 1.0) if alone > 0 else 1.0
