"""A regrouping starts from the reasons that are there. Plain arrays in and out.

Topics are grouped as if for the first time, each group continues at most one reason (the best pairs
overall), and what has no reason yet goes where its group says. What has one stays, unless moving it
makes groups so much tighter that it is among the few moves that the new calls pay for. Reasons that no
group continues any more merge where there are many more reasons than groups (merges.py).

A group that began lately is a new reason, or the one that it became before: it takes what just came, also
where that was near enough to another reason to get it on arrival, and then the calls that the groups gain
by. Older calls are no part of it: it would not look new. So those that it took before it was known to have
begun lately are the first that move, and no others come in as long as it is known.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from callscope.contact_reasons.clusters.beginnings import is_beyond_chance
from callscope.contact_reasons.clusters.clustering import BLOCK, Labels
from callscope.contact_reasons.clusters.merges import order_merges
from callscope.engines.embeddings.protocol import Vectors

NONE = -1  # no reason yet
PAID = 0.25  # earlier calls that may move for each new one, and as many by merges
MAX_MOVED = 0.08  # of the earlier calls, in one regrouping
NAMED_BONUS = 0.5  # a reason that a person named finds its group before others do
CONTINUED = 0.5  # of the calls of a reason, which a group that began lately has to hold to continue it

Counts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
MOVE, MERGE = range(2)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is known of the time of calls."""

    is_late: Flags  # of each group: all its calls came lately
    just_came: Flags  # of each row: all its calls came since the last regrouping
    ages: npt.NDArray[np.float64]  # of each row, by measure_ages()


def continue_reasons(
    vectors: Vectors,
    groups: Labels,
    former: Labels,
    counts: Counts,
    *,
    kept: Collection[int],
    new_calls: int,
    beginning: Beginning | None = None,
) -> Labels:
    """Return for each row the reason it belongs to; below NONE: the new reason of a group.

    `former` holds the reason of each row or NONE, `counts` its calls. Rows of the reasons in `kept`
    stay. `new_calls` came since the last regrouping; without new ones nothing moves. Without `beginning` no
    group is late, and what has no reason just came.
    """
    has_reason = former != NONE
    number = int(groups.max(initial=-1)) + 1
    if beginning is None:
        beginning = Beginning(np.zeros(number, dtype=bool), ~has_reason, np.ones(len(former)))
    reasons = np.unique(former[has_reason])
    fresh = NONE - 1 - np.arange(number, dtype=np.int64)
    if not len(reasons):
        return fresh[groups]
    is_free = has_reason & beginning.is_late[groups] & beginning.just_came & ~np.isin(former, sorted(kept))
    # A reason without other calls was not given on arrival: its calls were analyzed again.
    is_free &= np.isin(former, former[has_reason & ~is_free])
    continued = _match(groups, np.where(is_free, NONE, former), counts, reasons, kept, beginning.is_late)
    target = np.where(continued == NONE, fresh, continued)
    result = np.where(has_reason & ~is_free, former, target[groups])
    is_older = _find_older(groups, former, continued, beginning)
    stays = np.isin(former, sorted(kept)) | _find_kept_out(
        groups, np.where(is_free, NONE, former), target, counts, beginning
    )
    moves = _order_moves(vectors, groups, np.where(is_free, result, former), target, counts, stays, is_older)
    merges = order_merges(vectors, groups, np.where(is_free, NONE, former), target, stays)
    limit = MAX_MOVED * int(counts[has_reason].sum())
    begins = is_older | beginning.is_late[groups]
    moves.sort(key=lambda rows: (not is_older[rows[0]], not begins[rows[0]]))
    first = sum(bool(begins[rows[0]]) for rows in moves)
    turns = [*((MOVE, rows) for rows in moves[:first]), *((MERGE, rows) for rows in merges)]
    turns += [(MOVE, rows) for rows in moves[first:]]
    moved = _choose_moves(turns, counts, min(limit, PAID * new_calls), limit)
    result[moved] = target[groups[moved]]
    _join_stayed(result, groups, has_reason, counts, beginning.is_late)
    return result


def _match(
    groups: Labels, former: Labels, counts: Counts, reasons: Labels, kept: Collection[int], is_late: Flags
) -> Labels:
    """Return the reason that each group continues, NONE where it continues none."""
    has_reason = former != NONE
    common = np.zeros((int(groups.max()) + 1, len(reasons)))
    np.add.at(
        common,
        (groups[has_reason], np.searchsorted(reasons, former[has_reason])),
        counts[has_reason],
    )
    # Only calls that had a reason count: new calls do not loosen the tie.
    of_reason = common.sum(axis=0, keepdims=True)
    either = common.sum(axis=1, keepdims=True) + of_reason - common
    share = common / np.maximum(either, 1)
    share[is_late[:, None] & (common < CONTINUED * of_reason)] = 0
    named = np.isin(reasons, sorted(kept))
    from scipy.optimize import linear_sum_assignment  # here: only regroupings need it

    rows, columns = linear_sum_assignment(share + NAMED_BONUS * (named & (share > 0)), maximize=True)
    continued = np.full(len(common), NONE, dtype=np.int64)
    found = share[rows, columns] > 0
    continued[rows[found]] = reasons[columns[found]]
    return continued


