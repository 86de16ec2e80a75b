"""Read SRT and VTT transcripts, however they were written.

Strict parsers fail on what exporters really produce: missing headers and
indexes, minutes without hours, other encodings, NOTE blocks, several voices in
a cue. Rules for speakers: docs/api.md, "Speakers in transcripts".
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from charset_normalizer import from_bytes

from callscope.messages.message import Message, MessageError
from callscope.transcription import cue_numbers, cue_times
from callscope.transcription.cue_times import Span

MAX_BYTES = 5_000_000  # a day of speech is about 2 MB
MAX_CUES = 50_000
MAX_CUE_CHARACTERS = 20_000
MAX_WORDS = 200_000  # 22 hours of speech without a pause; what follows costs time for each word
DETECTION_SAMPLE = 100_000  # bytes; the detector is slow on more and no wiser
ENCODINGS = ["cp1252", "mac_roman", "cp850"]  # what English and Spanish exporters use

_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]{1,200})>", re.IGNORECASE)
_VOICE_END = re.compile(r"</v\s*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][\w.-]{0,40}(?:\s[^<>]{0,300})?/?>|<\d{1,4}:[\d:.,]{1,16}>|\{\\[^{}]{0,100}\}")
_WORD = re.compile(r"\d+|[^\W\d_]+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_PREFIX = re.compile(r"^\W{0,4}(agent|agente|customer|cliente)\W?\s{0,3}[:：]\s*", re.IGNORECASE)
_BLOCK = re.compile(r"^(?:NOTE|STYLE|REGION)(?:\s|$)")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\u200b\ufffe\uffff]")
SPEAKERS = {"agent": "agent", "agente": "agent", "customer": "customer", "cliente": "customer"}


class UnreadableSubtitles(MessageError):
    """The text holds no transcript; the message is for the person who sent it."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One stretch of speech. `speaker` is "agent", "customer", or None when not known."""

    start_s: float
    end_s: float
    speaker: str | None
    text: str


class _Block(NamedTuple):
    """The lines of one cue, with tags and speakers as they were written."""

    number: int  # of its time line in the file
    time_line: str
    span: Span
    lines: list[str]


class _Voice(NamedTuple):
    """What one speaker says in a cue."""

    speaker: str | None
    text: str


