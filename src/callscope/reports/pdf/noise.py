"""Intervals, and differences that may be chance, in the words of the PDF."""

from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.report import FigureDifference, Report
from callscope.reports.pdf.number_formats import DASH, ReportLocale

# Behind a change that may be chance, or over too few calls to say; the foot of the report explains it.
NOISE_SIGN = "~"


def write_interval(interval: Interval, locale: ReportLocale) -> str:
    """Return "72.1–80.2", or a dash where calls are too few for an interval."""
    return DASH if interval is None else "–".join(locale.figure(bound) for bound in interval)


def find_change(report: Report, figure: str) -> FigureDifference | None:
    """Return how a figure of the headline changed; None without a window before, or for a count."""
    return next((each for each in report.changes if each.figure == figure), None)


def mark_noise(interval: Interval, *, is_few: bool = False) -> str:
    """Return what follows a difference in a table: a sign where it may be chance, as of few calls."""
    return f" {NOISE_SIGN}" if is_few or is_within_noise(interval) else ""


def write_difference(difference: FigureDifference | None, locale: ReportLocale) -> str:
    """Return "+3.2", with a sign where it may be chance; a dash where nothing can be compared."""
    if difference is None or difference.difference is None:
        return DASH
    noise = "" if difference.within_noise is False else f" {NOISE_SIGN}"
    return locale.change(difference.difference) + noise
