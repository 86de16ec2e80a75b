"""The executive summary without a language model: where to look, said plainly from templates."""

from collections.abc import Collection, Sequence
from decimal import Decimal

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.analysis.figures import round_to, subtract
from callscope.projects.owners import Owners
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.highlights import (
    NO_OWNERS,
    Highlight,
    quote_reason,
    write_agent,
    write_highlights,
)
from callscope.reports.overview.intervals import LEAST_CALLS
from callscope.reports.overview.places.criteria import list_most_critical, list_named_critical, quote_share
from callscope.reports.overview.places.ties import join_names, take_leading
from callscope.reports.overview.report import ContactReasonRow, Report, ScorecardRow
from callscope.reports.overview.scorecard import judge_row, quote_criterion
from callscope.reports.pdf.noise import find_change
from callscope.reports.pdf.number_formats import ReportLocale

NAMED = 2  # criteria and reasons that the summary names


def write_template_summary(report: Report, locale: ReportLocale, owners: Owners = NO_OWNERS) -> list[str]:
    """Return where to look in up to five sentences; one that says so where there is nothing to look at.

    What the figures come to stands next to it, in figures, and what changed in the highlights: neither is
    repeated. `owners` say whose a criterion or contact reason is, in a report of several projects.
    """
    with translation.override(locale.language):
        if not report.headline.total_calls:
            return [_nothing(report, locale)]
        if report.headline.average_score is None:
            return [_("No call of this period was scored.")]
        said = write_highlights(report, locale.rounded, owners)
        kinds, subjects = {each.kind for each in said}, {name for each in said for name in each.subjects}
        agent = None if "agent" in kinds else write_agent(report.agents, locale.rounded, least=LEAST_CALLS)
        critical = "" if "critical_error_pct" in subjects else _critical(report, said, locale, owners)
        known = {name for each in said if each.kind == "criterion" for name in each.subjects}
        if critical:
            known |= {row.criterion_id for row in list_named_critical(report)}
        paragraphs = [
            critical,
            agent.text if agent else "",
            _criteria(report.scorecard, known, locale, owners),
            "" if "reason" in kinds else _reasons(report, locale, owners),
            _shifts(report, locale),
        ]
        return [p for p in paragraphs if p]


def write_opening(report: Report, locale: ReportLocale) -> str:
    """Return what the figures come to in two or three sentences, for a mail that shows no figures."""
    with translation.override(locale.language):
        return _overall(report, locale) if report.headline.total_calls else _nothing(report, locale)


def _nothing(report: Report, locale: ReportLocale) -> str:
    if not report.total_calls_all_time:
        return _("There are no analyzed calls in this period.")
    text = _("There are no analyzed calls in this period. In all time there are %(calls)s.")
    return text % {"calls": locale.count(report.total_calls_all_time)}


def _overall(report: Report, locale: ReportLocale) -> str:
    headline, before = report.headline, report.previous_headline
    calls = ngettext(
        "This period has %(calls)s call (%(hours)s hours).",
        "This period has %(calls)s calls (%(hours)s hours).",
        headline.total_calls,
    )
    parts = [
        calls % {"calls": locale.count(headline.total_calls), "hours": locale.figure(headline.analyzed_hours)}
    ]
    if headline.average_score is None:
        return " ".join([*parts, _("None of them was scored.")])
    scored = ngettext(
        "The average score of %(scored)s scored call is %(score)s %%; "
        "%(compliance)s %% of all possible points were earned.",
        "The average score of %(scored)s scored calls is %(score)s %%; "
        "%(compliance)s %% of all possible points were earned.",
        headline.scored_calls,
    )
    parts.append(
        scored
        % {
            "scored": locale.count(headline.scored_calls),
            "score": locale.figure(headline.average_score),
            "compliance": locale.figure(headline.weighted_compliance),
        }
    )
    if before and before.average_score is not None:
        parts.append(
            _compare(report, headline.average_score, before.average_score, before.scored_calls, locale)
        )
    return " ".join(parts)


def _compare(report: Report, now: float, before: float, calls: int, locale: ReportLocale) -> str:
    """Return how the average score compares with that of the period before, over so many calls."""
    moved = subtract(now, before)
    delta = round_to(moved, 1)
    change = find_change(report, "average_score")
    within_noise = change.within_noise if change else None
    if min(report.headline.scored_calls, calls) < FEW_CALLS or (delta and within_noise is None):
        text = _(
            "In the period before it was %(before)s %% (%(calls)s scored calls), "
            "which is too few calls to say whether it changed."
        )
    elif delta and within_noise:
        text = _(
            "In the period before it was %(before)s %% (%(calls)s scored calls): "
            "the difference of %(delta)s points is within the margin of error."
        )
    elif delta > 0:
        text = _(
            "The average score rose by %(delta)s points from the period before "
            "(%(before)s %%, %(calls)s scored calls)."
        )
    elif delta < 0:
        text = _(
            "The average score fell by %(delta)s points from the period before "
            "(%(before)s %%, %(calls)s scored calls)."
        )
    else:
        text = _("It is the same as in the period before (%(before)s %%, %(calls)s scored calls).")
    return text % {
        "delta": locale.figure(abs(moved)),
        "before": locale.figure(before),
        "calls": locale.count(calls),
    }


