"""How many groups the ties of texts to those nearest to them speak for. Plain arrays in and out.

Where callers share few words, two texts of one meaning lie nearly as far apart as two of different ones, and
how far groups may be apart says little: most texts would stay alone. The texts nearest to each are mostly of
its meaning all the same. So a cut that parts too many texts from their nearest ones is replaced by one that
the ties find themselves (modularity, with more weight on chance the more groups there are). And texts are
drawn to their nearest ones before they are put together. Figures: ADR 22.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from callscope.engines.embeddings.lexical import scale_to_unit
from callscope.engines.embeddings.protocol import Vectors

NEAREST = 8  # ties of each text
AROUND = 40  # texts around each, itself included, of which beginnings.py asks when they came
FEWEST = 20  # texts whose ties say anything
TRUSTED = 0.85  # part of the ties inside the groups that ties find, which a cut by distance keeps at least
SCATTERED = 0.82  # at least that part where it leaves fewer than two texts a group, of SEVERAL in all
SEVERAL = 40  # among fewer texts, groups of one are often right: nobody else said the like so far
SCARCE = 10  # texts of which half of that is asked: among few, some of the nearest ones mean something else
COARSE = 0.7  # weight of chance, as a part of the root of the number of groups, where it keeps less
DOZENS = 50  # texts up to which that is so; of more texts, ties inside a group outlast its being cut further
COARSER = 0.3  # the power of their number by which the weight falls
COARSEST = 0.45  # down to this weight: no larger collections were there to fit it to
BLOCK = 512  # rows that are compared at once: with 5,000 others 20 MB

Shares = npt.NDArray[np.float64]  # one for each number of groups, from none on


@dataclass(frozen=True, slots=True)
class Ties:
    """Pairs of a row and one of those nearest to it; none where rows are few."""

    left: npt.NDArray[np.int64]  # rows
    right: npt.NDArray[np.int64]  # rows that are near to them
    weight: npt.NDArray[np.float64]  # squares of their likeness
    around: npt.NDArray[np.int64]  # each row and those nearest to it, AROUND in all, the nearest first


def tie(vectors: Vectors) -> Ties:
    """Return the ties of rows of unit length, NEAREST of each."""
    texts = len(vectors)
    around = np.empty((texts, min(AROUND, texts)), dtype=np.int64)
    number = min(NEAREST, texts - 1) if texts >= FEWEST else 0
    alike = np.empty((texts, number))
    for start in range(0, texts, BLOCK):
        rows = np.arange(start, min(start + BLOCK, texts))
        # Rounded, because the last bits depend on the processor; of equals the first ones count.
        likeness = (vectors[rows] @ vectors.T).astype(np.float64).round(6)
        likeness[np.arange(len(rows)), rows] = np.inf  # itself first
        ranked = 1e-9 * np.arange(texts) - likeness
        near = np.argpartition(ranked, around.shape[1] - 1, axis=1)[:, : around.shape[1]]
        order = np.argsort(np.take_along_axis(ranked, near, axis=1), axis=1)
        around[rows] = np.take_along_axis(near, order, axis=1)
        alike[rows] = np.take_along_axis(likeness, around[rows, 1 : number + 1], axis=1)
    left, right = np.repeat(np.arange(texts), number), around[:, 1 : number + 1].ravel()
    return Ties(left, right, np.clip(alike, 0, None).ravel() ** 2, around)


def check_number(tree: npt.NDArray[np.float64], ties: Ties, groups: int) -> int:
    """Return how many groups the tree of tied rows is cut into: `groups`, or fewer by the ties."""
    texts = len(tree) + 1
    inside, chance = measure_cuts(tree, ties)
    asked = TRUSTED * texts / (texts + SCARCE)
    if texts >= SEVERAL and texts < 2 * groups:
        asked = max(asked, SCATTERED)
    if inside[groups] >= asked * inside[find_number(inside, chance, 1.0)]:
        return groups
    weight = max(COARSEST, COARSE * min(1.0, DOZENS / texts) ** COARSER)
    return min(groups, find_number(inside, chance, weight))


def find_number(inside: Shares, chance: Shares, weight: float) -> int:
    """Return the least number of groups that is the best one where chance counts `weight` times its root."""
    number, found = 0, 1
    while found > number:
        number = found
        scores = (inside - weight * number**0.5 * chance)[1:].round(9)
        found = len(scores) - int(scores[::-1].argmax())
    return number


def measure_cuts(tree: npt.NDArray[np.float64], ties: Ties) -> tuple[Shares, Shares]:
    """Return the shares of ties inside groups, by the number of groups, and those by chance."""
    from scipy.cluster import hierarchy  # here: few processes ever group texts

    texts = len(tree) + 1
    left, right, weight = ties.left, ties.right, ties.weight
    total = float(weight.sum())
    if not total:
        return np.zeros(texts + 1), np.zeros(texts + 1)
    ordered = tree.copy()
    ordered[:, 2] = np.arange(texts - 1)  # in place of the height of each merge its number
    low, high = np.minimum(left, right), np.maximum(left, right)
    merged = hierarchy.cophenet(ordered)[texts * low - low * (low + 1) // 2 + high - low - 1].astype(np.int64)
    joined = np.bincount(merged, weights=weight, minlength=texts - 1) / total
    held = np.zeros(2 * texts - 1)  # ties of each node, at both of their ends
    held[:texts] = np.bincount(left, weights=weight, minlength=texts)
    held[:texts] += np.bincount(right, weights=weight, minlength=texts)
    held /= 2 * total
    met = np.empty(texts - 1)
    for merge, (one, other) in enumerate(tree[:, :2].astype(np.int64).tolist()):
        held[texts + merge] = held[one] + held[other]
        met[merge] = 2 * held[one] * held[other]
    inside, chance = np.zeros(texts + 1), np.zeros(texts + 1)
    inside[texts - 1 : 0 : -1] = np.cumsum(joined)
    chance[texts] = (held[:texts] ** 2).sum()
    chance[texts - 1 : 0 : -1] = chance[texts] + np.cumsum(met)
    return inside, chance


def draw_together(vectors: Vectors, ties: Ties) -> Vectors:
    """Return each row halfway to the mean of those it is tied to, of unit length; few rows stay as they are.

    Ties count from both ends: a row that is near to many others is drawn to all of them.
    """
    if not len(ties.weight):
        return vectors
    from scipy.sparse import coo_array  # here: few processes ever group texts

    ends = np.concatenate([ties.left, ties.right]), np.concatenate([ties.right, ties.left])
    near = coo_array((np.tile(ties.weight, 2), ends), shape=(len(vectors), len(vectors))).tocsr()
    held = near.sum(axis=1)[:, None]
    middles = np.divide(
        near @ vectors.astype(np.float64), held, out=vectors.astype(np.float64), where=held > 0
    )
    return scale_to_unit((vectors + middles).astype(np.float32))
