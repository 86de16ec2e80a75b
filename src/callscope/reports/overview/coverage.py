"""What the figures cover: a call that shows no sentiment or outcome is not in their shares.

Of a half-heard call nothing is known but phrases that stand in its transcript word for word.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.utils.translation import ngettext

if TYPE_CHECKING:  # a client on the command line, which has no tables, reads the constants here
    from callscope.reports.overview.missing_calls import RemovedResults
    from callscope.reports.overview.schemas import Headline

FEW_CALLS = 10  # below this a mean says little
COUNTED_OVER = {  # which calls a figure is a mean or a share of; the others are counts
    "average_score": "scored_calls",
    "weighted_compliance": "scored_calls",
    "critical_error_pct": "scored_calls",
    "negative_sentiment_pct": "sentiment_calls",
    "goal_reached_pct": "outcome_calls",
}
OF_SCORED_CALLS = ("average_score", "weighted_compliance", "critical_error_pct")
KNOWN_CALLS = {"negative_sentiment_pct": "sentiment_calls", "goal_reached_pct": "outcome_calls"}


def describe_coverage(name: str, headline: "Headline", write_count: Callable[[int], str]) -> str:
    """Return "known for 240 of 400 calls" in the active language: what a share or a mean is taken over.

    "" for a count, and for a figure that is not there although calls are counted: it waits for a review.
    """
    if getattr(headline, name) is None and getattr(headline, COUNTED_OVER.get(name, name)):
        return ""
    if name in OF_SCORED_CALLS:
        return describe_scored(headline.scored_calls, write_count)
    if name not in KNOWN_CALLS:
        return ""
    text = ngettext(
        "known for %(known)s of %(calls)s call",
        "known for %(known)s of %(calls)s calls",
        headline.total_calls,
    )
    known = getattr(headline, KNOWN_CALLS[name])
    return text % {"known": write_count(known), "calls": write_count(headline.total_calls)}


def describe_both(now: int, before: int, write_count: Callable[[int], str]) -> str:
    """Return "12 calls now, 6 before" in the active language: what a change is taken over."""
    text = ngettext("%(now)s call now, %(before)s before", "%(now)s calls now, %(before)s before", now)
    return text % {"now": write_count(now), "before": write_count(before)}


def is_all_known(name: str, headline: "Headline") -> bool:
    """Return whether a figure is taken over all calls of its kind, so that their number says it all."""
    return name not in KNOWN_CALLS or getattr(headline, KNOWN_CALLS[name]) == headline.total_calls


def describe_scored(calls: int, write_count: Callable[[int], str]) -> str:
    """Return "of 400 scored calls" in the active language."""
    text = ngettext("of %(calls)s scored call", "of %(calls)s scored calls", calls)
    return text % {"calls": write_count(calls)}


def describe_zeroed(calls: int, scored: int, write_count: Callable[[int], str]) -> str:
    """Return "3 of 400 scored calls count as 0: they have a critical error." in the active language.

    "" for none.
    """
    if not calls:
        return ""
    text = ngettext(
        "%(calls)s of %(scored)s scored calls counts as 0: it has a critical error.",
        "%(calls)s of %(scored)s scored calls count as 0: they have a critical error.",
        calls,
    )
    return text % {"calls": write_count(calls), "scored": write_count(scored)}


def describe_answers(answers: int, write_count: Callable[[int], str]) -> str:
    """Return "of 4,000 answers" in the active language."""
    return ngettext("of %(count)s answer", "of %(count)s answers", answers) % {"count": write_count(answers)}


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


def describe_removed_results(removed: "RemovedResults", shown: int, write_count: Callable[[int], str]) -> str:
    """Return how many calls lost their results, also before, in the active language; "" for none.

    With no calls `shown` of the window, nothing is compared with those before.
    """
    before = removed.before if shown else 0
    if removed.calls and removed.is_all_time:
        text = ngettext(
            "The results of %(calls)s call were removed, as set in the retention.",
            "The results of %(calls)s calls were removed, as set in the retention.",
            removed.calls,
        )
    elif removed.calls:
        text = ngettext(
            "The results of %(calls)s call of this period were removed, as set in the retention.",
            "The results of %(calls)s calls of this period were removed, as set in the retention.",
            removed.calls,
        )
    elif before:
        text = ngettext(
            "The results of %(before)s call of the period before were removed, as set in the retention; "
            "changes leave them out.",
            "The results of %(before)s calls of the period before were removed, as set in the retention; "
            "changes leave them out.",
            before,
        )
    else:
        return ""
    if removed.calls and before:
        also = ngettext(
            "So were those of %(before)s call of the period before; changes leave them out.",
            "So were those of %(before)s calls of the period before; changes leave them out.",
            before,
        )
        text = f"{text} {also}"
    return text % {"calls": write_count(removed.calls), "before": write_count(before)}


def describe_half_heard(calls: int, by_people: int, write_count: Callable[[int], str]) -> str:
    """Return sentences about the half-heard calls of a report in the active language; "" without one.

    The scores of `by_people` of them come from answers of people alone, which need no transcript.
    """
    if not calls:
        return ""
    if by_people == calls:
        text = ngettext(
            "%(calls)s call has an unreliable transcript. Its score comes from answers of people alone.",
            "%(calls)s calls have unreliable transcripts. Their scores come from answers of people alone.",
            calls,
        )
        return text % {"calls": write_count(calls)}
    if by_people:
        text = ngettext(
            "%(calls)s calls have unreliable transcripts. The score of %(count)s of them comes from answers "
            "of people alone.",
            "%(calls)s calls have unreliable transcripts. The scores of %(count)s of them come from answers "
            "of people alone.",
            by_people,
        )
        rest = ngettext(
            "Of the other one, only phrases found in it word for word were judged, so its score can be too "
            "high, and it has no contact reason.",
            "Of the other %(count)s, only phrases found in them word for word were judged, so their scores "
            "can be too high, and they have no contact reason.",
            calls - by_people,
        )
        said = text % {"calls": write_count(calls), "count": write_count(by_people)}
        return f"{said} {rest % {'count': write_count(calls - by_people)}}"
    text = ngettext(
        "%(calls)s call has an unreliable transcript. Only phrases found in it word for word were judged, "
        "so its score can be too high, and it has no contact reason.",
        "%(calls)s calls have unreliable transcripts. Only phrases found in them word for word were "
        "judged, so their scores can be too high, and they have no contact reason.",
        calls,
    )
    return text % {"calls": write_count(calls)}


def describe_undrawn(calls: int, write: Callable[[int], str]) -> str:
    """Return how many calls are in weeks that charts leave out; "" for none."""
    text = ngettext(
        "%(count)s call lies after this week and is not drawn.",
        "%(count)s calls lie after this week and are not drawn.",
        calls,
    )
    return text % {"count": write(calls)} if calls else ""
