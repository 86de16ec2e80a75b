"""Where the topics of a reason lie: one center, or several for a reason that people put together.

Centers are rows of unit length in the space of the project's embedder, stored as float32, one behind
another. A topic belongs to the reason whose nearest center is near enough.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from callscope.contact_reasons.clusters.clustering import cluster_vectors, compute_centroids
from callscope.contact_reasons.clusters.spaces import stored_spread
from callscope.engines.embeddings.protocol import Embedder, Vectors

# Likeness (cosine) to a center from which a topic belongs to its reason; below, it waits as new.
MIN_LIKENESS_BY_MEANING = 0.6
MIN_LIKENESS_BY_WORDS = 0.5  # letters and words alone come out lower for the same meaning
MAX_CENTERS = 32  # of one reason


def min_likeness(embedder: Embedder) -> float:
    """Return the likeness from which a topic belongs to a reason."""
    return MIN_LIKENESS_BY_MEANING if embedder.is_semantic else MIN_LIKENESS_BY_WORDS


def compute_centers(embedder: Embedder, counts: Mapping[str, int]) -> bytes:
    """Return the centers of topics, each as often as it counts: one for each group that they form.

    Raises the errors of the embedding engine.
    """
    vectors = embedder.encode(list(counts))
    calls = np.fromiter(counts.values(), dtype=np.int64)
    labels = cluster_vectors(vectors, calls, stored_spread(embedder)).labels
    largest = np.argsort(-np.bincount(labels, weights=calls), kind="stable")[:MAX_CENTERS]
    return compute_centroids(vectors, labels, calls)[np.sort(largest)].tobytes()


def average(stored: bytes, width: int) -> Vectors:
    """Return the middle of the centers of a reason, one row of `width` numbers and of unit length."""
    middle = np.frombuffer(stored, dtype=np.float32).reshape(-1, width).mean(axis=0)
    return np.asarray(middle / max(float(np.linalg.norm(middle)), 1e-9), dtype=np.float32)


def find_nearest(vectors: Vectors, stored: Mapping[int, bytes], least: float) -> list[int | None]:
    """Return for each row the id of the reason with the nearest center, None where none is near enough."""
    if not stored or not len(vectors):
        return [None] * len(vectors)
    centers = [
        np.frombuffer(rows, dtype=np.float32).reshape(-1, vectors.shape[1]) for rows in stored.values()
    ]
    owners = np.repeat(np.fromiter(stored, dtype=np.int64), [len(rows) for rows in centers])
    likeness: npt.NDArray[np.float32] = vectors @ np.vstack(centers).T
    best = likeness.argmax(axis=1)
    is_near = likeness[np.arange(len(vectors)), best] >= least
    return [int(owners[row]) if near else None for row, near in zip(best, is_near, strict=True)]
