"""Read SRT and VTT transcripts, however they were written.

Strict parsers fail on what exporters really produce: missing headers and
indexes, minutes without hours, other encodings, NOTE blocks, several voices in
a cue. Rules for speakers: docs/api.md, "Speakers in transcripts".
"""

import html
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

MAX_BYTES = 5_000_000  # a day of speech is about 2 MB
MAX_CUES = 50_000
MAX_CUE_CHARACTERS = 20_000
MAX_TIME_S = 24 * 3600.0  # a cue after a day is a broken time, not a long call
DETECTION_SAMPLE = 100_000  # bytes; the detector is slow on more and no wiser
ENCODINGS = ["cp1252", "mac_roman", "cp850"]  # what English and Spanish exporters use

_TIME = r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,](\d{1,9}))?"
TIMING = re.compile(rf"^\s*{_TIME}\s*-{{1,2}}>\s*{_TIME}(?:\s.*)?$", re.ASCII)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]{1,200})>", re.IGNORECASE)
_VOICE_END = re.compile(r"</v\s*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][\w.-]{0,40}(?:\s[^<>]{0,300})?/?>|<\d{1,4}:[\d:.,]{1,16}>|\{\\[^{}]{0,100}\}")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_PREFIX = re.compile(r"^\W{0,4}(agent|agente|customer|cliente)\W?\s{0,3}[:：]\s*", re.IGNORECASE)
_BLOCK = re.compile(r"^(?:NOTE|STYLE|REGION)(?:\s|$)")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\u200b\ufffe\uffff]")
SPEAKERS = {"agent": "agent", "agente": "agent", "customer": "customer", "cliente": "customer"}


class UnreadableSubtitles(Exception):
    """The text holds no transcript; str() is a sentence for the person who sent it."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One stretch of speech. `speaker` is "agent", "customer", or None when not known."""

    start_s: float
    end_s: float
    speaker: str | None
    text: str


def parse(data: bytes) -> list[Cue]:
    """Return the cues with text, ordered by start.

    Raises UnreadableSubtitles when there is none, or too many.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableSubtitles(f"The transcript is larger than {MAX_BYTES // 1_000_000} MB.")
    cues: list[Cue] = []
    for start_s, end_s, lines in _blocks(decode(data)):
        cues += [Cue(start_s, max(start_s, end_s), *said) for said in _voices(lines)]
        if sum(map(len, lines)) > MAX_CUE_CHARACTERS:
            raise UnreadableSubtitles(f"A cue has more than {MAX_CUE_CHARACTERS:,} characters.")
        if len(cues) > MAX_CUES:
            raise UnreadableSubtitles(f"The transcript has more than {MAX_CUES:,} cues.")
    if not cues:
        raise UnreadableSubtitles("The transcript holds no cue with a time and text.")
    return sorted(cues, key=lambda cue: cue.start_s)


def write(cues: list[Cue], *, file_type: str) -> str:
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


def decode(data: bytes) -> str:
    """Return the text, by its byte order mark, as UTF-8, or in the likeliest other encoding."""
    text = data.decode(_encoding(data), "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")


def _encoding(data: bytes) -> str:
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
        if error.start >= len(data) - 3 or _mostly_utf8(data):
            return "utf-8"  # cut off, or damaged in places
        best = from_bytes(sample, cp_isolation=ENCODINGS).best()
        return best.encoding if best else "cp1252"
    return "utf-8"


def _mostly_utf8(data: bytes) -> bool:
    """Tell whether well-formed letters beyond ASCII outnumber broken ones by far."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return sum(1 for character in text if character > "\x7f") - broken > 10 * broken


def _blocks(text: str) -> list[tuple[float, float, list[str]]]:
    """Return (start, end, lines) of every cue, in the order of the file."""
    lines = text.split("\n")
    timed = [(number, match) for number, line in enumerate(lines) if (match := TIMING.match(line))]
    nexts = [number for number, _ in timed[1:]] + [len(lines)]
    blocks = []
    for (number, match), following in zip(timed, nexts, strict=False):
        start_s, end_s = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        if start_s > MAX_TIME_S or end_s > MAX_TIME_S:
            continue
        body = lines[number + 1 : following]
        if following < len(lines):
            body = _without_identifier(body)
        blocks.append((start_s, end_s, _without_notes(body)))
    return blocks


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + float(f"0.{fraction or 0}")


def _without_identifier(body: list[str]) -> list[str]:
    """Drop the line before the next timing when it is that cue's identifier, not speech."""
    if not body or not body[-1].strip():
        return body
    stands_alone = len(body) >= 2 and not body[-2].strip()
    is_number = body[-1].strip().isdecimal()
    return body[:-1] if stands_alone or (is_number and len(body) >= 2) else body


def _without_notes(body: list[str]) -> list[str]:
    """Drop NOTE, STYLE and REGION blocks: from such a line after a blank one to the next blank line."""
    kept: list[str] = []
    in_block = False
    after_blank = False
    for line in body:
        blank = not line.strip()
        in_block = not blank and (in_block or (after_blank and bool(_BLOCK.match(line))))
        after_blank = blank
        if not blank and not in_block:
            kept.append(line)
    return kept


def _voices(lines: list[str]) -> list[tuple[str | None, str]]:
    """Return (speaker, text) for each voice in a cue; a line without a label goes on as before."""
    said: list[tuple[str | None, str]] = []
    for speaker, label, piece in _split_voices("\n".join(lines)):
        for number, line in enumerate(piece.split("\n")):
            text = _plain(line)
            prefix = _PREFIX.match(text)
            if prefix:
                said.append((SPEAKERS[prefix[1].casefold()], text[prefix.end() :]))
            elif number == 0 or not said:
                said.append((speaker, f"{label}: {text}" if label and text else text))
            else:
                former, before = said[-1]
                said[-1] = (former, f"{before} {text}".strip())
    return [(speaker, text) for speaker, text in said if text]


def _split_voices(text: str) -> list[tuple[str | None, str, str]]:
    """Return (speaker, label to keep, text) between the voice tags of a cue."""
    pieces: list[tuple[str | None, str, str]] = []
    speaker, label, place = None, "", 0
    for tag in _VOICE.finditer(text):
        pieces.append((speaker, label, text[place : tag.start()]))
        name = _plain(tag[1])
        speaker = SPEAKERS.get(name.casefold())
        label = "" if speaker else name
        place = tag.end()
    pieces.append((speaker, label, text[place:]))
    return [(who, kept, _VOICE_END.sub("", piece)) for who, kept, piece in pieces if piece.strip()]


def _plain(text: str) -> str:
    """Return the text without tags, entities and unseen characters, spaces collapsed."""
    text = html.unescape(_TAG.sub("", _BREAK.sub(" ", text)))
    return " ".join(_UNSEEN.sub("", text).split())
