"""A transcript as the analyzers read it: segments with their words, and turns of one speaker.

A turn is a run of segments of one speaker: a phrase may begin in one subtitle
cue and end in the next.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from callscope.language import tokens
from callscope.language.detect import guess_language
from callscope.transcription.redaction.placeholders import blank_placeholders
from callscope.transcription.schema import Quality
from callscope.transcription.schema import Segment as StoredSegment

SPEAKERS = ("agent", "customer")
_PIECE = re.compile(r"\S+")


class Place(NamedTuple):
    """Where in a call something is said: the index of the segment, and how many of its words stand before."""

    segment: int
    word: int


@dataclass(frozen=True)
class Segment:
    """One stretch of speech of the transcript."""

    index: int
    start_s: float
    end_s: float
    speaker: str  # "agent", "customer", or "" when unknown
    text: str

    @cached_property
    def spoken(self) -> str:
        """The text without what stands where something was redacted: nobody said "[card number]"."""
        return blank_placeholders(self.text)

    @cached_property
    def words(self) -> list[str]:
        return tokens.tokenize(self.spoken)


@dataclass(frozen=True)
class Turn:
    """Neighboring segments of one speaker."""

    speaker: str
    segments: list[Segment]

    @cached_property
    def words(self) -> list[str]:
        return [w for s in self.segments for w in s.words]

    @cached_property
    def text(self) -> str:
        """What is said, without what was redacted; every character keeps its place in the segments' texts."""
        return " ".join(s.spoken for s in self.segments)

    def locate(self, character: int) -> Place:
        """Return the place of a character of `text`; the end of the turn for one past the last."""
        for segment in self.segments:
            if character <= len(segment.text):
                return Place(segment.index, len(tokens.tokenize(segment.spoken[:character])))
            character -= len(segment.text) + 1
        return Place(self.segments[-1].index, len(self.segments[-1].words))

    @cached_property
    def segment_of_word(self) -> list[Segment]:
        """For each word the segment that holds it."""
        return [s for s in self.segments for _ in s.words]


@dataclass(frozen=True)
class Conversation:
    """All segments of one transcript, in time order."""

    segments: list[Segment]
    language: str  # "en" or "es"
    quality: Quality

    @cached_property
    def duration_s(self) -> float:
        """The end of the last speech; silence after it is no part of the conversation."""
        return max((s.end_s for s in self.segments), default=0.0)

    @property
    def has_words(self) -> bool:
        return any(s.words for s in self.segments)

    @property
    def is_half_heard(self) -> bool:
        """True where what was said is not known: only phrases that stand there word for word count."""
        return bool(self.quality.get("half_heard"))

    def speaks(self, speaker: str) -> bool:
        return any(s.speaker == speaker and s.words for s in self.segments)

    @property
    def has_unknown_speakers(self) -> bool:
        return any(not s.speaker and s.words for s in self.segments)

    def said_by(self, speaker: str) -> list[Segment]:
        """Return the segments of "agent", "customer", "" (unknown) or "any"."""
        return [s for s in self.segments if speaker == "any" or s.speaker == speaker]

    def turns(self, segments: Iterable[Segment] | None = None) -> Iterator[Turn]:
        """Yield the turns of all segments, or of those given."""
        return join_turns(self.segments if segments is None else segments)


def join_turns(segments: Iterable[Segment]) -> Iterator[Turn]:
    """Yield the turns of some segments in time order."""
    run: list[Segment] = []
    for segment in segments:
        if run and (segment.speaker != run[-1].speaker or segment.index != run[-1].index + 1):
            yield Turn(run[0].speaker, run)
            run = []
        run.append(segment)
    if run:
        yield Turn(run[0].speaker, run)


def cut_before(segments: Iterable[Segment], place: Place) -> list[Segment]:
    """Return what is said before a place: the segment that holds it ends there."""
    kept = [s for s in segments if s.index <= place.segment]
    if kept and kept[-1].index == place.segment:
        last = kept.pop()
        kept.append(replace(last, text=last.text[: _find_word(last, place.word)]))
    return kept


def cut_after(segments: Iterable[Segment], place: Place) -> list[Segment]:
    """Return what is said from a place on: the segment that holds it begins there."""
    kept = [s for s in segments if s.index >= place.segment]
    if kept and kept[0].index == place.segment:
        kept[0] = replace(kept[0], text=kept[0].text[_find_word(kept[0], place.word) :])
    return kept


def _find_word(segment: Segment, number: int) -> int:
    """Return the first character of a word of the segment, counted from 0."""
    if number <= 0:
        return 0
    for piece in _PIECE.finditer(segment.spoken):
        if number <= 0:
            return piece.start()
        number -= len(tokens.tokenize(piece.group()))
    return len(segment.text)


def build_conversation(
    segments: Sequence[StoredSegment], *, language: str, spoken_language: str, quality: Quality
) -> Conversation:
    """Return the conversation in stored transcript segments.

    `language` is the project's; with "auto" the transcript's language counts, else its words.
    """
    spoken = [
        Segment(
            index=i,
            start_s=float(s.get("start") or 0.0),
            end_s=float(s.get("end") or 0.0),
            speaker=speaker if (speaker := s.get("speaker")) in SPEAKERS else "",
            text=str(s.get("text") or ""),
        )
        for i, s in enumerate(segments)
    ]
    named = (language, spoken_language[:2].casefold())
    known = next((code for code in named if code in tokens.STOP_WORDS), "")
    guessed = known or guess_language(" ".join(s.text for s in spoken[:200])) or "en"
    return Conversation(spoken, guessed, quality)