def parse_subtitles(data: bytes) -> list[Cue]:
    """Return the cues with text, ordered by start.

    Raises UnreadableSubtitles when there is none, or too many, or too many words in them, and where
    a time line is broken: speech with a wrong time or a wrong speaker would be judged as a good call.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableSubtitles(Message("large_transcript", count=MAX_BYTES // 1_000_000))
    cues: list[Cue] = []
    for block in _read_blocks(decode_text(data)):
        if sum(map(len, block.lines)) > MAX_CUE_CHARACTERS:
            raise UnreadableSubtitles(Message("long_cue", count=f"{MAX_CUE_CHARACTERS:,}"))
        voices, span = _read_voices(block.lines), block.span
        if voices and span.is_too_late:
            value = cue_times.show(block.time_line)
            raise UnreadableSubtitles(Message("late_cue", line=block.number, value=value))
        # One that ends before it starts loses no word: it ends where it starts.
        cues += [Cue(span.start_s, max(span), voice.speaker, voice.text) for voice in voices]
        if len(cues) > MAX_CUES:
            raise UnreadableSubtitles(Message("many_cues", count=f"{MAX_CUES:,}"))
    if not cues:
        raise UnreadableSubtitles(Message("no_cues"))
    words = count_words(cues)
    if words > MAX_WORDS:
        raise UnreadableSubtitles(Message("many_words", count=f"{words:,}", most=f"{MAX_WORDS:,}"))
    return sorted(cues, key=lambda cue: cue.start_s)


def count_words(cues: Iterable[Cue]) -> int:
    """Return how many words and numbers the cues hold, also where no spaces are between them."""
    return sum(1 for cue in cues for _ in _WORD.finditer(cue.text))


def format_subtitles(cues: list[Cue], *, file_type: str) -> str:
    """Return the cues as an SRT or VTT text, speakers as prefixes."""
    comma, blocks = ("," if file_type == "srt" else "."), []
    for number, cue in enumerate(cues, 1):
        text = f"{cue.speaker.title()}: {cue.text}" if cue.speaker else cue.text
        escaped = text if file_type == "srt" else html.escape(text, quote=False)
        timing = f"{_clock(cue.start_s, comma)} --> {_clock(cue.end_s, comma)}"
        blocks.append(f"{number}\n{timing}\n{escaped}\n")
    return ("" if file_type == "srt" else "WEBVTT\n\n") + "\n".join(blocks)


def _clock(moment_s: float, comma: str) -> str:
    milliseconds = round(moment_s * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}{comma}{rest % 1000:03d}"


def decode_text(data: bytes) -> str:
    """Return the text, by its byte order mark, as UTF-8, or in the likeliest other encoding."""
    encoding = detect_unicode(data)
    if encoding is None:
        likeliest = from_bytes(data[:DETECTION_SAMPLE], cp_isolation=ENCODINGS).best()
        encoding = likeliest.encoding if likeliest else "cp1252"
    text = unicodedata.normalize("NFC", data.decode(encoding, "replace"))  # as words are compared
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")


def detect_unicode(data: bytes) -> str | None:
    """Return the Unicode encoding that the bytes are in, by their mark or their form, or None."""
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if data.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    sample = data[:DETECTION_SAMPLE]
    if sample.count(0) > len(sample) // 4:  # UTF-16 without its mark: every other byte is NUL
        return "utf-16-le" if sample[1::2].count(0) > sample[0::2].count(0) else "utf-16-be"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        broken = text.count("\ufffd")
        letters = sum(1 for character in text if character > "\x7f") - broken
        is_damaged = error.start >= len(data) - 3 or letters > 10 * broken  # cut off, or in places
        return "utf-8" if is_damaged else None
    return "utf-8"


def _read_blocks(text: str) -> Iterator[_Block]:
    """Yield the block under every time line, in the order of the file. Raise where a time line is broken."""
    lines = ["", *_INVISIBLE.sub("", text).split("\n")]  # an index is the number of the line
    spans = [(index, span) for index, line in enumerate(lines) if (span := cue_times.read_times(line))]
    index, span = 0, None  # before the first time line is the header
    cue_number: int | None = 0  # None where cues have no numbers
    for next_index, next_span in [*spans, (len(lines), None)]:
        body = _without_notes(lines, index + 1, next_index)
        for line in body:
            leads = not lines[line - 1].strip() or lines[line - 1].strip().isdecimal()
            if cue_times.is_broken(lines[line], leads=leads):
                value = cue_times.show(lines[line])
                raise UnreadableSubtitles(Message("broken_cue_time", line=line, value=value))
        next_number = None
        if cue_numbers.ends_with_identifier(
            lines, body, first=index + 1 if span else 0, end=next_index, cue_number=cue_number
        ):
            next_number = cue_numbers.read_number(lines[body.pop()])
        if spans and cue_number is not None:
            lost = cue_numbers.find_lost_time(
                lines, body, cue_number=cue_number, next_number=next_number, is_last=next_span is None
            )
            if lost is not None:
                raise UnreadableSubtitles(Message("lost_cue_time", line=lost, value=lines[lost].strip()))
        if span:
            yield _Block(index, lines[index], span, [lines[line] for line in body])
        index, span, cue_number = next_index, next_span, next_number


def _without_notes(lines: list[str], first: int, end: int) -> list[int]:
    """Return the lines with text but NOTE, STYLE and REGION blocks, which begin after a blank line."""
    kept: list[int] = []
    in_block = False
    after_blank = first == 1
    for number in range(first, end):
        line = lines[number]
        blank = not line.strip()
        in_block = not blank and (in_block or (after_blank and bool(_BLOCK.match(line))))
        after_blank = blank
        if not blank and not in_block:
            kept.append(number)
    return kept


def _read_voices(lines: list[str]) -> list[_Voice]:
    """Return each voice in a cue; a line without a label goes on as before."""
    voices: list[_Voice] = []
    parts = _VOICE.split("\n".join(lines))  # a text, then the name in a tag and the text after it, and so on
    for name, piece in zip(["", *map(_plain, parts[1::2])], parts[::2], strict=True):
        if not piece.strip():
            continue
        speaker = SPEAKERS.get(name.casefold())
        label = "" if speaker else name  # other names than those of the two sides are kept in the text
        for number, line in enumerate(_VOICE_END.sub("", piece).split("\n")):
            text = _plain(line)
            prefix = _PREFIX.match(text)
            if prefix:
                voices.append(_Voice(SPEAKERS[prefix[1].casefold()], text[prefix.end() :]))
            elif number == 0 or not voices:
                voices.append(_Voice(speaker, f"{label}: {text}" if label and text else text))
            else:
                before = voices[-1]
                voices[-1] = _Voice(before.speaker, f"{before.text} {text}".strip())
    return [voice for voice in voices if voice.text]


def _plain(text: str) -> str:
    """Return the text without tags, entities and invisible characters, spaces collapsed."""
    text = html.unescape(_TAG.sub("", _BREAK.sub(" ", text)))
    return " ".join(_INVISIBLE.sub("", text).split())
