"""Put short texts of one meaning into groups. Plain arrays in and out; the same texts give the same groups.

Ward's method on unit vectors, cut at a distance that grows with the number of
texts; past MAX_TEXTS texts a seeded sample is grouped and the rest joins the
nearest group. Figures behind the choice: docs/analysis.md, "Grouping".
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster import hierarchy

from callscope.engines.embeddings.protocol import Vectors

MAX_TEXTS = 5000  # grouped in full: the distances of 5,000 take 100 MB
SEED = 20_260_101
BLOCK = 4096  # rows compared with all centroids at once
MIN_CUT, MAX_CUT = 1.2, 2.0
# Without a model that knows meaning. Below √2, at which texts without a word in common would join.
MIN_CUT_BY_WORDS = 1.4

Labels = npt.NDArray[np.int64]  # the number of the group of each row


@dataclass(frozen=True, slots=True)
class Clustering:
    """A group number for each text, and which text represents each group."""

    labels: Labels
    medoids: list[int]


def choose_cut_distance(texts: int, *, least: float = MIN_CUT) -> float:
    """Return where the tree is cut: a guess drawn through four labeled collections."""
    return float(np.clip(1.2 + 0.8 * np.log10(max(texts, 1) / 300), least, MAX_CUT))


def cluster_vectors(
    vectors: Vectors, counts: npt.NDArray[np.int64], *, min_cut: float = MIN_CUT
) -> Clustering:
    """Return the groups of rows of unit length; `counts` is the number of calls of each row.

    The tree is cut at `min_cut` or, for many texts, farther out. Groups are numbered by their first row.
    """
    total = len(vectors)
    if total == 0:
        return Clustering(np.zeros(0, dtype=np.int64), [])
    if total == 1:
        return Clustering(np.zeros(1, dtype=np.int64), [0])
    sample = np.arange(total)
    if total > MAX_TEXTS:
        sample = np.sort(np.random.default_rng(SEED).choice(total, MAX_TEXTS, replace=False))
    tree = hierarchy.linkage(vectors[sample].astype(np.float64), method="ward")
    cut = choose_cut_distance(len(sample), least=min_cut)
    sampled = hierarchy.fcluster(tree, cut, criterion="distance") - 1
    labels = np.empty(total, dtype=np.int64)
    if total > MAX_TEXTS:  # the rest joins the group with the nearest centroid
        centroids = compute_centroids(vectors[sample], sampled, np.ones(len(sample), dtype=np.int64))
        for start in range(0, total, BLOCK):
            labels[start : start + BLOCK] = (vectors[start : start + BLOCK] @ centroids.T).argmax(axis=1)
    labels[sample] = sampled
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbered = rank[inverse]
    return Clustering(numbered, _find_medoids(vectors, numbered, counts))


def compute_centroids(vectors: Vectors, labels: Labels, counts: npt.NDArray[np.int64]) -> Vectors:
    """Return one row of unit length a group: the mean of its rows by their counts."""
    sums = np.zeros((int(labels.max(initial=-1)) + 1, vectors.shape[1]), dtype=np.float64)
    np.add.at(sums, labels, vectors * counts[:, None])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return np.asarray(scaled, dtype=np.float32)


def _find_medoids(vectors: Vectors, labels: Labels, counts: npt.NDArray[np.int64]) -> list[int]:
    """Return the row nearest to the centroid of each group; of equals the one with most calls."""
    centroids = compute_centroids(vectors, labels, counts)
    # Rounded, because the last bits of a sum depend on the processor and equals would change places.
    nearness = np.einsum("ij,ij->i", vectors, centroids[labels]).round(6)
    order = np.lexsort((np.arange(len(labels)), -counts, -nearness))
    medoids: dict[int, int] = {}
    for row in order:
        medoids.setdefault(int(labels[row]), int(row))
    return [medoids[label] for label in range(len(medoids))]
