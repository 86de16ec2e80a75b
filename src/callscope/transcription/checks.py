"""Refuse recordings that are none, and transcripts that cannot belong to their recording.

Rules: docs/api.md, "Asynchronous transcription failures"; docs/engines.md, "Gates".
"""

from typing import Any

from callscope.projects.configuration import TranscriptGate

MIN_RECORDING_S = 10.0  # shorter exports are empty, ring-only or a beep
OVERRUN_FACTOR = 1.1  # the last words may end a little after the sound ...
OVERRUN_S = 5.0  # ... but not far beyond it

Segment = dict[str, Any]


def is_too_short(duration_s: float) -> bool:
    """Tell whether a recording has too little sound to be a call."""
    return duration_s < MIN_RECORDING_S


def is_hallucinated(segments: list[Segment], *, duration_s: float) -> bool:
    """Tell whether the text ends far beyond the sound that it claims to come from."""
    last_end_s = max((segment["end"] for segment in segments), default=0.0)
    return last_end_s > duration_s * OVERRUN_FACTOR + OVERRUN_S


def quality(
    segments: list[Segment], gate: TranscriptGate, *, speech_s: float | None = None
) -> dict[str, Any]:
    """Return {"ok", "reasons"}: why this transcript is too poor to judge a call by, if it is.

    `speech_s` is the speech that was heard in the sound, None for a transcript that was uploaded.
    """
    reasons = []
    words = sum(len(segment["text"].split()) for segment in segments)
    if words < gate.min_words:
        reasons.append(f"The transcript has {_count(words, 'word')}; at least {gate.min_words} are needed.")
    if speech_s == 0.0 and words:
        reasons.append("No speech was heard in the sound, so the text may be invented.")
    speakers = {segment["speaker"] for segment in segments}
    if len(speakers) == 1 and None not in speakers:
        reasons.append(f"Only one side is heard: the {speakers.pop()}.")
    confidence = mean_confidence(segments)
    if confidence is not None and confidence < gate.min_confidence:
        reasons.append(f"The mean confidence is {confidence:.2f}, below {gate.min_confidence:.2f}.")
    return {"ok": not reasons, "reasons": reasons}


def mean_confidence(segments: list[Segment]) -> float | None:
    """Return the confidence weighted by words; None where the engine gave none."""
    weighed = [(s["confidence"], len(s["text"].split())) for s in segments if s["confidence"] is not None]
    words = sum(count for _, count in weighed)
    return sum(value * count for value, count in weighed) / words if words else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
