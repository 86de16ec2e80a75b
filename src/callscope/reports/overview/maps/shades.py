"""How strongly a cell of a map is shaded, on pages and on paper alike, and the names of its rows."""

from django.utils.translation import gettext_lazy

LOST_BY_LEVEL = (5, 15, 30, 45, 60)  # points that are missing to 100; each begins a stronger shade
LEVELS = len(LOST_BY_LEVEL)
LEAST_MOST = 10  # calls of the strongest shade, so that one call is not drawn like a rush
WEEKDAYS = (
    gettext_lazy("Monday"),
    gettext_lazy("Tuesday"),
    gettext_lazy("Wednesday"),
    gettext_lazy("Thursday"),
    gettext_lazy("Friday"),
    gettext_lazy("Saturday"),
    gettext_lazy("Sunday"),
)


def find_shade(percent: float) -> int:
    """Return 0 to LEVELS for a percentage, stronger the more is missing to 100, over however few calls."""
    return sum(100 - percent >= lost for lost in LOST_BY_LEVEL)


def shade_share(calls: int, most: int) -> int:
    """Return 0 to LEVELS for a number of calls, stronger the nearer it is to the most of the map."""
    return -(-calls * LEVELS // max(most, LEAST_MOST)) if calls else 0
