"""Who judged the calls of a report, how many people reviewed and how far they agree, in words.

Fewer answers than WEAK_FROM say nothing certain, here as on the page of the agreement.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.reports.overview.origin.judges import IMPORTED, RULES, Judge, Origin, Versions
from callscope.reports.overview.report import Report
from callscope.reports.overview.targets import WriteNumber
from callscope.reviews.agreement.measures import WEAK_FROM, Agreement
from callscope.reviews.sampling.true_score import LEAST_CALLS

NAMED = 4  # projects whose versions are named


def describe_judges(origin: Origin, write: WriteNumber) -> str:
    """Return "rules, settings versions 1 to 3" in the active language; "" where nothing is known."""
    if not origin.judges:
        return ""
    several = len(origin.judges) > 1
    names = [
        name_judge(each) + (f" ({count_calls(each.calls, write)})" if several else "")
        for each in origin.judges
    ]
    return ", ".join([*names, *filter(None, [describe_versions(origin.versions)])])


def name_judge(judge: Judge) -> str:
    if judge.engine == RULES:
        return _("rules")
    if judge.engine == IMPORTED:
        return _("results imported from another system")
    if not judge.engine:
        return _("unknown")
    return f"{judge.model} ({judge.engine})" if judge.model else judge.engine


def count_calls(calls: int, write: WriteNumber) -> str:
    return ngettext("%(count)s call", "%(count)s calls", calls) % {"count": write(calls, 0)}


def describe_versions(versions: Sequence[Versions]) -> str:
    """Return "settings version 3" in the active language; of several projects those of each."""
    if not versions:
        return ""
    spans = {(each.first, each.last) for each in versions}
    if len(spans) == 1:
        return _name_span(*spans.pop())
    if len(versions) <= NAMED:
        return "; ".join(f"{each.project}: {_name_span(each.first, each.last)}" for each in versions)
    return _name_span(min(each.first for each in versions), max(each.last for each in versions))


def _name_span(first: int, last: int) -> str:
    if first == last:
        return _("settings version %(version)s") % {"version": first}
    return _("settings versions %(first)s to %(last)s") % {"first": first, "last": last}


def describe_reviewed(report: Report, write: WriteNumber) -> str:
    """Return "6 of 28 calls" in the active language: how many people reviewed."""
    calls = report.headline.total_calls
    text = ngettext("%(reviewed)s of %(calls)s call", "%(reviewed)s of %(calls)s calls", calls)
    return text % {"reviewed": write(report.reviews.reviewed_calls, 0), "calls": write(calls, 0)}


def describe_agreement(origin: Origin, write: WriteNumber) -> str:
    """Return how often people who had not seen the machine's answers gave the same ones, as a sentence."""
    found = origin.agreement
    if not found.n or found.raw_pct is None:
        return _("Nobody has reviewed these calls without seeing the machine's answers.")
    names = {
        "share": write(found.raw_pct, 1),
        "answers": write(found.n, 0),
        "reviews": write(origin.blind_reviews, 0),
        "least": write(WEAK_FROM, 0),
    }
    if found.is_few:
        text = _(
            "Too few blind reviews to say how far people agree: %(answers)s answers, %(least)s are needed."
        )
        return text % names
    text = ngettext(
        "In %(reviews)s blind review, %(share)s %% of %(answers)s answers were the same as the machine's",
        "In %(reviews)s blind reviews, %(share)s %% of %(answers)s answers were the same as the machine's",
        origin.blind_reviews,
    )
    return text % names + describe_kappa(found, write)


def describe_kappa(found: Agreement, write: WriteNumber) -> str:
    """Return what follows: how much of it is more than chance, with its interval."""
    if found.kappa is None:
        return "."
    kappa = f"κ\u00a0{write(found.kappa, 2)}"
    if found.kappa_low is None or found.kappa_high is None:
        return f" ({kappa})."
    names = {"kappa": kappa, "low": write(found.kappa_low, 2), "high": write(found.kappa_high, 2)}
    return " " + _("(%(kappa)s, 95 %% interval %(low)s to %(high)s).") % names


def explain_no_estimate(report: Report, write: WriteNumber) -> str:
    """Return why it is not said what people would score, as a sentence; "" where it is.

    Also "" where all reviews are by criteria that have changed: people.sentences says that alone.
    """
    drawn = report.reviews.sampled_calls
    if report.reviews.true_score_interval is not None or not report.headline.scored_calls:
        return ""
    if not drawn and report.reviews.outdated_samples:
        return ""
    if not drawn:
        return _(
            "What people would score is not estimated: no call drawn at random has been reviewed as a whole."
        )
    text = ngettext(
        "What people would score is not estimated: only %(drawn)s call drawn at random was reviewed, "
        "%(least)s are needed.",
        "What people would score is not estimated: only %(drawn)s calls drawn at random were reviewed, "
        "%(least)s are needed.",
        drawn,
    )
    return text % {"drawn": write(drawn, 0), "least": write(LEAST_CALLS, 0)}
