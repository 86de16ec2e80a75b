"""Measure how long a file is, packet by packet or cue by cue: what headers say is not to be trusted."""

from pathlib import Path
from typing import NamedTuple

from callscope.transcription import subtitles
from callscope.transcription.audio import decoding
from callscope.transcription.audio.decoding import UnreadableRecording

__all__ = ["Length", "UnreadableRecording", "measure_duration", "measure_length"]

WORDS_A_SECOND = 2.5  # 150 a minute: a transcript whose times say less was not spoken in them


class Length(NamedTuple):
    """How long a file is, and how much of it is charged; both in seconds."""

    duration_s: float
    charged_s: float


def measure_length(path: Path, file_type: str, *, name: str = "") -> Length:
    """Return the length of a file. A transcript is charged at least for the time that its words take.

    Raises UnreadableRecording.
    """
    if file_type == "audio":
        duration_s = measure_duration(path, file_type, name=name)
        return Length(duration_s, duration_s)
    cues = _read_cues(path)
    duration_s = max(cue.end_s for cue in cues)
    return Length(duration_s, max(duration_s, subtitles.count_words(cues) / WORDS_A_SECOND))


def measure_duration(path: Path, file_type: str, *, name: str = "") -> float:
    """Return the seconds that the packets of a recording last, or the end of the last cue.

    Headerless telephone audio (`.ul`, `.al`) is known by `name` where the path does
    not end like it. Raises UnreadableRecording.
    """
    if file_type == "audio":
        return decoding.measure_audio_duration(path, name=name)
    return max(cue.end_s for cue in _read_cues(path))


def _read_cues(path: Path) -> list[subtitles.Cue]:
    try:
        return subtitles.parse_subtitles(read_transcript_bytes(path))
    except subtitles.UnreadableSubtitles as error:
        raise UnreadableRecording(error.message) from None


def read_transcript_bytes(path: Path) -> bytes:
    """Return the file's bytes, one more than parse() accepts at most."""
    with path.open("rb") as file:
        return file.read(subtitles.MAX_BYTES + 1)
