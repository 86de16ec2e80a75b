"""Put short texts of one meaning into groups. Plain arrays in and out; the same texts give the same groups.

Ward's method on unit vectors. How many groups there are follows from how far texts of one meaning lie apart,
not from how many texts there are, unless too many texts would be parted from those nearest to them (ties.py).
Which these are follows from a second tree, of the texts drawn to their nearest ones; then each text goes to
the nearest middle. Where times are known, parts that began lately stand apart (beginnings.py).
Past MAX_TEXTS texts a seeded sample is grouped and the rest joins the nearest group. Figures: ADR 22.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from callscope.contact_reasons.clusters.beginnings import set_late_parts_apart
from callscope.contact_reasons.clusters.ties import Ties, check_number, draw_together, tie
from callscope.engines.embeddings.protocol import Vectors

MAX_TEXTS = 5000  # grouped in full: the distances of 5,000 take 100 MB
SEED = 20_260_101
ROUNDS = 20  # in which texts go to the nearest middle, at most
BLOCK = 4096  # rows that are compared or added at once
NEARBY = 1.1  # numbers of groups that are averaged when the clearest one is sought
MANY = 20  # texts that are hardly ever of one meaning
# How far the farthest merge of MANY texts stands out at least; others count from this part of it on.
NEARLY = 0.8

Labels = npt.NDArray[np.int64]  # the number of the group of each row


@dataclass(frozen=True, slots=True)
class Spread:
    """How texts lie in a space, as squared distances; fitted to labeled collections (ADR 22)."""

    within: float  # of a text from the middle of its group
    apart: float  # of the middles of two groups, at least


@dataclass(frozen=True, slots=True)
class Clustering:
    """A group number for each text, which text represents each group, and whether it began lately."""

    labels: Labels
    medoids: list[int]
    is_late: npt.NDArray[np.bool_]


def cluster_vectors(
    vectors: Vectors,
    counts: npt.NDArray[np.int64],
    spread: Spread,
    ages: npt.NDArray[np.float64] | None = None,
) -> Clustering:
    """Return the groups of rows of unit length; `counts` is the number of calls of each row.

    Groups are numbered by their first row. `ages` are those of measure_ages(); without them no group is late.
    """
    total = len(vectors)
    if total < 2:
        return Clustering(np.zeros(total, dtype=np.int64), list(range(total)), np.zeros(total, dtype=bool))
    from scipy.cluster import hierarchy  # here: workers that only supervise never need it

    sample = np.arange(total)
    if total > MAX_TEXTS:
        sample = np.sort(np.random.default_rng(SEED).choice(total, MAX_TEXTS, replace=False))
    tree = hierarchy.linkage(vectors[sample].astype(np.float64), method="ward")
    ties = tie(vectors[sample])
    groups = choose_number(tree, ties, spread)
    drawn = draw_together(vectors[sample], ties)
    tree = hierarchy.linkage(drawn.astype(np.float64), method="ward")
    sampled = hierarchy.fcluster(tree, groups, criterion="maxclust").astype(np.int64) - 1
    is_late = np.zeros(int(sampled.max()) + 1, dtype=bool)
    if ages is not None:
        parting = set_late_parts_apart(ties.around, sampled, counts[sample], ages[sample])
        sampled, is_late = parting.labels, parting.is_late
    sampled = settle(drawn, sampled, is_late)
    labels = np.empty(total, dtype=np.int64)
    if total > MAX_TEXTS:  # the rest joins the group with the nearest centroid
        centroids = compute_centroids(vectors[sample], sampled, np.ones(len(sample), dtype=np.int64))
        for start in range(0, total, BLOCK):
            labels[start : start + BLOCK] = (vectors[start : start + BLOCK] @ centroids.T).argmax(axis=1)
    labels[sample] = sampled
    found, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbered = rank[inverse]
    return Clustering(numbered, find_medoids(vectors, numbered, counts), is_late[found[np.argsort(first)]])


def settle(vectors: Vectors, labels: Labels, is_late: npt.NDArray[np.bool_]) -> Labels:
    """Return the groups after each row went to the nearest middle, until none moves.

    Groups that began lately neither lose nor win any: older rows are no part of them.
    """
    single = np.ones(len(vectors), dtype=np.int64)
    for _ in range(ROUNDS):
        likeness = (vectors @ compute_centroids(vectors, labels, single).T).round(6)
        own = likeness[np.arange(len(vectors)), labels]
        likeness[:, is_late[: likeness.shape[1]]] = -1
        is_nearer = (likeness.max(axis=1) > own) & ~is_late[labels]
        if not is_nearer.any():
            break
        labels = np.where(is_nearer, likeness.argmax(axis=1), labels)
    return labels


def choose_number(tree: npt.NDArray[np.float64], ties: Ties, spread: Spread) -> int:
    """Return how many groups the tree of tied rows is cut into: by distance, or by ties where that fails."""
    return check_number(tree, ties, count_by_distance(tree[:, 2], spread))


def count_by_distance(heights: npt.NDArray[np.float64], spread: Spread) -> int:
    """Return how many groups a tree of Ward's method has, from the heights of its merges.

    Two groups of m texts of one meaning merge at a squared height of about 2·within + apart·m, whatever
    the number of texts. The first merge above that is one too many; where merges stand out most, groups
    are clearest. The answer lies between both, nearer to the first.

    Where there are few texts of each meaning, hardly a merge lies above it, and all would be one group. So
    where the farthest merge of MANY texts stands out little, those nearly as far are too far as well.
    """
    texts = len(heights) + 1
    groups = np.arange(2, texts + 1)
    excess = heights[texts - groups] ** 2 / (2 * spread.within + spread.apart * texts / groups)
    farthest = float(excess.max())
    is_sparse = texts >= MANY and farthest >= NEARLY
    too_far = np.flatnonzero(excess >= (min(1.0, NEARLY * farthest) if is_sparse else 1.0))
    if not len(too_far):
        return 1
    sums = np.concatenate([[0.0], np.cumsum(excess)])
    low, high = np.searchsorted(groups, groups / NEARBY), np.searchsorted(groups, groups * NEARBY, "right")
    clearest = groups[((sums[high] - sums[low]) / (high - low)).round(6).argmax()]
    first, clear = int(groups[too_far[-1]]), int(clearest)
    return max(1, round(float(np.cbrt(first * first * clear))))


def compute_centroids(vectors: Vectors, labels: Labels, counts: npt.NDArray[np.int64]) -> Vectors:
    """Return one row of unit length a group: the mean of its rows by their counts."""
    sums = np.zeros((int(labels.max(initial=-1)) + 1, vectors.shape[1]), dtype=np.float64)
    for start in range(0, len(vectors), BLOCK):  # each product is in double precision
        rows = slice(start, start + BLOCK)
        np.add.at(sums, labels[rows], vectors[rows] * counts[rows, None])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return np.asarray(scaled, dtype=np.float32)


def find_medoids(vectors: Vectors, labels: Labels, counts: npt.NDArray[np.int64]) -> list[int]:
    """Return the row nearest to the centroid of each group; of equals the one with most calls."""
    centroids = compute_centroids(vectors, labels, counts)
    # Rounded, because the last bits of a sum depend on the processor and equals would change places.
    nearness = np.einsum("ij,ij->i", vectors, centroids[labels]).round(6)
    order = np.lexsort((np.arange(len(labels)), -counts, -nearness))
    medoids: dict[int, int] = {}
    for row in order:
        medoids.setdefault(int(labels[row]), int(row))
    return [medoids[label] for label in range(len(medoids))]
