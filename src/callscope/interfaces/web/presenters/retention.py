"""What the next sweep of a project removes and what falls due soon, in words, and what is asked before."""

import datetime as dt
from dataclasses import asdict

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.templatetags.formatting import moment
from callscope.pipeline.erasure.due_removal import Forecast


def describe_forecast(
    first: Forecast, soon: Forecast, days: int, *, next_sweep: dt.datetime | None, is_more: bool
) -> str:
    """Return how much the next sweep removes, all that falls due within some days, and what goes with it.

    A paragraph for each. Without `next_sweep` it is due at once. Unless `is_more`, the saved days remove as
    much.
    """
    when = _("on %(moment)s") % {"moment": moment(next_sweep)} if next_sweep else _("within minutes")
    if first.is_empty:
        said = [_("The next sweep, %(when)s, will remove nothing with these settings.") % {"when": when}]
    else:
        removed = _(
            "The next sweep, %(when)s, will remove with these settings: recordings %(recordings)s, "
            "transcripts %(transcripts)s, results of calls %(results)s, reviews %(reviews)s, texts of notes "
            "%(notes)s, texts of appeals %(appeals)s; calls erased completely: %(calls)s."
        )
        said = [removed % {"when": when, **_write_counts(first)}]
    if soon != first:
        due = _(
            "All that falls due within the next %(days)s days: recordings %(recordings)s, transcripts "
            "%(transcripts)s, results of calls %(results)s, reviews %(reviews)s, texts of notes %(notes)s, "
            "texts of appeals %(appeals)s; calls erased completely: %(calls)s."
        )
        said.append(due % {"days": days, **_write_counts(soon)})
    if soon.is_empty:
        return "\n".join(said)
    if not is_more:
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
                "Results: scores, findings, contact reasons and the reviews by people go. The calls leave "
                "all lists and reports. File names and metadata stay, notes and appeals, too."
            )
        )
    if found.calls:
        said.append(_("Calls erased completely: names, numbers, metadata, notes and appeals go, too."))
    return said


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


def _write_counts(found: Forecast) -> dict[str, str]:
    return {name: _write(count) for name, count in asdict(found).items()}


def _write(count: int) -> str:
    return number_format(count, use_l10n=True, force_grouping=True)
