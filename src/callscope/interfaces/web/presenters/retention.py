"""What the next sweep of a project removes, in a sentence."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from callscope.pipeline.erasure.due_removal import Forecast


def describe_forecast(found: Forecast) -> str:
    """Return how much the next sweep removes."""
    if found.is_empty:
        return _("The next sweep, within a day, will remove nothing with these settings.")
    return _(
        "The next sweep, within a day, will remove with these settings: recordings %(recordings)s, "
        "transcripts %(transcripts)s, results of calls %(results)s; calls erased completely: %(calls)s. "
        "This cannot be undone."
    ) % {
        name: number_format(getattr(found, name), use_l10n=True, force_grouping=True)
        for name in ("recordings", "transcripts", "results", "calls")
    }
