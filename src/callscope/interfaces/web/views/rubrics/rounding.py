"""How differences and their intervals are shown, each rounded to one decimal by itself."""

from callscope.analysis.figures import round_to


def rounds_apart(before: float | None, after: float | None, change: float | None) -> bool:
    """Return whether a shown difference is not that of the two shown figures."""
    if before is None or after is None or change is None:
        return False
    return round_to(after, 1) - round_to(before, 1) != round_to(change, 1)


def has_interval(low: float | None, high: float | None) -> bool:
    """Return whether an interval says something: one from ±0.0 to ±0.0 does not."""
    return low is not None and high is not None and bool(round_to(low, 1) or round_to(high, 1))
