"""Reject recordings that are none, and transcripts that cannot belong to their recording.

Rules: docs/api.md, "Asynchronous transcription failures"; docs/engines.md, "Gates".
"""

from callscope.calls.models import UploadedFile
from callscope.messages.message import Message, MessageError
from callscope.projects.configuration import TranscriptGate
from callscope.transcription.schema import Quality, Segment

MIN_RECORDING_S = 10.0  # shorter exports are empty, ring-only or a beep
OVERRUN_FACTOR = 1.1  # the last words may end a little after the sound ...
OVERRUN_S = 5.0  # ... but not far beyond it


class TranscriptionFailed(MessageError):
    """The file will never have a transcript. `reason` is an ErrorReason or ""."""

    def __init__(self, reason: str, message: Message) -> None:
        super().__init__(message)
        self.reason = reason


def reject_short_recording(duration_s: float) -> None:
    """Raise TranscriptionFailed for a recording with too little sound to be a call."""
    if duration_s < MIN_RECORDING_S:
        raise TranscriptionFailed(
            UploadedFile.ErrorReason.AUDIO_TOO_SHORT,
            Message("short_recording", count=f"{duration_s:.1f}", least=f"{MIN_RECORDING_S:.0f}"),
        )


def reject_hallucination(segments: list[Segment], *, duration_s: float, engine: str) -> None:
    """Raise TranscriptionFailed if the text ends far beyond the sound that it claims to come from."""
    last_end_s = max((segment["end"] for segment in segments), default=0.0)
    if last_end_s > duration_s * OVERRUN_FACTOR + OVERRUN_S:
        raise TranscriptionFailed(
            UploadedFile.ErrorReason.HALLUCINATED_TRANSCRIPT,
            Message(
                "hallucinated", engine=engine, end=f"{segments[-1]['end']:.1f}", count=f"{duration_s:.1f}"
            ),
        )


def assess_quality(
    segments: list[Segment],
    gate: TranscriptGate,
    *,
    speech_s: float | None = None,
    language: str = "",
    is_demo: bool = False,
) -> Quality:
    """Return whether a call can be judged by this transcript, and the reasons if it cannot.

    `speech_s` is the speech that was heard in the sound, None for a transcript that was uploaded.
    `language` is the transcript's, `is_demo` whether the demo recognizer heard it.
    """
    unheard = _explain_half_heard(segments, gate, language=language, is_demo=is_demo)
    reasons = []
    words = sum(len(segment["text"].split()) for segment in segments)
    if words < gate.min_words:
        reasons.append(Message("few_words", count=words, least=gate.min_words))
    if speech_s == 0.0 and words:
        reasons.append(Message("no_speech"))
    speakers = {segment["speaker"] for segment in segments}
    if len(speakers) == 1 and None not in speakers:
        reasons.append(Message(f"only_{speakers.pop()}"))
    reasons += unheard
    quality: Quality = {"ok": not reasons, "reasons": [str(reason) for reason in reasons]}
    return {**quality, "half_heard": True} if unheard else quality


def _explain_half_heard(
    segments: list[Segment], gate: TranscriptGate, *, language: str, is_demo: bool
) -> list[Message]:
    """Return why what was said is not known; nothing where it is."""
    from callscope.language import known_words  # web processes read the bars above and need no dictionaries

    reasons = [Message("demo_transcript")] if is_demo else []
    confidence = mean_confidence(segments)
    if confidence is not None and confidence < gate.min_confidence:
        reasons.append(
            Message("low_confidence", count=f"{confidence:.2f}", least=f"{gate.min_confidence:.2f}")
        )
    known = known_words.share_known((s["text"] for s in segments), language=language)
    if known is not None and known < gate.min_known_words:
        count, least = f"{known * 100:.0f}", f"{gate.min_known_words * 100:.0f}"
        reasons.append(Message("unknown_words", count=count, least=least))
    return reasons


def mean_confidence(segments: list[Segment]) -> float | None:
    """Return the confidence weighted by words; None where the engine gave none."""
    all_segments = [(s.get("confidence"), len(s["text"].split())) for s in segments]
    rated = [(value, count) for value, count in all_segments if value is not None]
    words = sum(count for _, count in rated)
    return sum(value * count for value, count in rated) / words if words else None
