"""Round exact fractions half-even, once, at the edge."""


def half_even(numerator: int, denominator: int) -> int:
    """Return numerator / denominator rounded to the nearest whole, ties to even; denominator above 0."""
    quotient, remainder = divmod(numerator, denominator)
    twice = 2 * remainder
    if twice > denominator or (twice == denominator and quotient % 2):
        quotient += 1
    return quotient


def ratio(numerator: int, denominator: int) -> float | None:
    """Return numerator / denominator with two decimals; None when there is nothing to divide by."""
    return half_even(numerator * 100, denominator) / 100 if denominator else None


def percentage(part: int, base: int) -> float | None:
    """Return part of base in percent with two decimals; None when base is 0."""
    return ratio(part * 100, base)
