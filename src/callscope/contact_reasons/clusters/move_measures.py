"""How near the calls that a regrouping moves lie to where they go and where they were. Plain arrays in."""

import numpy as np

from callscope.contact_reasons.clusters.causes import WAITING, Nearness
from callscope.contact_reasons.clusters.clustering import BLOCK, Labels, compute_centroids
from callscope.contact_reasons.clusters.continuity import NONE, Counts
from callscope.engines.embeddings.protocol import Vectors


def measure_moves(
    vectors: Vectors, former: Labels, result: Labels, counts: Counts
) -> dict[int, dict[int, Nearness]]:
    """Return for each number in `result` how near its calls lie, by the reason that they had or WAITING."""
    _, now = np.unique(result, return_inverse=True)
    centers = compute_centroids(vectors, now, counts)
    here = np.einsum("ij,ij->i", vectors, centers[now])
    has_reason = former != NONE
    reasons, before = np.unique(former[has_reason], return_inverse=True)
    there = np.full(len(vectors), -1.0)  # where no reason was there
    if len(reasons):
        old = compute_centroids(vectors[has_reason], before, counts[has_reason])
        there[has_reason] = np.einsum("ij,ij->i", vectors[has_reason], old[before])
        waiting = np.flatnonzero(~has_reason)
        for rows in np.array_split(waiting, len(waiting) // BLOCK + 1):
            likeness = vectors[rows] @ old.T
            likeness[result[rows][:, None] == reasons[None, :]] = -1.0
            there[rows] = likeness.max(axis=1)
    measured: dict[int, dict[int, Nearness]] = {}
    for row in np.unique(np.column_stack([former, result])[former != result], axis=0).tolist():
        chosen = (former == row[0]) & (result == row[1])
        weights = counts[chosen]
        mean_there = float(np.average(there[chosen], weights=weights))
        measured.setdefault(row[1], {})[WAITING if row[0] == NONE else row[0]] = {
            "here": round(float(np.average(here[chosen], weights=weights)), 2),
            "there": round(mean_there, 2) if mean_there > -1 else None,
        }
    return measured