def _critical(report: Report, said: Sequence[Highlight], locale: ReportLocale, owners: Owners) -> str:
    """Say which criterion was failed critically in the most calls, or which ones in as many.

    That these are more than of any other only where others could be failed, and calls are not few.
    """
    worst = list_most_critical(report)
    possible = [row for row in report.scorecard if row.shown_critical_errors is not None]
    stands_out = len(worst) < len(possible) and report.headline.scored_calls >= FEW_CALLS
    if len(worst) != 1:
        return name_ties(worst, locale, owners, stands_out=stands_out) if worst else ""
    [row], last = worst, said[-1] if said else None
    names = {
        "name": quote_criterion(row, owners),
        "failed": locale.count(row.critical_errors),
        "judged": locale.count(judge_row(row).calls),
    }
    if last and last.subjects == (row.criterion_id,) and not last.is_change:
        most = _(
            "It was also failed critically in %(failed)s of %(judged)s calls, more calls than any other "
            "criterion."
        )
        alone = _("It was also failed critically in %(failed)s of %(judged)s calls.")
    elif any(row.criterion_id in each.subjects for each in said if len(each.subjects) == 1):
        return ""
    else:
        most = _(
            "%(name)s was failed critically in %(failed)s of %(judged)s calls, more calls than any other "
            "criterion."
        )
        alone = _("%(name)s was failed critically in %(failed)s of %(judged)s calls.")
    return (most if stands_out else alone) % names


def name_ties(rows: Sequence[ScorecardRow], locale: ReportLocale, owners: Owners, *, stands_out: bool) -> str:
    """Name criteria that were failed critically in as many calls, of many the first."""
    failed = rows[0].critical_errors
    most = ngettext(
        "%(criteria)s criteria were failed critically most often, in %(failed)s call each: %(names)s.",
        "%(criteria)s criteria were failed critically most often, in %(failed)s calls each: %(names)s.",
        failed,
    )
    alone = ngettext(
        "%(criteria)s criteria were failed critically in %(failed)s call each: %(names)s.",
        "%(criteria)s criteria were failed critically in %(failed)s calls each: %(names)s.",
        failed,
    )
    judged = _("of %(judged)s calls")
    quoted = [
        quote_criterion(row, owners, judged % {"judged": locale.count(judge_row(row).calls)}) for row in rows
    ]
    return (most if stands_out else alone) % {
        "criteria": locale.count(len(rows)),
        "failed": locale.count(failed),
        "names": join_names(quoted, locale.rounded),
    }


def _criteria(
    rows: Sequence[ScorecardRow], known: Collection[str], locale: ReportLocale, owners: Owners
) -> str:
    """Name the weakest criteria and the strongest, but for those that the highlights name.

    Nothing where all of them are as strong.
    """
    judged = ((row, judge_row(row)) for row in rows if row.criterion_id not in known)
    enough = ((row, each) for row, each in judged if each.pct is not None and each.calls >= FEW_CALLS)
    measured = [row for row, _judged in sorted(enough, key=lambda pair: pair[1].pct or 0.0)]
    strongest = take_leading(measured[::-1], _show_share)[::-1]
    weaker = [row for row in measured if row not in strongest]
    if not weaker:
        return ""
    weakest = take_leading(weaker, _show_share, wanted=min(NAMED, len(measured) // 2))
    if known:
        weak = ngettext(
            "Of the other criteria, the weakest is %(names)s",
            "Of the other criteria, the weakest are %(names)s",
            len(weakest),
        )
    else:
        weak = ngettext(
            "The weakest criterion is %(names)s", "The weakest criteria are %(names)s", len(weakest)
        )
    strong = ngettext("the strongest is %(names)s", "the strongest are %(names)s", len(strongest))
    clauses = (
        text
        % {"names": join_names([quote_share(row, locale.rounded, owners) for row in named], locale.rounded)}
        for text, named in ((weak, weakest), (strong, strongest))
    )
    return _("%(weakest)s; %(strongest)s.") % dict(zip(("weakest", "strongest"), clauses, strict=True))


def _show_share(row: ScorecardRow) -> Decimal:
    return round_to(judge_row(row).pct or 0.0, 1)


def _reasons(report: Report, locale: ReportLocale, owners: Owners) -> str:
    """Name the most frequent contact reasons; nothing of few calls, or where there is one alone."""
    topics = [row for row in report.contact_reasons if row.topic]
    calls, count = sum(row.calls for row in report.contact_reasons), len(report.contact_reasons)
    if calls < FEW_CALLS or count < 2 or not topics:
        return ""
    top = take_leading(topics, _show_volume, wanted=min(NAMED, count - 1))
    if len(top) == count:  # all of them: the first are more frequent than the others, or none is
        top = take_leading(topics, _show_volume)
    share = _("%(pct)s %% of %(calls)s calls")
    names = join_names(
        [
            quote_reason(
                row, owners, share % {"pct": locale.figure(row.volume_pct), "calls": locale.count(calls)}
            )
            for row in top
        ],
        locale.rounded,
    )
    if len(top) == count:
        return _("All contact reasons are equally frequent: %(names)s.") % {"names": names}
    text = ngettext(
        "The most frequent contact reason is %(names)s.",
        "The most frequent contact reasons are %(names)s.",
        len(top),
    )
    return text % {"names": names}


def _show_volume(row: ContactReasonRow) -> Decimal:
    return round_to(row.volume_pct or 0.0, 1)


def _shifts(report: Report, locale: ReportLocale) -> str:
    """Compare day and night where they differ beyond chance."""
    shifts = {row.shift: row.headline for row in report.shifts}
    day, night = shifts.get("day"), shifts.get("night")
    found = next((each for each in report.shift_differences if each.figure == "average_score"), None)
    if not (day and night and found and found.within_noise is False):
        return ""
    if min(day.scored_calls, night.scored_calls) < FEW_CALLS:
        return ""
    text = _(
        "Day calls scored %(day)s %% on average (%(day_calls)s calls), night calls %(night)s %% "
        "(%(night_calls)s calls)."
    )
    return text % {
        "day": locale.figure(day.average_score),
        "day_calls": locale.count(day.scored_calls),
        "night": locale.figure(night.average_score),
        "night_calls": locale.count(night.scored_calls),
    }
