"""Where in a call something was decided: pins on its waveform, and marks in its transcript."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.call_page.call import CriterionResult, Protocol, ScoredSection
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.templatetags.formatting import clock
from callscope.reports.search.found_words import Place, find_spoken
from callscope.reports.search.spoken_words import parse_spoken_query
from callscope.transcription.schema import Segment

GRAVEST = ("bad", "warn", "dim", "good")  # first
NEAR_S = 0.05  # a quote that begins so little before a segment is in it


class Decision(NamedTuple):
    """Something that was decided at a moment."""

    at_s: float
    name: str
    word: str | Promise  # what it came to
    tone: str  # good, warn, bad or dim, as marks are

    @property
    def said(self) -> str:
        return f"{clock(self.at_s)} · {self.name}: {self.word}"


class Pin(NamedTuple):
    """All that was decided within one second; its tone is the gravest."""

    at_s: float
    place_pct: float  # of the recording
    tone: str
    said: str


def list_decisions(sections: Sequence[ScoredSection], protocol: Protocol | None) -> list[Decision]:
    """Return what criteria and mistakes quote, in the order of time, each once at a second."""
    found: dict[tuple[int, str], Decision] = {}
    for quote, name, word, tone in _list_quotes(sections, protocol):
        if quote is not None and quote.at_s is not None:
            found.setdefault((int(quote.at_s), name), Decision(quote.at_s, name, word, tone))
    return sorted(found.values(), key=lambda each: each.at_s)


def group_pins(decisions: Sequence[Decision], duration_s: float) -> list[Pin]:
    """Return a pin for each second in which something was decided."""
    pins = []
    for _second, group in groupby(decisions, key=lambda each: int(each.at_s)):
        found = list(group)
        at_s = found[0].at_s
        place = min(100.0, 100 * at_s / duration_s) if duration_s else 0.0
        tone = min((each.tone for each in found), key=GRAVEST.index)
        pins.append(Pin(at_s, place, tone, "\n".join(each.said for each in found)))
    return pins


class MarkedSegment(TypedDict):
    """A segment of a transcript, with what was decided in it, and where it says what was looked for."""

    start: float
    end: float
    speaker: str | None
    text: str
    marks: list[Decision]
    found: list[Place]


def mark_segments(segments: Sequence[Segment], decisions: Iterable[Decision]) -> list[MarkedSegment]:
    """Return the segments of a transcript, each with what was decided in it."""
    marked: list[MarkedSegment] = [
        {
            "start": each["start"],
            "end": each["end"],
            "speaker": each["speaker"],
            "text": each["text"],
            "marks": [],
            "found": [],
        }
        for each in segments
    ]
    starts = [float(segment["start"]) for segment in segments]
    for each in decisions:
        place = bisect_right(starts, each.at_s + NEAR_S) - 1
        if place >= 0:
            marked[place]["marks"].append(each)
    return marked


def mark_spoken(segments: Sequence[MarkedSegment], language: str, looked_for: str) -> None:
    """Note in the segments where they say words that the list of calls was searched for."""
    texts = [segment["text"] for segment in segments]
    places = find_spoken(texts, language, parse_spoken_query(looked_for))
    for segment, found in zip(segments, places, strict=True):
        segment["found"] = found


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
