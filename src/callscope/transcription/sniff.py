"""Tell from its content what an uploaded file is: a recording, SRT, VTT, or nothing we take.

Cheap for transcripts (the head is read); a recording is told by decoding its
first frame in the limited child process.
"""

from pathlib import Path

from callscope.transcription import decoding, subtitles

HEAD_BYTES = 256_000  # a VTT may open with long STYLE and NOTE blocks
FOREIGN = (
    b"%PDF",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"MZ",
    b"\x7fELF",
)


def sniff(path: Path, *, name: str) -> str | None:
    """Return "audio", "srt" or "vtt", or None for anything else; `name` only settles ties."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    headerless = bool(decoding.raw_format(name))
    if not head or (head.startswith(FOREIGN) and not (headerless and head.startswith(b"\xff"))):
        return None
    if not headerless and _is_text(head):
        return _kind_of_subtitles(subtitles.decode(head), name=name)
    return "audio" if decoding.has_audio(path, name=name) else None


def _is_text(head: bytes) -> bool:
    """Tell text from samples: no control characters but white space, once decoded."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and not head.startswith((b"\xff\xfe\x00\x00",)):
        return b"-\x00-\x00>\x00" in head or b"\x00-\x00-\x00>" in head
    start = head[:4096]
    if b"\x00" in start:
        # NUL inside a subtitle is dirt (or UTF-16 without its mark); inside anything else it is binary.
        return b"-->" in head or b"-\x00-\x00>" in head
    controls = sum(1 for byte in start if byte < 32 and byte not in b"\t\n\r\x0b\x0c\x1b")
    return controls <= len(start) // 200


def _kind_of_subtitles(text: str, *, name: str) -> str | None:
    lines = text.lstrip("\ufeff \n\t").split("\n")
    if lines[0].startswith("WEBVTT"):
        return "vtt"
    timing = next((line for line in lines if subtitles.TIMING.match(line)), None)
    if timing is None:
        return None
    if "," in timing.split(">")[0]:
        return "srt"
    # Full stops are VTT's, but some tools write SRT with them; without a header the name decides.
    return "srt" if Path(name).suffix.lower() == ".srt" else "vtt"
