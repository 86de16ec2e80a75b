"""Who talked how much, and when nobody did: measured in the sound, not guessed from the text."""

from typing import Any

Span = tuple[float, float]


def measure(spans_by_speaker: dict[str | None, list[Span]], *, duration_s: float) -> dict[str, Any]:
    """Return the talk measures of one call.

    `talk_share` maps each speaker to the share of all talk, 0 to 1; it is None
    where the speakers are not apart, and so is `overlap_seconds`. Silence is
    time in which nobody speaks.
    """
    anyone = _union([span for spans in spans_by_speaker.values() for span in spans])
    pauses = _pauses(anyone, duration_s)
    apart = None not in spans_by_speaker
    talk = {speaker: _length(spans) for speaker, spans in spans_by_speaker.items()}
    total = sum(talk.values())
    return {
        "speech_seconds": round(_length(anyone), 2),
        "silence_seconds": round(sum(end - start for start, end in pauses), 2),
        "longest_silence_seconds": round(max((end - start for start, end in pauses), default=0.0), 2),
        "overlap_seconds": round(max(0.0, total - _length(anyone)), 2) if apart else None,
        "talk_share": _shares(talk, total) if apart and total else None,
    }


def _shares(talk: dict[str | None, float], total: float) -> dict[str, float]:
    return {str(speaker): round(seconds / total, 4) for speaker, seconds in sorted(talk.items(), key=str)}


def _union(spans: list[Span]) -> list[Span]:
    union: list[Span] = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union


def _pauses(spans: list[Span], duration_s: float) -> list[Span]:
    edges = [0.0, *(edge for span in spans for edge in span), duration_s]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]


def _length(spans: list[Span]) -> float:
    return sum((end - start for start, end in spans), 0.0)
