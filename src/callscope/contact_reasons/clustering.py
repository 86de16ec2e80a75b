"""Put short texts of one meaning into groups. Plain arrays in and out; the same texts give the same groups.

Ward's method on unit vectors, cut at a distance that grows with the number of
texts; past SAMPLE texts a seeded sample is grouped and the rest joins the
nearest group. Figures behind the choice: docs/analysis.md, "Grouping".
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster import hierarchy

from callscope.engines.embeddings.protocol import Vectors

SAMPLE = 5000  # texts grouped in full: the distances of 5,000 take 100 MB
SEED = 20_260_101
LEAST_CUT, MOST_CUT = 1.2, 2.0
# Without a model that knows meaning. Below √2, at which texts without a word in common would join.
LEAST_CUT_OF_WORDS = 1.4


@dataclass(frozen=True, slots=True)
class Grouping:
    """A group number for each text, and which text stands for each group."""

    labels: npt.NDArray[np.int64]
    medoids: list[int]


def cut_distance(texts: int, *, least: float = LEAST_CUT) -> float:
    """Return where the tree is cut: a guess drawn through four labelled collections."""
    return float(np.clip(1.2 + 0.8 * np.log10(max(texts, 1) / 300), least, MOST_CUT))


def group(vectors: Vectors, counts: npt.NDArray[np.int64], *, least_cut: float = LEAST_CUT) -> Grouping:
    """Return the groups of rows of unit length; `counts` says how many calls stand behind each row.

    The tree is cut at `least_cut` or, for many texts, farther out. Groups are numbered by their first row.
    """
    total = len(vectors)
    if total == 0:
        return Grouping(np.zeros(0, dtype=np.int64), [])
    if total == 1:
        return Grouping(np.zeros(1, dtype=np.int64), [0])
    chosen = _sample(total)
    tree = hierarchy.linkage(vectors[chosen].astype(np.float64), method="ward")
    sampled = hierarchy.fcluster(tree, cut_distance(len(chosen), least=least_cut), criterion="distance") - 1
    labels = sampled if total <= SAMPLE else _join_nearest(vectors, chosen, sampled)
    labels = _numbered_by_first_row(np.asarray(labels, dtype=np.int64))
    return Grouping(labels, _medoids(vectors, labels, counts))


def centroids(vectors: Vectors, labels: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Vectors:
    """Return one row of unit length a group: the mean of its rows by their counts."""
    sums = np.zeros((int(labels.max(initial=-1)) + 1, vectors.shape[1]), dtype=np.float64)
    np.add.at(sums, labels, vectors * counts[:, None])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return np.asarray(scaled, dtype=np.float32)


def _sample(total: int) -> npt.NDArray[np.int64]:
    if total <= SAMPLE:
        return np.arange(total)
    chosen = np.random.default_rng(SEED).choice(total, SAMPLE, replace=False)
    return np.sort(chosen)


def _join_nearest(
    vectors: Vectors, chosen: npt.NDArray[np.int64], sampled: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    centres = centroids(vectors[chosen], sampled, np.ones(len(chosen), dtype=np.int64))
    labels = np.empty(len(vectors), dtype=np.int64)
    for start in range(0, len(vectors), 4096):
        part = vectors[start : start + 4096]
        labels[start : start + 4096] = (part @ centres.T).argmax(axis=1)
    labels[chosen] = sampled
    return labels


def _numbered_by_first_row(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _medoids(vectors: Vectors, labels: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> list[int]:
    """Return the row nearest to the middle of each group; of equals the one with most calls."""
    centres = centroids(vectors, labels, counts)
    nearness = np.einsum("ij,ij->i", vectors, centres[labels]).round(6)
    order = np.lexsort((np.arange(len(labels)), -counts, -nearness))
    medoids: dict[int, int] = {}
    for row in order:
        medoids.setdefault(int(labels[row]), int(row))
    return [medoids[label] for label in range(len(medoids))]
