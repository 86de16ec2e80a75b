"""A transcript as the analysers read it: segments with their words, and turns of one speaker.

A turn is a run of segments of one speaker: a phrase may begin in one subtitle
cue and end in the next.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from callscope.engines.embeddings import words

SPEAKERS = ("agent", "customer")


@dataclass(frozen=True)
class Segment:
    """One stretch of speech as it stands in the transcript."""

    index: int
    start_s: float
    end_s: float
    speaker: str  # "agent", "customer", or "" when unknown
    text: str

    @cached_property
    def words(self) -> list[str]:
        return words.words(self.text)


@dataclass(frozen=True)
class Turn:
    """Neighbouring segments of one speaker, with the segment that each word stands in."""

    speaker: str
    segments: list[Segment]

    @cached_property
    def words(self) -> list[str]:
        return [w for s in self.segments for w in s.words]

    @cached_property
    def segment_of_word(self) -> list[Segment]:
        return [s for s in self.segments for _ in s.words]


@dataclass(frozen=True)
class Conversation:
    """All segments of one transcript, in time order."""

    segments: list[Segment]
    language: str  # "en" or "es"
    quality: dict[str, Any] = field(default_factory=dict)  # {"ok": bool, "reasons": [sentence]}

    @cached_property
    def duration_s(self) -> float:
        """The end of the last speech; silence after it is no part of the conversation."""
        return max((s.end_s for s in self.segments), default=0.0)

    def speaks(self, speaker: str) -> bool:
        return any(s.speaker == speaker and s.words for s in self.segments)

    @property
    def has_unknown_speakers(self) -> bool:
        return any(not s.speaker and s.words for s in self.segments)

    def said_by(self, speaker: str) -> list[Segment]:
        """Return the segments of "agent", "customer", "" (unknown) or "any"."""
        return [s for s in self.segments if speaker == "any" or s.speaker == speaker]

    def turns(self, segments: Iterable[Segment] | None = None) -> Iterator[Turn]:
        """Yield the turns, only of the given segments when there are any."""
        run: list[Segment] = []
        for segment in self.segments if segments is None else segments:
            if run and (segment.speaker != run[-1].speaker or segment.index != run[-1].index + 1):
                yield Turn(run[0].speaker, run)
                run = []
            run.append(segment)
        if run:
            yield Turn(run[0].speaker, run)


def read(
    segments: list[dict[str, Any]], *, language: str, spoken_language: str, quality: dict[str, Any]
) -> Conversation:
    """Return the conversation in stored transcript segments.

    `language` is the project's ("auto" goes by the transcript, else by its words).
    """
    read_segments = [
        Segment(
            index=i,
            start_s=float(s.get("start") or 0.0),
            end_s=float(s.get("end") or 0.0),
            speaker=s["speaker"] if s.get("speaker") in SPEAKERS else "",
            text=str(s.get("text") or ""),
        )
        for i, s in enumerate(segments)
    ]
    return Conversation(read_segments, _language(language, spoken_language, read_segments), quality)


def _language(configured: str, spoken: str, segments: list[Segment]) -> str:
    if configured in words.STOP_WORDS:
        return configured
    if spoken[:2].casefold() in words.STOP_WORDS:
        return spoken[:2].casefold()
    return words.guess_language(" ".join(s.text for s in segments[:200])) or "en"
