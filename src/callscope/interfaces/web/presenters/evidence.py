"""What is quoted of a call, and what was looked for where nothing could be quoted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from callscope.projects.configuration import Configuration
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reports.details.absences import find_absences

PHRASES_AT_FIRST = 6  # of those that a criterion looked for
TIME_PREFIX = re.compile(r"\[(?:(\d{1,3}):)?(\d{1,3}):(\d{2})\]\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the transcript and when they begin; None when no time is known."""

    text: str
    at_s: float | None

    @classmethod
    def of(cls, text: Any, start_s: Any = None) -> "Quote | None":
        """Return the quote in "[MM:SS] words"; a time of its own is more exact than the prefix."""
        shown = str(text or "")
        match = TIME_PREFIX.match(shown)
        at_s = float(start_s) if isinstance(start_s, int | float) and not isinstance(start_s, bool) else None
        if match:
            hours, minutes, seconds = (int(part or 0) for part in match.groups())
            at_s = hours * 3600 + minutes * 60 + seconds if at_s is None else at_s
            shown = shown[match.end() :]
        return cls(shown, at_s) if shown else None


class PartQuote(NamedTuple):
    """The quote of one part of a rule; `number` counts its groups from 1, None: of none of them."""

    number: int | None
    quote: Quote

    @classmethod
    def list_of(cls, entry: Mapping[str, Any]) -> list["PartQuote"]:
        """Return the quotes of a stored criterion or tracker, in their order."""
        listed = []
        for stored in entry.get("quotes") or []:
            if quote := Quote.of(stored.get("text"), stored.get("start")):
                group = stored.get("group")
                listed.append(cls(group + 1 if isinstance(group, int) else None, quote))
        return listed


class ShownAbsence(NamedTuple):
    """What a criterion that was not met looked for, and where."""

    applied: Quote | None  # why it applied; None where it always does
    phrases: list[str]  # the first of them
    more: int  # how many others there are
    start_s: float | None  # from when on they count; this and the next are None where any time does
    end_s: float | None


def show_absences(
    detail: CallDetail, config: Configuration | None, *, shows_phrases: bool
) -> dict[str, ShownAbsence]:
    """Return what was looked for in vain, by the ids of the criteria that were not met."""
    found = {}
    for each in find_absences(detail, config):
        absence = each.absence
        phrases = absence.phrases if shows_phrases else []
        found[each.criterion_id] = ShownAbsence(
            Quote(absence.applied.text, absence.applied.start_s) if absence.applied else None,
            phrases[:PHRASES_AT_FIRST],
            max(0, len(phrases) - PHRASES_AT_FIRST),
            absence.start_s,
            absence.end_s,
        )
    return found
