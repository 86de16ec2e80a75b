"""Reasons that a regrouping merges into others. Plain arrays in and out.

A few topics at first form many groups, and each becomes a reason. Later groups are fewer, but a reason of one
or two topics loses none: nothing lies nearer to a topic than itself. So where there are many more reasons
than groups, those that no group continues and whose topics all lie in groups of others merge into these,
first those that are nearest. Figures: ADR 22.
"""

import math

import numpy as np
import numpy.typing as npt

from callscope.contact_reasons.clusters.clustering import Labels
from callscope.engines.embeddings.protocol import Vectors

MANY_MORE = 1.4  # times as many reasons as groups, down to which reasons merge


def order_merges(
    vectors: Vectors, groups: Labels, held: Labels, target: Labels, stays: npt.NDArray[np.bool_]
) -> list[npt.NDArray[np.int64]]:
    """Return the rows of each reason that may merge, each row into the reason of its group.

    `held` holds the reason of each row, or a negative number; `target` the reason that each group continues,
    likewise. The nearest pair comes first, by the height at which Ward's method would merge it. A reason with
    rows that stay does not merge.
    """
    has_reason = held >= 0
    reasons, position, sizes = np.unique(held[has_reason], return_inverse=True, return_counts=True)
    spare = math.ceil(len(reasons) - MANY_MORE * len(target))
    if spare <= 0:
        return []
    sums = np.zeros((len(reasons), vectors.shape[1]))
    np.add.at(sums, position, vectors[has_reason])
    middles = sums / sizes[:, None]
    found = []
    for reason in np.setdiff1d(reasons, target).tolist():
        rows = np.flatnonzero(held == reason)
        into = target[groups[rows]]
        if stays[rows].any() or (into < 0).any():
            continue
        most = np.bincount(np.searchsorted(reasons, into)).argmax()
        own = int(np.searchsorted(reasons, reason))
        size = sizes[own] * sizes[most] / (sizes[own] + sizes[most])
        height = float(size * ((middles[own] - middles[most]) ** 2).sum())
        found.append((round(height, 6), reason, rows))
    return [rows for _, _, rows in sorted(found, key=lambda each: each[:2])][:spare]
