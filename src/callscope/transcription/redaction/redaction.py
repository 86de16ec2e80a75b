"""Take card numbers, security codes and other chosen data out of a transcript.

Runs before a transcript is stored, prompted or logged. What is found where:
personal_data.py.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from callscope.engines.asr.protocol import Word
from callscope.engines.embeddings.protocol import Embedder
from callscope.transcription.audio.speech import merge_spans
from callscope.transcription.redaction.personal_data import Identifier, find_identifiers
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.schema import Segment

Span = tuple[float, float]

ORDER = list(PLACEHOLDERS)  # the first kind that claims a place names it

PADDING_S = 0.25  # silenced on both sides of a word: its times are not exact
STRETCH = re.compile(rb"[^\x00]+")  # of a mask
NOWHERE = -1  # where a placeholder stood before it took the place of something
MOST_READINGS = 64  # of a transcript until nothing is found in it: a reading finds one card of a run of them


@dataclass(frozen=True, slots=True)
class RedactedTranscript:
    """A transcript without what identifies somebody."""

    segments: list[Segment]
    counts: dict[str, int]  # kind → how many numbers or addresses
    silences: list[Span]  # where they are spoken, in seconds, to be silenced in the playback copy


class Masks(NamedTuple):
    """What to redact: for each character of a segment 0, or one more than the place of its kind in ORDER."""

    by_segment: dict[int, bytearray]  # only segments that have something to redact
    counts: dict[str, int]  # kind → how many numbers or addresses


def redact_segments(
    segments: list[Segment],
    kinds: Iterable[str],
    *,
    words: Sequence[tuple[Word, ...]] | None = None,
    encoder: Embedder | None = None,
) -> RedactedTranscript:
    """Return the segments with everything found replaced by its placeholder; nothing given is changed.

    `words` holds the words of each segment with their times, where the engine gave them. With the built-in
    `encoder` codes are found by meaning, too; it must not send texts anywhere.
    """
    masks = mask_identifiers(segments, kinds, encoder=encoder)
    silences = [
        _find_time(segments[index], *stretch.span(), words[index] if words else ())
        for index, mask in masks.by_segment.items()
        for stretch in STRETCH.finditer(mask)
    ]
    left = _take_out(segments, masks.by_segment)
    return RedactedTranscript(left.segments, masks.counts, merge_spans(silences))


def mask_identifiers(
    segments: list[Segment], kinds: Iterable[str], *, encoder: Embedder | None = None
) -> Masks:
    """Return what to redact, and how many identifiers of each kind there are.

    What is left is read again until nothing is found in it: a number means something else where the
    numbers around it are gone ("8359. Which one? 5960."), and a redacted transcript is to stay as it is.
    """
    wanted = list(kinds)
    masks: dict[int, bytearray] = {}
    counts: Counter[str] = Counter()
    left = _Left(segments, {})
    for _ in range(MOST_READINGS):
        # The longest first, so that a part of it found once more is not counted again.
        identifiers = sorted(
            find_identifiers(left.segments, wanted, encoder=encoder),
            key=lambda found: (ORDER.index(found.kind), -sum(p.end - p.start for p in found.stretches)),
        )
        new = [found.kind for found in identifiers if _mark(found, segments, masks, left)]
        counts.update(new)
        if not new:
            break
        left = _take_out(segments, masks)
    return Masks(masks, dict(counts))


def _mark(found: Identifier, segments: list[Segment], masks: dict[int, bytearray], left: "_Left") -> bool:
    """Mark what was found in the texts that are left; return whether any of it is new."""
    mark = bytes([ORDER.index(found.kind) + 1]) + bytes(
        range(1, 256)
    )  # zeros become the kind, the rest stays
    is_new = False
    for index, start, end in found.stretches:
        if index in left.origins:
            inside = [origin for origin in left.origins[index][start:end] if origin != NOWHERE]
            start, end = (inside[0], inside[-1] + 1) if inside else (0, 0)
        mask = masks.setdefault(index, bytearray(len(segments[index]["text"])))
        if mask.find(0, start, end) >= 0:
            mask[start:end] = mask[start:end].translate(mark)
            is_new = True
    return is_new


class _Left(NamedTuple):
    """Segments with placeholders, and for the characters of these segments where they stood before."""

    segments: list[Segment]
    origins: dict[int, list[int]]


def _take_out(segments: list[Segment], masks: dict[int, bytearray]) -> _Left:
    """Put placeholders in the place of what is masked; nothing given is changed."""
    left = _Left(list(segments), {})
    for index, mask in masks.items():
        text = segments[index]["text"]
        parts: list[str] = []
        origins: list[int] = []
        end = 0
        for stretch in STRETCH.finditer(mask):
            placeholder = PLACEHOLDERS[ORDER[min(stretch[0]) - 1]]
            parts += [text[end : stretch.start()], placeholder]
            origins += [*range(end, stretch.start()), *[NOWHERE] * len(placeholder)]
            end = stretch.end()
        left.segments[index] = {**segments[index], "text": "".join([*parts, text[end:]])}
        left.origins[index] = [*origins, *range(end, len(text))]
    return left


def redact_text(text: str, kinds: Iterable[str]) -> str:
    """Return a single text redacted and composed (NFC), for texts that do not come from a transcript."""
    composed = unicodedata.normalize("NFC", text)
    segment: Segment = {"start": 0.0, "end": 0.0, "speaker": None, "text": composed, "confidence": None}
    return redact_segments([segment], kinds).segments[0]["text"]


def _find_time(segment: Segment, start: int, end: int, timed: tuple[Word, ...]) -> Span:
    """Return when the stretch of text is spoken: by its words' times, else the whole segment."""
    position, inside = 0, []
    for word in timed:
        found = segment["text"].find(word.text, position)
        if found < 0:
            return (segment["start"], segment["end"])
        position = found + len(word.text)
        if found < end and position > start:
            inside.append(word)
    if not inside:
        return (segment["start"], segment["end"])
    return (max(0.0, inside[0].start_s - PADDING_S), inside[-1].end_s + PADDING_S)
