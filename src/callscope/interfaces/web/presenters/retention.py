"""What the next sweep of a project removes and what falls due soon, in words, and what is asked before."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.pipeline.erasure.due_removal import Forecast

NAMES = ("recordings", "transcripts", "results", "calls")


def describe_forecast(now: Forecast, soon: Forecast, days: int) -> str:
    """Return how much the next sweep removes, and all that falls due within some days where that is more."""
    if now.is_empty:
        said = [_("The next sweep, within a day, will remove nothing with these settings.")]
    else:
        removed = _(
            "The next sweep, within a day, will remove with these settings: recordings %(recordings)s, "
            "transcripts %(transcripts)s, results of calls %(results)s; calls erased completely: %(calls)s."
        )
        said = [removed % {name: _write(getattr(now, name)) for name in NAMES}]
    if soon != now:
        due = _(
            "All that falls due within the next %(days)s days: recordings %(recordings)s, "
            "transcripts %(transcripts)s, results of calls %(results)s; calls erased completely: %(calls)s."
        )
        said.append(due % {"days": days, **{name: _write(getattr(soon, name)) for name in NAMES}})
    if not soon.is_empty:
        said.append(_("This cannot be undone."))
    return " ".join(said)


def ask_before(found: Forecast) -> str:
    """Return the question about the gravest of what is removed; "" where that is nothing."""
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
