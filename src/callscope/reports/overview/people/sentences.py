"""The average score that people would give, from calls drawn at random, next to the one that counts.

Over so few calls that the estimate has no interval it says nothing, and is not shown. Where its interval
leaves out the average that counts, people and machine score the same calls differently beyond chance, and a
word such as "on target" would rest on a figure that people contradict: the difference is named in its place.
A review by criteria that have changed since cannot be compared with the machine: it is left out, and counted.
"""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.analysis.figures import round_to
from callscope.reports.overview.schemas import ReviewFigures
from callscope.reports.overview.targets import WriteNumber


def describe_people(reviews: ReviewFigures, write: WriteNumber) -> str:
    """Return the estimate and its interval as sentences in the active language; without one what it lacks."""
    if reviews.true_score is None or reviews.true_score_interval is None:
        return describe_lack(reviews, write)
    left_out = describe_left_out(reviews, write)
    text = ngettext(
        "People would score these calls %(score)s %% on average, estimated from %(count)s call that was "
        "drawn at random and reviewed.",
        "People would score these calls %(score)s %% on average, estimated from %(count)s calls that were "
        "drawn at random and reviewed.",
        reviews.sampled_calls,
    )
    said = text % {"score": write(reviews.true_score, 1), "count": write(reviews.sampled_calls, 0)}
    low, high = (write(bound, 1) for bound in reviews.true_score_interval)
    said += " " + _("95 %% interval %(low)s to %(high)s.") % {"low": low, "high": high}
    left_out = left_out and f" {left_out}"
    if reviews.sampled_score is None or reviews.sampled_machine_score is None:
        return said + left_out
    names = {
        "people": write(reviews.sampled_score, 1),
        "machine": write(reviews.sampled_machine_score, 1),
        "count": write(reviews.sampled_calls, 0),
    }
    both = _("On these %(count)s calls, people gave %(people)s %% and the machine %(machine)s %%.")
    return f"{said} {both % names}{left_out}"


def describe_left_out(reviews: ReviewFigures, write: WriteNumber) -> str:
    """Return how many drawn calls the estimate lacks that were reviewed, as a sentence; "" for none."""
    if not reviews.outdated_samples:
        return ""
    text = ngettext(
        "In what people would score, %(count)s reviewed call is left out: its criteria or its transcript "
        "have changed since.",
        "In what people would score, %(count)s reviewed calls are left out: their criteria or transcripts "
        "have changed since.",
        reviews.outdated_samples,
    )
    return text % {"count": write(reviews.outdated_samples, 0)}


def describe_lack(reviews: ReviewFigures, write: WriteNumber) -> str:
    """Return that reviewed calls give no estimate any more, as a sentence; "" where none is left out."""
    if not reviews.outdated_samples:
        return ""
    text = ngettext(
        "What people would score is not estimated: %(count)s reviewed call no longer counts for it, since "
        "its criteria or its transcript have changed.",
        "What people would score is not estimated: %(count)s reviewed calls no longer count for it, since "
        "their criteria or transcripts have changed.",
        reviews.outdated_samples,
    )
    return text % {"count": write(reviews.outdated_samples, 0)}


def explain_people(reviews: ReviewFigures, write: WriteNumber) -> str:
    """Return how the estimate comes from the average that counts, as a sentence; "" without one."""
    if reviews.true_score_interval is None or reviews.counted_score is None:
        return ""
    text = _(
        "The estimate is the average score of all calls, %(score)s %%, plus what people gave more or less "
        "than the machine on the calls drawn: agent by agent, for the calls that nobody reviewed."
    )
    return text % {"score": write(reviews.counted_score, 1)}


def describe_difference(reviews: ReviewFigures, write: WriteNumber) -> str:
    """Return "People: 71.4 % (n 10)" where they would score otherwise; "" where that is not known."""
    if not is_disputed(reviews) or reviews.true_score is None:
        return ""
    names = {"score": write(reviews.true_score, 1), "count": write(reviews.sampled_calls, 0)}
    return _("People: %(score)s %% (n %(count)s)") % names


def is_disputed(reviews: ReviewFigures) -> bool:
    """Return whether people would give another average, beyond chance and beyond what rounding hides."""
    if reviews.true_score_interval is None or reviews.counted_score is None:
        return False
    low, high = (round_to(bound, 1) for bound in reviews.true_score_interval)
    return not low <= round_to(reviews.counted_score, 1) <= high
