"""The JSON that a stored transcript is made of, as models.Transcript keeps it and the API shows it."""

from typing import NotRequired, TypedDict


class Segment(TypedDict):
    """One stretch of speech; times are seconds from the start of the recording."""

    start: float
    end: float
    speaker: str | None  # "agent", "customer", or None when not known
    text: str
    confidence: float | None  # 0 to 1; None where the engine gives none


class Monologue(TypedDict):
    """How long one speaker talks without a turn of the other."""

    speaker: str
    seconds: float


class TalkMeasures(TypedDict):
    """Who talked how much, measured in the sound."""

    speech_seconds: float
    silence_seconds: float
    longest_silence_seconds: float
    overlap_seconds: float | None  # None where the speakers share one channel
    talk_share: dict[str, float] | None  # speaker → share of all talk, 0 to 1; None like overlap_seconds
    # Those of transcripts from before talk measures have none of these; see audio/speech.py.
    long_silence_seconds: NotRequired[float]
    long_silences: NotRequired[int]
    longest_monologue: NotRequired[Monologue | None]
    interruptions: NotRequired[dict[str, int] | None]


class WaveformLane(TypedDict):
    """How loud one channel is along the call."""

    speaker: str | None
    peaks: list[int]  # 0 to waveform.FULL


class Quality(TypedDict):
    """Whether a transcript is good enough to judge a call by."""

    ok: bool
    reasons: list[str]  # sentences; empty when it is
    half_heard: NotRequired[bool]  # true: what was said is not known, so only exact phrases count
