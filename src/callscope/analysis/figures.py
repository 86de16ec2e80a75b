"""Figures that are rounded once, from the exact number: to two decimals for the interface, to one for pages.

6 of 11 are 54.545… %: 54.55 with two decimals and 54.5 with one. A page that rounded the 54.55 of the
interface again would show 54.6.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

EXACT = 10**9  # parts, in which numbers that are computed as floats count as exact


class Figure(float):
    """A number as the interface gives it, with two decimals, that keeps the fraction it is rounded from."""

    __slots__ = ("denominator", "numerator")
    numerator: int
    denominator: int

    def __new__(cls, rounded: float, numerator: int, denominator: int) -> "Figure":
        figure = super().__new__(cls, rounded)
        figure.numerator, figure.denominator = numerator, denominator
        return figure

    def __neg__(self) -> "Figure":
        return Figure(-float(self) + 0.0, -self.numerator, self.denominator)  # no -0.0

    def __abs__(self) -> "Figure":
        return -self if self.numerator < 0 else self

    def __getnewargs__(self) -> tuple[float, int, int]:  # type: ignore[override]
        return float(self), self.numerator, self.denominator


def round_half_even(numerator: int, denominator: int) -> int:
    """Return numerator / denominator rounded to the nearest integer, ties to even; denominator above 0."""
    quotient, remainder = divmod(numerator, denominator)
    twice = 2 * remainder
    if twice > denominator or (twice == denominator and quotient % 2):
        quotient += 1
    return quotient


def ratio(numerator: int, denominator: int) -> Figure | None:
    """Return numerator / denominator; None when the denominator is 0."""
    if not denominator:
        return None
    return Figure(round_half_even(numerator * 100, denominator) / 100, numerator, denominator)


def percentage(part: int, base: int) -> Figure | None:
    """Return part of base in percent; None when base is 0, so "no data" is never 0 %."""
    return ratio(part * 100, base)


def figure_of(value: float) -> Figure:
    """Return a number that was computed as a float, such as a bound of an interval, as a figure."""
    return Figure(round(value, 2), round(value * EXACT), EXACT)


def round_to(value: float | Decimal, decimals: int) -> Decimal:
    """Return a number with so many decimals, half-even: a figure from what it is itself rounded from."""
    if not isinstance(value, Figure):
        return round(Decimal(str(value)), decimals)
    return Decimal(round_half_even(value.numerator * 10**decimals, value.denominator)).scaleb(-decimals)


def subtract(one: float, other: float) -> Figure:
    """Return one − other, exactly: of a figure what it is rounded from, of any other number its digits."""
    (n1, d1), (n2, d2) = _as_fraction(one), _as_fraction(other)
    exact = n1 * d2 - n2 * d1, d1 * d2
    return Figure(round_half_even(exact[0] * 100, exact[1]) / 100, *exact)


def _as_fraction(value: float) -> tuple[int, int]:
    if isinstance(value, Figure):
        return value.numerator, value.denominator
    return Decimal(str(value)).as_integer_ratio()


def take_percent(percent: float, value: float) -> Figure | None:
    """Return so many percent of a number, from what both are rounded from."""
    (n1, d1), (n2, d2) = _as_fraction(percent), _as_fraction(value)
    return ratio(n1 * n2, 100 * d1 * d2)


def mean_of(values: Sequence[float]) -> Figure | None:
    """Return the mean of figures from what they are rounded from; None without any."""
    if not values:
        return None
    mean = sum((Fraction(*_as_fraction(each)) for each in values), Fraction(0)) / len(values)
    return ratio(mean.numerator, mean.denominator)


def score_of(copc: Mapping[str, Any]) -> float | None:
    """Return the score of a call in a stored copc result; None where nothing was scored."""
    score, points, most = (
        copc.get(name) for name in ("score_percentage", "total_points", "max_possible_points")
    )
    if score is None:
        return None
    # A stored number has at most six decimals, so that its digits are exact.
    (earned, parts), (possible, parts_of_all) = _as_fraction(points or 0), _as_fraction(most or 0)
    exact = percentage(earned * parts_of_all, parts * possible)
    return exact if exact == score else float(score)  # 0 where a critical error zeroes it
