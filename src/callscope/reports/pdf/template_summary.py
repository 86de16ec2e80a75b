"""The executive summary without a language model: the same facts, said plainly from templates."""

from collections.abc import Sequence

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.reports.overview.report import Headline, Report, ScorecardRow
from callscope.reports.pdf.noise import find_change
from callscope.reports.pdf.number_formats import ReportLocale

NAMED = 3  # criteria and reasons that the summary names


def write_template_summary(report: Report, locale: ReportLocale) -> list[str]:
    """Return two or three paragraphs; one when the window is empty."""
    with translation.override(locale.language):
        headline = report.headline
        if not headline.total_calls:
            if not report.total_calls_all_time:
                return [_("There are no analyzed calls in this window.")]
            text = _(
                "There are no analyzed calls in this window. The projects in scope have %(calls)s in total."
            )
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
        "The window holds %(calls)s call, %(hours)s hours of conversation.",
        "The window holds %(calls)s calls, %(hours)s hours of conversation.",
        headline.total_calls,
    )
    parts = [
        calls % {"calls": locale.count(headline.total_calls), "hours": locale.figure(headline.analyzed_hours)}
    ]
    if headline.average_score is None:
        return " ".join([*parts, _("None of them has been scored.")])
    parts.append(
        _("Their average score is %(score)s %%, and %(compliance)s %% of all possible points were earned.")
        % {
            "score": locale.figure(headline.average_score),
            "compliance": locale.figure(headline.weighted_compliance),
        }
    )
    if before and before.average_score is not None:
        delta = round(headline.average_score - before.average_score, 1)
        change = find_change(report, "average_score")
        within_noise = change.within_noise if change else None
        if delta and within_noise is None:
            text = _(
                "It was %(before)s %% in the window before; the calls are too few to say whether that is a change."
            )
        elif delta and within_noise:
            text = _(
                "It was %(before)s %% in the window before: the difference of %(delta)s points is within the noise."
            )
        elif delta > 0:
            text = _("The average score rose by %(delta)s points against the window before (%(before)s %%).")
        elif delta < 0:
            text = _("The average score fell by %(delta)s points against the window before (%(before)s %%).")
        else:
            text = _("The average score is the same as in the window before (%(before)s %%).")
        parts.append(
            text % {"delta": locale.figure(abs(delta)), "before": locale.figure(before.average_score)}
        )
    return " ".join(parts)


def _outcomes(headline: Headline, locale: ReportLocale) -> str:
    parts = []
    if headline.critical_error_pct == 0:
        parts.append(_("No scored call has a critical error."))
    elif headline.critical_error_pct is not None:
        text = _("%(pct)s %% of the scored calls have a critical error.")
        parts.append(text % {"pct": locale.figure(headline.critical_error_pct)})
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
    measured = sorted((r for r in rows if r.average_pct is not None), key=lambda r: r.average_pct or 0.0)
    if len(measured) < 2:
        return ""

    def join_names(some: Sequence[ScorecardRow]) -> str:
        return _join([f"{row.name} ({locale.figure(row.average_pct)} %)" for row in some])

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
        reason = _("%(name)s (%(pct)s %% of the calls with a topic)")
        names = [reason % {"name": row.topic, "pct": locale.figure(row.volume_pct)} for row in top]
        parts.append(_("Customers called most often about %(names)s.") % {"names": _join(names)})
    scores = {row.shift: row.headline.average_score for row in report.shifts}
    day, night = scores.get("day"), scores.get("night")
    if day is not None and night is not None:
        text = _("Calls by day scored %(day)s %% on average, calls by night %(night)s %%.")
        parts.append(text % {"day": locale.figure(day), "night": locale.figure(night)})
    return " ".join(parts)


def _join(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return _("%(first)s and %(last)s") % {"first": ", ".join(texts[:-1]), "last": texts[-1]}
