"""Parts of a project whose calls all came lately. Plain arrays in and out.

A new reason that sounds like an old one falls into its group: by their words alone the two are one. But if
nothing began, the calls around each text would be spread over the life of the project. So the texts nearest
to each one, from a few to some dozens, are compared with time, and those that chance would hardly put
together late stand apart, whatever groups they are in. Up to a tenth of their calls may be older, which are
then no part of it: texts that lie together never mean quite the same. Figures: ADR 22.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CHANCE = 0.05  # that any part of a project in which nothing began is set apart
TRIES = 3  # that the surroundings of a text count for: those of different sizes hold mostly the same calls
MIN_CALLS = 6  # of a part
MAX_OLDER = 0.1  # of the calls around a text that may be older
SHARED = 0.7  # of the late texts around one that are in a part already: then the others belong to it, too
# Ages that are tried as the beginning: from 0.67, which takes two dozen late calls or more, to 0.03.
BEGINNINGS = np.exp(-np.geomspace(0.4, 3.5, 16))

Labels = npt.NDArray[np.int64]
Ages = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Parting:
    """A group number for each text, and for each group whether its calls all came lately."""

    labels: Labels
    is_late: npt.NDArray[np.bool_]


def set_late_parts_apart(around: Labels, labels: Labels, counts: Labels, ages: Ages) -> Parting:
    """Return the groups with the parts that began lately as groups of their own, numbered without gaps.

    `around` holds each text and those nearest to it, `counts` their calls, and `ages` the share of all calls
    that came since the first call of each text, that one included. If calls came in any order, k of them
    would all be as late as they are with a chance of their age to the power of k.
    """
    number = int(labels.max(initial=-1)) + 1
    result = labels.copy()
    for part, rows in enumerate(_find_late_parts(around, counts, ages)):
        result[rows] = number + part
    found, numbered = np.unique(result, return_inverse=True)
    return Parting(numbered.astype(np.int64), found >= number)


def is_beyond_chance(calls: Labels, ages: Ages, tries: int) -> npt.NDArray[np.bool_]:
    """Return which of some sets of calls, none older than its age, are later than chance explains."""
    return np.asarray(-calls * np.log(np.clip(ages, 1e-12, 1)) >= math.log(max(1, tries) / CHANCE))


def _find_late_parts(around: Labels, counts: Labels, ages: Ages) -> list[Labels]:
    """Return the texts of each part that began lately, what chance explains least first."""
    texts = len(around)
    surroundings = _measure_surroundings(around, counts, ages)
    surroundings.sort(key=lambda each: -each[0])
    bound = math.log(TRIES * max(1, texts) / CHANCE)
    part_of = np.full(texts, -1, dtype=np.int64)
    parts = 0
    for surprise, late in surroundings:
        if surprise < bound:
            break
        known = part_of[late]
        if (known < 0).all():
            part_of[late] = parts
            parts += 1
            continue
        most = np.bincount(known[known >= 0]).argmax()
        if (known == most).sum() >= SHARED * len(late):
            part_of[late[known < 0]] = most
    return [np.flatnonzero(part_of == part) for part in range(parts)]


def _measure_surroundings(near: Labels, counts: Labels, ages: Ages) -> list[tuple[float, Labels]]:
    """Return for each row of near texts how little chance explains that the first ones came late, and which.

    A chance of 1 in e^x is an x, for as many of them, and the beginning, for which it is most.
    """
    from scipy.special import gammaln  # here: few processes ever group texts

    calls, age = counts[near].astype(np.float64), ages[near]
    every = np.cumsum(calls, axis=1)
    most, until, since = np.zeros(len(near)), np.zeros(len(near), dtype=np.int64), np.zeros(len(near))
    for beginning in BEGINNINGS:
        came = age <= beginning
        later = np.cumsum(calls * came, axis=1)
        older = every - later
        began = np.maximum.accumulate(np.where(came, age, 1e-12), axis=1)
        likely = (later >= MIN_CALLS) & (older <= MAX_OLDER * every)
        k, n = later[likely], every[likely]
        ways = gammaln(n + 1) - gammaln(n - k + 1) - gammaln(k + 1)
        surprise = np.zeros(near.shape)
        surprise[likely] = -k * np.log(began[likely]) - ways
        best = surprise.argmax(axis=1)
        found = surprise[np.arange(len(near)), best]
        is_more = found > most
        most[is_more], until[is_more], since[is_more] = found[is_more], best[is_more], beginning
    return [
        (float(surprise), row[: last + 1][ages[row[: last + 1]] <= oldest])
        for surprise, row, last, oldest in zip(most.round(6), near, until.tolist(), since, strict=True)
    ]


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
