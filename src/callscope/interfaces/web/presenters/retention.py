"""What the next sweep of a project removes, in a sentence, and what is asked before it."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.pipeline.erasure.due_removal import Forecast


def describe_forecast(found: Forecast) -> str:
    """Return how much the next sweep removes."""
    if found.is_empty:
        return _("The next sweep, within a day, will remove nothing with these settings.")
    return _(
        "The next sweep, within a day, will remove with these settings: recordings %(recordings)s, "
        "transcripts %(transcripts)s, results of calls %(results)s; calls erased completely: %(calls)s. "
        "This cannot be undone."
    ) % {name: _write(getattr(found, name)) for name in ("recordings", "transcripts", "results", "calls")}


def ask_before(found: Forecast) -> str:
    """Return the question about the gravest of what the next sweep removes; "" where that is nothing."""
    if found.calls:
        asked = ngettext("Erase %(count)s call?", "Erase %(count)s calls?", found.calls)
        return asked % {"count": _write(found.calls)}
    if found.results:
        asked = ngettext(
            "Delete results of %(count)s call?", "Delete results of %(count)s calls?", found.results
        )
        return asked % {"count": _write(found.results)}
    if found.transcripts:
        asked = ngettext("Delete %(count)s transcript?", "Delete %(count)s transcripts?", found.transcripts)
        return asked % {"count": _write(found.transcripts)}
    if found.recordings:
        asked = ngettext("Delete %(count)s recording?", "Delete %(count)s recordings?", found.recordings)
        return asked % {"count": _write(found.recordings)}
    return ""


def _write(count: int) -> str:
    return number_format(count, use_l10n=True, force_grouping=True)
