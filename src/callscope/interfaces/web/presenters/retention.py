"""What the next sweep of a project removes and what falls due soon, in words, and what is asked before."""

import datetime as dt

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.templatetags.formatting import moment
from callscope.pipeline.erasure.due_removal import Forecast


def describe_forecast(
    first: Forecast, soon: Forecast, days: int, *, next_sweep: dt.datetime | None, saved: Forecast | None
) -> str:
    """Return how much the next sweep removes, all that falls due within some days, and what goes with it.

    A paragraph for each. Without `next_sweep` it is due at once. `saved` is what other, saved days remove.
    """
    when = _("on %(moment)s") % {"moment": moment(next_sweep)} if next_sweep else _("within minutes")
    if first.is_empty:
        said = [_("The next sweep, %(when)s, will remove nothing with these settings.") % {"when": when}]
    else:
        removed = _("The next sweep, %(when)s, will remove with these settings: %(kinds)s.")
        said = [removed % {"when": when, "kinds": _list_counts(first)}]
    if soon != first:
        due = _("All that falls due within the next %(days)s days: %(kinds)s.")
        said.append(due % {"days": days, "kinds": _list_counts(soon)})
    if soon.is_empty:
        return "\n".join(said)
    if saved and not soon.exceeds(saved):
        said.append(_("The saved days remove as much or more."))
    return "\n".join([*said, *list_consequences(soon), _("This cannot be undone.")])


def list_consequences(found: Forecast) -> list[str]:
    """Return what goes and what stays with each kind of data that is removed."""
    said = []
    if found.recordings:
        said.append(_("Recordings: the copy for the player goes, too. Transcripts and results stay."))
    if found.transcripts:
        said.append(
            _(
                "Transcripts: uploaded SRT and VTT files, the quotes and reasons in results, the comments in "
                "reviews, and the texts of notes and appeals go, too. Points and answers stay, and the calls "
                "cannot be analyzed again."
            )
        )
    if found.results:
        said.append(
            _(
                "Results: scores, findings, contact reasons and the reviews by people go, also from replays "
                "and probes. The calls leave all lists and reports. File names and metadata stay, notes and "
                "appeals, too."
            )
        )
    if found.calls:
        said.append(_("Calls erased completely: names, numbers, metadata, notes and appeals go, too."))
    return said


def ask_before(found: Forecast, days: int) -> str:
    """Return the question about the gravest of what falls due within the days; "" where that is nothing."""
    count = found.calls or found.results or found.transcripts or found.recordings
    if found.calls:
        asked = ngettext(
            "Erase %(count)s call within %(days)s days?", "Erase %(count)s calls within %(days)s days?", count
        )
    elif found.results:
        asked = ngettext(
            "Delete results of %(count)s call within %(days)s days?",
            "Delete results of %(count)s calls within %(days)s days?",
            count,
        )
    elif found.transcripts:
        asked = ngettext(
            "Delete %(count)s transcript within %(days)s days?",
            "Delete %(count)s transcripts within %(days)s days?",
            count,
        )
    elif found.recordings:
        asked = ngettext(
            "Delete %(count)s recording within %(days)s days?",
            "Delete %(count)s recordings within %(days)s days?",
            count,
        )
    else:
        return ""
    return asked % {"count": _write(count), "days": days}


def _list_counts(found: Forecast) -> str:
    """Return how many of each kind are removed, but of those of which none is."""
    kinds = (
        (found.recordings, _("recordings %(count)s")),
        (found.transcripts, _("transcripts %(count)s")),
        (found.results, _("results of calls %(count)s")),
        (found.reviews, _("reviews %(count)s")),
        (found.notes, _("texts of notes %(count)s")),
        (found.appeals, _("texts of appeals %(count)s")),
        (found.calls, _("calls erased completely %(count)s")),
    )
    return ", ".join(said % {"count": _write(count)} for count, said in kinds if count)


def _write(count: int) -> str:
    return number_format(count, use_l10n=True, force_grouping=True)
