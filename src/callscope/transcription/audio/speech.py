"""Who talked how much, and when nobody did: measured in the sound, not guessed from the text."""

from callscope.engines.asr.voice_activity import Span
from callscope.transcription.schema import TalkMeasures


def measure_talk(spans_by_speaker: dict[str | None, list[Span]], *, duration_s: float) -> TalkMeasures:
    """Return the talk measures of one call.

    `talk_share` maps each speaker to the share of all talk, 0 to 1; it is None
    where the speakers are not apart, and so is `overlap_seconds`. Silence is
    time in which nobody speaks.
    """
    anyone = merge_spans([span for spans in spans_by_speaker.values() for span in spans])
    edges = [0.0, *(edge for span in anyone for edge in span), duration_s]
    pauses = [end - start for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]
    talk = {str(speaker): _total_s(spans) for speaker, spans in spans_by_speaker.items()}
    total = sum(talk.values())
    is_apart = None not in spans_by_speaker
    shares = {speaker: round(seconds / total, 4) for speaker, seconds in sorted(talk.items()) if total}
    return {
        "speech_seconds": round(_total_s(anyone), 2),
        "silence_seconds": round(sum(pauses), 2),
        "longest_silence_seconds": round(max(pauses, default=0.0), 2),
        "overlap_seconds": round(max(0.0, total - _total_s(anyone)), 2) if is_apart else None,
        "talk_share": shares if is_apart and total else None,
    }


def merge_spans(spans: list[Span]) -> list[Span]:
    """Return the spans in order, those that overlap or touch joined."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _total_s(spans: list[Span]) -> float:
    return sum((end - start for start, end in spans), 0.0)
