"""A coefficient of agreement with its 95 % interval."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

UPPER_TAIL = 0.975
NEARLY_ONE = 1 - 1e-9  # the transformation has no value at 1
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient, at most 1; None where it is undefined, and so are its bounds where they are."""

    value: float | None
    low: float | None
    high: float | None


UNDEFINED = Estimate(None, None, None)


def make_estimate(value: float, center: float, deviation: float, degrees: float) -> Estimate:
    """Return the value with an interval around `center` on Fisher's scale, widened to hold the value.

    `deviation` is the standard deviation of the transformed coefficient. The scale keeps the
    bounds between -1 and 1, and makes the interval longer on the side where there is room.
    """
    if degrees < 1:
        return Estimate(value, None, None)
    margin = float(stdtrit(degrees, UPPER_TAIL)) * deviation
    middle = float(to_fisher_scale(np.float64(center)))
    low, high = float(np.tanh(middle - margin)), float(np.tanh(middle + margin))
    return Estimate(value, min(low, value), max(high, value))


def to_fisher_scale(values: Floats | np.float64) -> Floats:
    """Return the inverse hyperbolic tangent, finite also at 1 and -1."""
    clipped: Floats = np.arctanh(np.clip(values, -NEARLY_ONE, NEARLY_ONE))
    return clipped
