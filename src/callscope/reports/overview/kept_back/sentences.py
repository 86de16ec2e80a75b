"""What a page and a PDF say of calls that wait for their reader."""

from collections.abc import Callable

from django.utils.translation import ngettext

from callscope.reports.overview.kept_back.calls import LEAST_CALLS


def describe_waiting(calls: int, write_count: Callable[[int], str]) -> str:
    """Return how many calls wait, and which figures are left out until then; "" for none."""
    if not calls:
        return ""
    text = ngettext(
        "%(count)s call waits for your rating or blind review. Until then you do not see figures over fewer "
        "than %(least)s calls if it is half of them or more.",
        "%(count)s calls wait for your rating or blind review. Until then you do not see figures over fewer "
        "than %(least)s calls if half of them or more are among these, nor figures over these alone.",
        calls,
    )
    return text % {"count": write_count(calls), "least": write_count(LEAST_CALLS)}
