"""Parts of groups whose calls all came lately. Plain arrays in and out.

A new reason that sounds like an old one falls into its group: by their words alone the two are one. But if
nothing began, the calls of each part of the group would be spread over the life of the project. So the parts
of a group in the tree are compared with time, and those that chance would hardly put together late stand
apart. Of several parts, one within the other, it is the one that chance explains least. Up to a tenth of its
calls may be older, which are then no part of it: a group is never quite pure. Figures: ADR 22.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CHANCE = 0.05  # that any part of a project in which nothing began is set apart
MIN_CALLS = 6  # of a part
OLDEST = 2  # texts of a part, at most, that may be older than all others
MAX_OLDER = 0.1  # of the calls of a part, which these have at most

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Parting:
    """A group number for each text, and for each group whether its calls all came lately."""

    labels: Labels
    is_late: npt.NDArray[np.bool_]


def set_late_parts_apart(
    tree: npt.NDArray[np.float64],
    labels: Labels,
    counts: npt.NDArray[np.int64],
    ages: npt.NDArray[np.float64],
) -> Parting:
    """Return the groups with the parts that began lately as groups of their own, one for each former group.

    `tree` is the linkage of the texts, `counts` their calls, and `ages` the share of all calls that came
    since the first call of each text, that one included. If calls came in any order, all k calls of a part
    would be as late as they are with a chance of its age to the power of k.
    """
    texts = len(labels)
    group = np.full(2 * texts - 1, -1, dtype=np.int64)  # -1 for parts of several groups
    group[:texts] = labels
    calls = np.concatenate([counts, np.zeros(texts - 1, dtype=np.int64)])
    oldest = [[(float(age), int(each))] for age, each in zip(ages, counts, strict=True)]
    children = tree[:, :2].astype(np.int64).tolist()
    for node, (left, right) in enumerate(children, start=texts):
        calls[node] = calls[left] + calls[right]
        oldest.append(sorted(oldest[left] + oldest[right], reverse=True)[: OLDEST + 1])
        group[node] = group[left] if group[left] == group[right] else -1
    is_looked_at = (group >= 0) & (calls >= MIN_CALLS)
    bound = math.log((OLDEST + 1) * max(1, int(is_looked_at.sum())) / CHANCE)
    surprise, since = np.zeros(2 * texts - 1), np.zeros(2 * texts - 1)
    for node in np.flatnonzero(is_looked_at).tolist():
        surprise[node], since[node] = _measure_lateness(int(calls[node]), oldest[node])
    greatest = surprise.copy()
    for node, (left, right) in enumerate(children, start=texts):
        greatest[node] = max(greatest[[node, left, right]])
    of_part = np.zeros(2 * texts - 1)  # the age of the part that each node is in; 0: in none
    for node in range(2 * texts - 2, -1, -1):
        if not of_part[node] and bound <= surprise[node] == greatest[node]:
            of_part[node] = since[node]
        if node >= texts:
            of_part[children[node - texts]] = of_part[node]
    late = ages <= of_part[:texts]
    number = int(labels.max(initial=-1)) + 1
    is_whole = np.bincount(labels, weights=~late, minlength=number) == 0
    parted, fresh = np.unique(labels[late & ~is_whole[labels]], return_inverse=True)
    result = labels.copy()
    result[late & ~is_whole[labels]] = number + fresh
    return Parting(result, np.concatenate([is_whole, np.ones(len(parted), dtype=bool)]))


def _measure_lateness(calls: int, oldest: list[tuple[float, int]]) -> tuple[float, float]:
    """Return how little chance explains that the calls of a part came so late, and its age.

    `oldest` holds the ages and calls of its oldest texts. A chance of 1 in e^x is an x.
    """
    most, since, older = 0.0, 0.0, 0
    for age, more in oldest:
        if older > MAX_OLDER * calls or calls - older < MIN_CALLS:
            break
        ways = math.log(math.comb(calls, older))
        surprise = -(calls - older) * math.log(min(1.0, max(age, 1e-12))) - ways
        if surprise > most:
            most, since = surprise, age
        older += more
    return most, since


def measure_ages(moments: npt.NDArray[np.int64], first: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the share of all calls that came since each first one; `moments` are those of all calls."""
    ordered = np.sort(moments)
    return np.asarray((len(ordered) - np.searchsorted(ordered, first, "left")) / max(1, len(ordered)))


def find_first(
    ids: npt.NDArray[np.int64], moments: npt.NDArray[np.int64], said: Sequence[Sequence[int]]
) -> npt.NDArray[np.int64]:
    """Return the first moment of the calls of each text; `ids` ascend, `moments` are theirs.

    Texts all of whose calls were deleted meanwhile began with the project.
    """
    never = np.iinfo(np.int64).max
    first = np.full(len(said), never)
    calls = np.array([call for each in said for call in each], dtype=np.int64)
    text = np.repeat(np.arange(len(said)), [len(each) for each in said])
    is_there = np.isin(calls, ids)
    np.minimum.at(first, text[is_there], moments[np.searchsorted(ids, calls[is_there])])
    return np.where(first == never, 0, first)
