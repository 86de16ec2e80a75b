"""Parts of groups whose calls all came lately. Plain arrays in and out.

A new reason that sounds like an old one falls into its group: by their words alone the two are one. But if
nothing began, the calls of each part of the group would be spread over the life of the project. So the parts
of a group in the tree are compared with time, and those that chance would hardly put together late stand
apart. Figures: ADR 22.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CHANCE = 0.05  # that any part of a project in which nothing began is set apart
MIN_CALLS = 6  # of a part

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
    calls, age = np.zeros(2 * texts - 1), np.zeros(2 * texts - 1)
    group = np.full(2 * texts - 1, -1, dtype=np.int64)  # -1 for parts of several groups
    calls[:texts], age[:texts], group[:texts] = counts, ages, labels
    children = tree[:, :2].astype(np.int64)
    for node, (left, right) in enumerate(children.tolist(), start=texts):
        calls[node] = calls[left] + calls[right]
        age[node] = max(age[left], age[right])
        group[node] = group[left] if group[left] == group[right] else -1
    is_looked_at = (group >= 0) & (calls >= MIN_CALLS)
    bound = np.log(CHANCE / max(1, int(is_looked_at.sum())))
    is_late = is_looked_at & (calls * np.log(np.clip(age, 1e-12, 1)) <= bound)
    for node in range(2 * texts - 2, texts - 1, -1):
        if is_late[node]:
            is_late[children[node - texts]] = True
    number = int(labels.max(initial=-1)) + 1
    late = is_late[:texts]
    is_whole = np.bincount(labels, weights=~late, minlength=number) == 0
    parted, fresh = np.unique(labels[late & ~is_whole[labels]], return_inverse=True)
    result = labels.copy()
    result[late & ~is_whole[labels]] = number + fresh
    return Parting(result, np.concatenate([is_whole, np.ones(len(parted), dtype=bool)]))


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
