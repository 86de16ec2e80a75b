"""What the figures cover: a call that shows no sentiment or outcome is not in their shares.

Of a half-heard call nothing is known but phrases that stand in its transcript word for word.
"""

from collections.abc import Callable

from django.utils.translation import ngettext

from callscope.reports.overview.schemas import Headline

KNOWN_CALLS = {"negative_sentiment_pct": "sentiment_calls", "goal_reached_pct": "outcome_calls"}


def describe_coverage(name: str, headline: Headline, write_count: Callable[[int], str]) -> str:
    """Return "known for 240 of 400 calls" in the active language; "" for a figure that covers every call."""
    if name not in KNOWN_CALLS:
        return ""
    text = ngettext(
        "known for %(known)s of %(calls)s call",
        "known for %(known)s of %(calls)s calls",
        headline.total_calls,
    )
    known = getattr(headline, KNOWN_CALLS[name])
    return text % {"known": write_count(known), "calls": write_count(headline.total_calls)}


def describe_failed(calls: int, write_count: Callable[[int], str]) -> str:
    """Return "12 calls could not be analyzed, or only in part." in the active language; "" for none."""
    if not calls:
        return ""
    text = ngettext(
        "%(calls)s call could not be analyzed, or only in part.",
        "%(calls)s calls could not be analyzed, or only in part.",
        calls,
    )
    return text % {"calls": write_count(calls)}


def describe_half_heard(calls: int, write_count: Callable[[int], str]) -> str:
    """Return a sentence about the half-heard calls of a report in the active language; "" without one."""
    if not calls:
        return ""
    text = ngettext(
        "%(calls)s call was half heard. Only phrases that stand in its transcript word for word were judged, "
        "and it has no contact reason.",
        "%(calls)s calls were half heard. Only phrases that stand in their transcripts word for word were "
        "judged, and they have no contact reason.",
        calls,
    )
    return text % {"calls": write_count(calls)}
