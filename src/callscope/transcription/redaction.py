"""Take card numbers, security codes and other chosen data out of a transcript.

Runs before a transcript is stored, prompted or logged. What is found where:
identifiers.py.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from callscope.engines.asr.protocol import Word
from callscope.transcription import identifiers
from callscope.transcription.identifiers import Piece, Segment

Span = tuple[float, float]

PLACEHOLDERS = {
    "cards": "[card number]",
    "security_codes": "[security code]",
    "emails": "[email]",
    "phones": "[phone]",
    "digit_runs": "[number]",
}
ORDER = list(PLACEHOLDERS)  # the first kind that claims a place names it

PAD_S = 0.25  # silenced on both sides of a word: its times are not exact


@dataclass(frozen=True, slots=True)
class Redacted:
    segments: list[Segment]
    counts: dict[str, int]  # kind → how many numbers or addresses
    silences: list[Span]  # where they are spoken, in seconds, to be silenced in the playback copy


def redact(
    segments: list[Segment], kinds: Iterable[str], *, words: Sequence[tuple[Word, ...]] | None = None
) -> Redacted:
    """Return the segments with every find replaced by its placeholder; nothing given is changed.

    `words` holds the words of each segment with their times, where the engine gave them.
    """
    masks, counts = find(segments, kinds)
    result = list(segments)
    silences = []
    for index, mask in masks.items():
        segment = segments[index]
        parts, place = [], 0
        for stretch in re.finditer(rb"[^\x00]+", mask):
            kind = ORDER[min(stretch[0]) - 1]
            parts += [segment["text"][place : stretch.start()], PLACEHOLDERS[kind]]
            place = stretch.end()
            silences.append(_time_of(segment, *stretch.span(), words[index] if words else ()))
        result[index] = {**segment, "text": "".join([*parts, segment["text"][place:]])}
    return Redacted(result, counts, _joined(silences))


def find(segments: list[Segment], kinds: Iterable[str]) -> tuple[dict[int, bytearray], dict[str, int]]:
    """Return what to redact and how many finds of each kind there are.

    The first is a mask for each segment that has any: for each character 0, or
    one more than the place of its kind in ORDER.
    """
    masks: dict[int, bytearray] = {}
    counts: Counter[str] = Counter()
    # The longest first, so that a part of it found once more is not counted again.
    finds = sorted(
        identifiers.find(segments, kinds),
        key=lambda found: (ORDER.index(found[0]), -sum(end - start for _, start, end in found[1])),
    )
    for kind, pieces in finds:
        claimed = [_claim(piece, kind, masks, segments) for piece in pieces]
        counts[kind] += any(claimed)
    return masks, dict(+counts)


def redact_text(text: str, kinds: Iterable[str]) -> str:
    """Return a single text redacted, for prompts and logs that do not come from a transcript."""
    segment = {"start": 0.0, "end": 0.0, "speaker": None, "text": text, "confidence": None}
    return str(redact([segment], kinds).segments[0]["text"])


def _claim(piece: Piece, kind: str, masks: dict[int, bytearray], segments: list[Segment]) -> bool:
    """Mark the piece as of this kind where no other has it yet; tell whether anything was free."""
    segment, start, end = piece
    mask = masks.setdefault(segment, bytearray(len(segments[segment]["text"])))
    if mask.find(0, start, end) < 0:
        return False
    mark = bytes([ORDER.index(kind) + 1]) + bytes(range(1, 256))
    mask[start:end] = mask[start:end].translate(mark)
    return True


def _time_of(segment: Segment, start: int, end: int, timed: tuple[Word, ...]) -> Span:
    """Return when the stretch of text is spoken: by its words' times, else the whole segment."""
    place, inside = 0, []
    for word in timed:
        found = segment["text"].find(word.text, place)
        if found < 0:
            return (segment["start"], segment["end"])
        place = found + len(word.text)
        if found < end and place > start:
            inside.append(word)
    if not inside:
        return (segment["start"], segment["end"])
    return (max(0.0, inside[0].start_s - PAD_S), inside[-1].end_s + PAD_S)


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