def _find_older(groups: Labels, former: Labels, continued: Labels, beginning: Beginning) -> Flags:
    """Return which rows have a reason that a late group continues, and came before all of that group."""
    is_older = np.zeros(len(former), dtype=bool)
    for label in np.flatnonzero(beginning.is_late & (continued != NONE)):
        began = beginning.ages[groups == label].max(initial=0)
        is_older |= (former == continued[label]) & (beginning.ages > began)
    return is_older


def _find_kept_out(
    groups: Labels, former: Labels, target: Labels, counts: Counts, beginning: Beginning
) -> Flags:
    """Return which rows came before all calls of the reason of their group, where that began lately."""
    has_reason = former > NONE
    reasons, position = np.unique(former[has_reason], return_inverse=True)
    began = np.zeros(len(reasons))
    np.maximum.at(began, position, beginning.ages[has_reason])
    calls = np.zeros(len(reasons), dtype=np.int64)
    np.add.at(calls, position, counts[has_reason])
    began[~is_beyond_chance(calls, began, len(reasons))] = np.inf  # it takes calls of any age
    since = np.full(len(target), np.inf)
    continues = np.isin(target, reasons)
    since[continues] = began[np.searchsorted(reasons, target[continues])]
    return np.asarray(beginning.ages > since[groups])


def _order_moves(
    vectors: Vectors,
    groups: Labels,
    former: Labels,
    target: Labels,
    counts: Counts,
    stays: Flags,
    is_older: Flags,
) -> list[Rows]:
    """Return the rows that could move together, from a reason to a group: what gains most a call first.

    Those that are older than what their reason became need not gain.
    """
    movable = (former != NONE) & (former != target[groups]) & ~stays
    rows = np.flatnonzero(movable)
    if not len(rows):
        return []
    has_reason = former != NONE
    reasons, position = np.unique(former[has_reason], return_inverse=True)
    of_reason = np.zeros(len(vectors), dtype=np.int64)
    of_reason[has_reason] = position
    here = _means(vectors[has_reason], position, len(reasons))
    there = _means(vectors, groups, len(target))
    gain = np.empty(len(rows))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        own = ((vectors[block] - here[of_reason[block]]) ** 2).sum(axis=1)
        gain[start : start + BLOCK] = own - ((vectors[block] - there[groups[block]]) ** 2).sum(axis=1)
    parts = np.column_stack([former[rows], groups[rows], is_older[rows]])
    cells, cell = np.unique(parts, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    calls = np.bincount(cell, weights=counts[rows], minlength=len(cells))
    mean = (np.bincount(cell, weights=gain * counts[rows], minlength=len(cells)) / calls).round(6)
    order = np.lexsort((cells[:, 1], cells[:, 0], calls, -mean))
    rows_of_cells = np.split(rows[np.argsort(cell, kind="stable")], np.cumsum(np.bincount(cell))[:-1])
    return [rows_of_cells[each] for each in order if mean[each] > 0 or cells[each, 2]]


def _choose_moves(turns: Sequence[tuple[int, Rows]], counts: Counts, paid: float, limit: float) -> Flags:
    """Return which rows move: in turn, as long as moves and merges are paid for, each by `paid` calls.

    Both together move no more calls than `limit`.
    """
    moved = np.zeros(len(counts), dtype=bool)
    left = [paid, paid]
    for kind, rows in turns:
        others = rows[~moved[rows]]
        calls = int(counts[others].sum())
        if calls <= min(left[kind], limit):
            left[kind] -= calls
            limit -= calls
            moved[others] = True
    return moved


def _join_stayed(result: Labels, groups: Labels, has_reason: Flags, counts: Counts, is_late: Flags) -> None:
    """Let new topics join the reason that holds most of their group, where the group was to be a new one.

    They count themselves only where the group began lately.
    """
    for label in np.unique(groups[result < NONE]):
        rows = np.flatnonzero(groups == label)
        stayed = rows[result[rows] > NONE]
        left = rows[result[rows] < NONE]
        if len(stayed) > len(left if is_late[label] else left[has_reason[left]]):
            found, position = np.unique(result[stayed], return_inverse=True)
            most = np.bincount(position, weights=counts[stayed]).argmax()
            result[left[~has_reason[left]]] = found[most]


def _means(vectors: Vectors, labels: Labels, number: int) -> npt.NDArray[np.float64]:
    sums = np.zeros((number, vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    return np.asarray(sums / np.maximum(np.bincount(labels, minlength=number), 1)[:, None])
