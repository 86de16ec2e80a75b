"""The executive summary without a language model: the same facts, said plainly from templates."""

from collections.abc import Sequence

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.report import Headline, Report, ScorecardRow
from callscope.reports.overview.scorecard import JudgedFigures, judge_row
from callscope.reports.pdf.noise import find_change
from callscope.reports.pdf.number_formats import ReportLocale

NAMED = 3  # criteria and reasons that the summary names


def write_template_summary(report: Report, locale: ReportLocale) -> list[str]:
    """Return two or three paragraphs; one when the window is empty."""
    with translation.override(locale.language):
        headline = report.headline
        if not headline.total_calls:
            if not report.total_calls_all_time:
                return [_("There are no analyzed calls in this period.")]
            text = _("There are no analyzed calls in this period. In all time there are %(calls)s.")
            return [text % {"calls": locale.count(report.total_calls_all_time)}]
        paragraphs = [
            _overall(report, locale),
            _outcomes(headline, locale),
            _criteria(report.scorecard, locale),
            _reasons_and_shifts(report, locale),
        ]
        return [p for p in paragraphs if p]


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
    delta = round(now - before, 1)
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
        "delta": locale.figure(abs(delta)),
        "before": locale.figure(before),
        "calls": locale.count(calls),
    }


def _outcomes(headline: Headline, locale: ReportLocale) -> str:
    parts = []
    if headline.critical_error_pct == 0:
        parts.append(_("No scored call has a critical error."))
    elif headline.critical_error_pct is not None:
        text = ngettext(
            "%(pct)s %% of %(calls)s scored call have a critical error.",
            "%(pct)s %% of %(calls)s scored calls have a critical error.",
            headline.scored_calls,
        )
        parts.append(
            text
            % {
                "pct": locale.figure(headline.critical_error_pct),
                "calls": locale.count(headline.scored_calls),
            }
        )
    if headline.goal_reached_pct is not None:
        text = _(
            "The goal was reached in %(pct)s %% of the calls whose outcome is known (%(known)s of %(calls)s)."
        )
        parts.append(
            text
            % {
                "known": locale.count(headline.outcome_calls),
                "calls": locale.count(headline.total_calls),
                "pct": locale.figure(headline.goal_reached_pct),
            }
        )
    if headline.negative_sentiment_pct is not None:
        text = _(
            "Sentiment is negative in %(pct)s %% of the calls whose sentiment is known (%(known)s of %(calls)s)."
        )
        parts.append(
            text
            % {
                "known": locale.count(headline.sentiment_calls),
                "calls": locale.count(headline.total_calls),
                "pct": locale.figure(headline.negative_sentiment_pct),
            }
        )
    return " ".join(parts)


def _criteria(rows: Sequence[ScorecardRow], locale: ReportLocale) -> str:
    judged = ((row.name, judge_row(row)) for row in rows)
    known = ((name, each) for name, each in judged if each.pct is not None and each.calls >= FEW_CALLS)
    measured = sorted(known, key=lambda named: named[1].pct or 0.0)
    if len(measured) < 2:
        return ""

    def join_names(some: Sequence[tuple[str, JudgedFigures]]) -> str:
        share = _("%(name)s (%(pct)s %% over %(calls)s calls)")
        return _join(
            [
                share % {"name": name, "pct": locale.figure(each.pct), "calls": locale.count(each.calls)}
                for name, each in some
            ]
        )

    count = min(NAMED, len(measured) // 2)
    weakest, strongest = measured[:count], list(reversed(measured[-count:]))
    return " ".join(
        [
            _("The weakest criteria are %(names)s.") % {"names": join_names(weakest)},
            _("The strongest are %(names)s.") % {"names": join_names(strongest)},
        ]
    )


def _reasons_and_shifts(report: Report, locale: ReportLocale) -> str:
    parts = []
    top = [row for row in report.contact_reasons if row.topic][:NAMED]
    if top:
        share = _("%(name)s (%(pct)s %%, %(calls)s calls)")
        names = [
            share
            % {"name": row.topic, "pct": locale.figure(row.volume_pct), "calls": locale.count(row.calls)}
            for row in top
        ]
        parts.append(_("The most frequent contact reasons are %(names)s.") % {"names": _join(names)})
    shifts = {row.shift: row.headline for row in report.shifts}
    day, night = shifts.get("day"), shifts.get("night")
    if day and night and day.average_score is not None and night.average_score is not None:
        text = _(
            "Day calls scored %(day)s %% on average (%(day_calls)s calls), night calls %(night)s %% "
            "(%(night_calls)s calls)."
        )
        parts.append(
            text
            % {
                "day": locale.figure(day.average_score),
                "day_calls": locale.count(day.scored_calls),
                "night": locale.figure(night.average_score),
                "night_calls": locale.count(night.scored_calls),
            }
        )
        found = next((each for each in report.shift_differences if each.figure == "average_score"), None)
        if min(day.scored_calls, night.scored_calls) < FEW_CALLS:
            parts.append(_("Those are too few calls to compare the two."))
        elif found and found.within_noise:
            parts.append(_("The difference is within the margin of error."))
    return " ".join(parts)


def _join(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return _("%(first)s and %(last)s") % {"first": ", ".join(texts[:-1]), "last": texts[-1]}
