"""Prepare intervals and differences for pages: how far, which way, and whether that may be chance."""

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from callscope.interfaces.web.templatetags.formatting import write_interval
from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.headline import ESTIMATED
from callscope.reports.overview.report import AgentRow, Headline


def write_intervals(headline: Headline) -> dict[str, str]:
    """Return the intervals of a headline in writing, by figure."""
    language, found = get_language() or "", {}
    for name in ESTIMATED:
        interval = getattr(headline, f"{name}_interval")
        if interval is not None:
            found[name] = write_interval(interval, 1, language)
    return found


def name_standing(row: AgentRow) -> str:
    """Return how an agent's score compares with that of all other calls; "" where calls are too few."""
    within_noise = is_within_noise(row.average_score_difference_interval)
    if within_noise is None:
        return ""
    if within_noise:
        return _("like the others")
    return _("above the others") if (row.average_score_difference or 0) > 0 else _("below the others")
