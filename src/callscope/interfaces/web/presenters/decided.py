"""Where in a call something was decided: pins on its waveform, and marks in its transcript."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.call import CriterionResult, Protocol, ScoredSection
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.templatetags.formatting import clock

NEAR_S = 0.05  # a quote that begins so little before a segment is in it


class Decision(NamedTuple):
    """Something that was decided at a moment."""

    at_s: float
    name: str
    word: str | Promise  # what it came to
    tone: str  # good, warn, bad or dim, as marks are
    place_pct: float  # of the recording

    @property
    def said(self) -> str:
        return f"{clock(self.at_s)} · {self.name}: {self.word}"


def list_decisions(
    sections: Sequence[ScoredSection], protocol: Protocol | None, duration_s: float
) -> list[Decision]:
    """Return what criteria and mistakes quote, in the order of time, each once at a second."""
    found: dict[tuple[int, str], Decision] = {}
    for quote, name, word, tone in _list_quotes(sections, protocol):
        if quote is not None and quote.at_s is not None:
            place = min(100.0, 100 * quote.at_s / duration_s) if duration_s else 0.0
            found.setdefault((int(quote.at_s), name), Decision(quote.at_s, name, word, tone, place))
    return sorted(found.values(), key=lambda each: each.at_s)


def mark_segments(segments: Sequence[dict[str, Any]], decisions: Iterable[Decision]) -> list[dict[str, Any]]:
    """Return the segments of a transcript, each with what was decided in it as `marks`."""
    marked = [{**segment, "marks": []} for segment in segments]
    starts = [float(segment["start"]) for segment in segments]
    for each in decisions:
        place = bisect_right(starts, each.at_s + NEAR_S) - 1
        if place >= 0:
            marked[place]["marks"].append(each)
    return marked


def _list_quotes(
    sections: Sequence[ScoredSection], protocol: Protocol | None
) -> Iterable[tuple[Quote | None, str, str | Promise, str]]:
    for section in sections:
        for criterion in section.criteria:
            name = str(criterion.name or "")
            for quote in _quotes_of(criterion):
                yield quote, name, criterion.word, criterion.tone
            if criterion.absence and criterion.absence.applied:
                applied = _("%(criterion)s applied here") % {"criterion": name}
                yield criterion.absence.applied, applied, criterion.word, criterion.tone
    for mistake in protocol.mistakes if protocol else ():
        yield mistake.quote, mistake.text, _("mistake"), "bad"


def _quotes_of(criterion: CriterionResult) -> list[Quote]:
    if criterion.quotes:
        return [part.quote for part in criterion.quotes]
    return [criterion.quote] if criterion.quote else []
