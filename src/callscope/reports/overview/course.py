"""How the share of a contact reason changed since the window before, and whether that is more than chance.

A reason grows or shrinks where Newcombe's interval on the difference of its two shares leaves 0
out; it is new where the window before has no call of it, and chance alone would hardly put all its
calls into this one. Both bounds are divided by the number of reasons that are looked at, so that
of windows in which nothing changed at most one in twenty shows any mark. Definitions: docs/api.md.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from callscope.analysis.figures import ratio

GROWING, SHRINKING, STEADY = "growing", "shrinking", "steady"
CHANCE = 0.05  # of any mark at all where nothing changed


@dataclass(frozen=True, slots=True)
class Course:
    """What one reason did; as it is here where no window before can be compared with."""

    change_pct: float | None = None  # points of its share, now less before
    is_new: bool = False
    course: str | None = None  # GROWING, SHRINKING or STEADY


def judge_course(now: int, calls_now: int, before: int, calls_before: int, *, reasons: int) -> Course:
    """Return the course of a reason with `now` of `calls_now` calls, and `before` of `calls_before`.

    `reasons` is how many are looked at together. Where either window is empty there is no course.
    """
    if not calls_now or not calls_before:
        return Course()
    change = ratio((now * calls_before - before * calls_now) * 100, calls_now * calls_before)
    chance = CHANCE / max(1, reasons)
    low, high = bound_difference(now, calls_now, before, calls_before, chance=chance)
    course = GROWING if low > 0 else SHRINKING if high < 0 else STEADY
    # One call after the other would have to fall into this window: each does so with its share of all calls.
    is_new = before == 0 and now * math.log(calls_now / (calls_now + calls_before)) < math.log(chance / 2)
    return Course(change, is_new, GROWING if is_new else course)


def bound_difference(
    now: int, calls_now: int, before: int, calls_before: int, *, chance: float
) -> tuple[float, float]:
    """Return Newcombe's interval (method 10) on the difference of two shares, which misses it by `chance`."""
    z = NormalDist().inv_cdf(1 - chance / 2)
    share_now, share_before = now / calls_now, before / calls_before
    low_now, high_now = bound_share(now, calls_now, z)
    low_before, high_before = bound_share(before, calls_before, z)
    difference = share_now - share_before
    return (
        difference - math.hypot(share_now - low_now, high_before - share_before),
        difference + math.hypot(high_now - share_now, share_before - low_before),
    )


def bound_share(part: int, base: int, z: float) -> tuple[float, float]:
    """Return Wilson's interval on a share, for a normal deviate."""
    share, weight = part / base, z * z / base
    middle = (share + weight / 2) / (1 + weight)
    reach = z * math.sqrt(share * (1 - share) / base + weight / (4 * base)) / (1 + weight)
    return middle - reach, middle + reach
