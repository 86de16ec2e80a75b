"""How long is a file? Counted, because what containers say about themselves is not to be trusted."""

from pathlib import Path

from callscope.transcription import decoding, subtitles
from callscope.transcription.decoding import UnreadableRecording

__all__ = ["UnreadableRecording", "duration_s"]


def duration_s(path: Path, file_type: str, *, name: str = "") -> float:
    """Return the seconds of audio counted sample by sample, or the end of the last cue.

    `name` tells headerless telephone audio (`.ul`, `.al`) where the path does not
    end like it. Raises UnreadableRecording.
    """
    if file_type == "audio":
        return decoding.count_seconds(path, name=name)
    try:
        return max(cue.end_s for cue in subtitles.parse(read_transcript(path)))
    except subtitles.UnreadableSubtitles as error:
        raise UnreadableRecording(str(error)) from None


def read_transcript(path: Path) -> bytes:
    """Return the file's bytes, one more than parse() accepts at most."""
    with path.open("rb") as file:
        return file.read(subtitles.MAX_BYTES + 1)
