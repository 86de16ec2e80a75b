"""The figures on top of the report: each with what it covers, its interval and its change, in words."""

from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.analysis.figures import round_to, subtract
from callscope.reports.overview.comparisons import name_noise
from callscope.reports.overview.coverage import (
    COUNTED_OVER,
    FEW_CALLS,
    describe_both,
    describe_coverage,
    is_all_known,
)
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.people.sentences import describe_difference
from callscope.reports.overview.report import Headline, Report
from callscope.reports.overview.targets import Targets, describe_target
from callscope.reports.pdf.noise import find_change, write_interval
from callscope.reports.pdf.number_formats import ReportLocale

HEADLINE_FIGURES = (  # in the order of the tiles; True: more is better, False: less is better, None: neither
    ("total_calls", None),
    ("average_score", True),
    ("weighted_compliance", True),
    ("critical_error_pct", False),
    ("negative_sentiment_pct", False),
    ("goal_reached_pct", True),
    ("scored_calls", None),
    ("analyzed_hours", None),
    ("calls_with_metadata", None),
)
HERO = "average_score"  # the figure that the first page shows large
COUNTED = {"total_calls", "scored_calls", "calls_with_metadata"}
COUNTS = {*COUNTED, "analyzed_hours"}  # which have no interval and are no share


class Tile(TypedDict):
    """One figure of the headline."""

    label: str
    value: str
    coverage: str  # how many calls it is a share of, where `counts` does not say so
    interval: str  # "" for a count
    delta: str  # its change, with a sign; "" without a window before
    counts: str  # how many calls both windows have of it; "" for a count
    tone: str  # in words, since color alone says nothing on paper
    mark: str  # "good", "bad" or ""
    target: str  # in words; "" without one, but for the hero
    target_note: str  # of the hero that none is set, and what people would score


def format_headline_figure(headline: Headline, name: str, locale: ReportLocale) -> str:
    value = getattr(headline, name)
    return locale.count(value) if name in COUNTED else locale.figure(value)


def build_tiles(
    report: Report, locale: ReportLocale, targets: Targets, *, is_one_project: bool = True
) -> dict[str, Tile]:
    """Return the tiles by field of the headline, in their order."""
    tiles: dict[str, Tile] = {}
    for name, more_is_better in HEADLINE_FIGURES:
        delta_text, counts_text, tone, mark = "", "", "", ""
        before = getattr(report.previous_headline, name) if report.previous_headline else None
        now = getattr(report.headline, name)
        if before is not None and now is not None:
            delta = subtract(now, before)
            delta_text = locale.change(delta) if name not in COUNTED else locale.count_change(now - before)
            base = COUNTED_OVER.get(name)
            if base and report.previous_headline:
                counts = getattr(report.headline, base), getattr(report.previous_headline, base)
                counts_text = describe_both(*counts, locale.count)
                if min(counts) < FEW_CALLS:
                    tone = _("few calls")
                elif found := find_change(report, name):
                    tone = name_noise(found.within_noise)
            if round_to(delta, 1) and more_is_better is not None and not tone:
                is_better = (delta > 0) == more_is_better
                tone, mark = (_("better"), "good") if is_better else (_("worse"), "bad")
        value = format_headline_figure(report.headline, name, locale)
        interval = getattr(report.headline, f"{name}_interval", None)
        target, target_note = describe_target(name, now, interval, targets, locale.rounded), ""
        is_judged = report.headline.scored_calls >= FEW_CALLS
        if name == HERO and (people := describe_difference(report.reviews, locale.rounded)):
            target, target_note = _("Machine and people differ"), people
        elif name == HERO and is_judged and now is not None and name not in targets:
            none, differ = _("No target is set."), _("The projects have no target in common.")
            target_note = none if is_one_project else differ
        tiles[name] = {
            "label": DEFINITIONS[name].heading,
            "value": value,
            "coverage": ""
            if counts_text and is_all_known(name, report.headline)
            else describe_coverage(name, report.headline, locale.count),
            "interval": ""
            if interval is None
            else _("95 %% interval: %(interval)s") % {"interval": write_interval(interval, locale)},
            "delta": delta_text,
            "counts": counts_text,
            "tone": tone,
            "mark": mark,
            "target": target,
            "target_note": target_note,
        }
    return tiles


def describe_comparison(report: Report, locale: ReportLocale) -> str:
    """Return which days the changes of a report compare with; "" without a window before."""
    start, end = report.window.start, report.window.end
    if report.previous_headline is None or start is None or end is None:
        return ""
    days = (end - start).days + 1
    return ngettext(
        "Changes are against the day before.", "Changes are against the %(days)s days before.", days
    ) % {"days": locale.count(days)}
