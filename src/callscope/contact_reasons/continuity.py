"""Carry reasons over from one grouping to the next, so that they keep their id and their name."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

LEAST_OVERLAP = 0.2  # calls in common over calls in either; below, it is another reason
RENAMED_BONUS = 0.5  # a name that a person chose finds its group before others do


def match_reasons(
    groups: Sequence[Sequence[int]], former: Mapping[int, int], renamed: frozenset[int]
) -> dict[int, int]:
    """Return group number → reason id for the groups that continue a former reason.

    `groups` holds call ids a group, `former` the reason id of each call that
    had one. Each reason continues in at most one group (the best pairs overall).
    """
    sizes = Counter(former.values())
    reasons = sorted(sizes)
    if not reasons or not groups:
        return {}
    column = {reason: i for i, reason in enumerate(reasons)}
    gain = np.zeros((len(groups), len(reasons)))
    overlap = np.zeros_like(gain)
    for row, calls in enumerate(groups):
        for reason, common in Counter(former[c] for c in calls if c in former).items():
            # Only calls that had a reason count: new calls do not loosen the tie.
            with_reason = sum(1 for c in calls if c in former)
            share = common / (with_reason + sizes[reason] - common)
            overlap[row, column[reason]] = share
            gain[row, column[reason]] = share + (RENAMED_BONUS if reason in renamed else 0)
    rows, columns = linear_sum_assignment(gain, maximize=True)
    return {
        int(r): reasons[c]
        for r, c in zip(rows, columns, strict=True)
        if overlap[r, c] >= LEAST_OVERLAP or (reasons[c] in renamed and overlap[r, c] > 0)
    }
