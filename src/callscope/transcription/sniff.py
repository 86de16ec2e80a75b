"""Detect from its content what an uploaded file is: a recording, SRT, VTT, or nothing we take.

A container's signature decides first, then the name of a headerless recording, then
whether the head reads as text. What is left may be a recording that begins in its middle:
the limited child process tries to decode a frame of it.
"""

import codecs
import re
from pathlib import Path

from callscope.messages.message import Message
from callscope.transcription import cue_times, subtitles
from callscope.transcription.audio import decoding, signatures

HEAD_BYTES = 256_000  # a VTT may open with long STYLE and NOTE blocks
FOREIGN_KINDS = {  # each with the message that names it
    b"%PDF-": "kind_pdf",
    b"PK\x03\x04": "kind_zip",
    b"PK\x05\x06": "kind_zip",
    b"\x1f\x8b\x08": "kind_gzip",
    b"\x89PNG": "kind_image",
    b"\xff\xd8\xff": "kind_image",
    b"GIF87a": "kind_image",
    b"GIF89a": "kind_image",
    b"\x7fELF": "kind_program",
}
FOREIGN = tuple(FOREIGN_KINDS)
# Control characters but white space, halves of pairs, private use, and what stands for broken bytes.
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\uf8ff\ufff0-\uffff]")
_LINE_END = re.compile(r"\r\n|[\r\n\u2028\u2029]")
_OPENING = re.compile(rf"WEBVTT\b|(?:\d+ *\n)?{cue_times.TIMING.pattern}", re.ASCII | re.MULTILINE)
DIRT = 4  # so many characters may be none in the shortest text ...
DIRT_SHARE = 1 / 50  # ... and this share of a long one; sound read as text has a tenth
DIRT_SHARE_8_BIT = 1 / 200  # less where no encoding bears out that it is text


def detect_file_type(path: Path, *, name: str) -> str | None:
    """Return "audio", "srt" or "vtt", or None for anything else; `name` only decides ties."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind = judge_head(head, name=name)
    if kind == "audio" and not decoding.has_audio(path, name=name):
        return None
    return kind


def explain_refusal(path: Path) -> Message:
    """Return what is wrong with a file that detect_file_type() does not know, as far as its head says."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    for signature, kind in FOREIGN_KINDS.items():
        if head.startswith(signature):
            return Message("foreign_content", problem=Message(kind))
    if signatures.names_container(head) or signatures.begins_with_frame(head) or _read_as_text(head) is None:
        return Message("unknown_content")
    try:
        subtitles.parse_subtitles(head)
    except subtitles.UnreadableSubtitles as error:
        if error.message.code == "broken_cue_time":
            return error.message
    return Message("no_time_lines")


def judge_head(head: bytes, *, name: str) -> str | None:
    """Return "srt" or "vtt" for text that is one, "audio" for what decoding has to try, None for the rest."""
    if signatures.names_container(head):
        return "audio"
    headerless = bool(decoding.raw_format(name))
    if not head or (head.startswith(FOREIGN) and not (headerless and head[0] == 0xFF)):
        return None
    if signatures.begins_with_frame(head) and not headerless:
        return "audio"
    text = _read_as_text(head)
    if headerless:
        # Any bytes are sound by such a name; only what begins like a transcript is one that was misnamed.
        return _name_transcript(text, name) if text and _OPENING.match(text) else "audio"
    return "audio" if text is None else _name_transcript(text, name)


def _read_as_text(head: bytes) -> str | None:
    """Return the head with plain line ends, None for bytes that are no text in any encoding we read."""
    data = head.rstrip(b"\x00")
    encoding = subtitles.detect_unicode(data)
    text = codecs.getincrementaldecoder(encoding or "latin-1")("replace").decode(data)
    share = DIRT_SHARE if encoding else DIRT_SHARE_8_BIT
    if len(_NO_TEXT.findall(text)) > DIRT + share * len(text):
        return None
    return _LINE_END.sub("\n", text).lstrip("\ufeff \n\t")


def _name_transcript(text: str, name: str) -> str | None:
    if text.startswith("WEBVTT"):
        return "vtt"
    timing = next((line for line in text.split("\n") if cue_times.TIMING.match(line)), None)
    if timing is None:
        return None
    # Full stops are VTT's, but some tools write SRT with them; without a header the name decides.
    is_srt = "," in timing.split(">")[0] or Path(name).suffix.lower() == ".srt"
    return "srt" if is_srt else "vtt"
