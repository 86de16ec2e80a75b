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
from callscope.transcription.redaction.personal_data import find_identifiers
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.schema import Segment

Span = tuple[float, float]

ORDER = list(PLACEHOLDERS)  # the first kind that claims a place names it

PADDING_S = 0.25  # silenced on both sides of a word: its times are not exact


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
    redacted = list(segments)
    silences: list[Span] = []
    for index, mask in masks.by_segment.items():
        segment = segments[index]
        parts, end = [], 0
        for stretch in re.finditer(rb"[^\x00]+", mask):
            kind = ORDER[min(stretch[0]) - 1]
            parts += [segment["text"][end : stretch.start()], PLACEHOLDERS[kind]]
            end = stretch.end()
            silences.append(_find_time(segment, *stretch.span(), words[index] if words else ()))
        redacted[index] = {**segment, "text": "".join([*parts, segment["text"][end:]])}
    return RedactedTranscript(redacted, masks.counts, merge_spans(silences))


def mask_identifiers(
    segments: list[Segment], kinds: Iterable[str], *, encoder: Embedder | None = None
) -> Masks:
    """Return what to redact, and how many identifiers of each kind there are."""
    masks: dict[int, bytearray] = {}
    counts: Counter[str] = Counter()
    # The longest first, so that a part of it found once more is not counted again.
    identifiers = sorted(
        find_identifiers(segments, kinds, encoder=encoder),
        key=lambda found: (ORDER.index(found.kind), -sum(p.end - p.start for p in found.stretches)),
    )
    for kind, stretches in identifiers:
        mark = bytes([ORDER.index(kind) + 1]) + bytes(range(1, 256))  # zeros become the kind, the rest stays
        is_new = False
        for index, start, end in stretches:
            mask = masks.setdefault(index, bytearray(len(segments[index]["text"])))
            if mask.find(0, start, end) >= 0:
                mask[start:end] = mask[start:end].translate(mark)
                is_new = True
        counts[kind] += is_new
    return Masks(masks, dict(+counts))


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
