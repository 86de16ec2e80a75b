"""Time lines of SRT and VTT: those that can be read, and those that are broken.

A line with an arrow may also be speech: "go to Settings --> Wi-Fi", "open 9:00 --> 17:00". It is a
broken time line where what is next to the arrow was plainly written as a time of a cue.
"""

import re
from typing import NamedTuple

MAX_TIME_S = 24 * 3600.0  # a cue after a day is a broken time, not a long call
SHOWN = 13  # characters of a time that a message shows; more could be what somebody said

_SPACE = r"[\s\u00a0\u2000-\u200a\u202f\u3000]"
_TIME = r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,](\d{1,9}))?"
TIMING = re.compile(rf"^{_SPACE}*{_TIME}{_SPACE}*-{{1,2}}>{_SPACE}*{_TIME}(?:{_SPACE}.*)?$", re.ASCII)
_ARROW = re.compile(r"-{2,3} ?(?:>|&gt;)")
_OTHER_ARROW = re.compile(r"[-\u2010-\u2015\u2212]{1,3} ?(?:>|&gt;)|\u2192")
_NO_ARROW = re.compile(r"(?<=[.,]\d\d\d)\W{0,4}\w?\W{0,4}(?=\d{1,3}:\d)", re.ASCII)  # damaged or missing
_SPACED = re.compile(r"(?<=\d) ?([:;\uff1a.,]) ?(?=\d)")  # translators of texts write "00: 00: 05, 000"
_NUMBERS = re.compile(r"[.,:;]*\d[\d.,:;]*", re.ASCII)
# As of a day, "10:30"; and as of a cue, "00:00:xx,000" or "00:05.2x", which nobody says.
_CLOCK = re.compile(r"\d{1,4}[:;\uff1a]\w{1,4}", re.ASCII)
_CUE_CLOCK = re.compile(
    r"(?=\D{0,12}\d|\?)-?[\w?]{1,4}[:;\uff1a]-?[\w?]{1,4}[:;\uff1a][\w?]?|\d{1,4}[:;\uff1a]\w{0,4}[.,]\w{2,9}",
    re.ASCII,
)


class Span(NamedTuple):
    """When a cue starts and ends."""

    start_s: float
    end_s: float

    @property
    def is_too_late(self) -> bool:
        """Whether it is later than any call lasts."""
        return max(self) > MAX_TIME_S


def read_times(line: str) -> Span | None:
    """Return the times of a time line, None for any other line."""
    match = TIMING.match(line)
    return Span(_seconds(match.groups()[:4]), _seconds(match.groups()[4:])) if match else None


def is_broken(line: str, *, leads: bool) -> bool:
    """Return whether the line, which cannot be read as times, was written to be a time line.

    `leads` is true where a time line is expected: after a blank line or the number of a cue.
    """
    before, arrow, after = _split(line)
    if not arrow:
        return False
    sides = (before[-1] if before else "", after[0] if after else "")
    has_cue_clock = any(_CUE_CLOCK.match(side) for side in sides)
    has_two = all(_CLOCK.match(side) or _CUE_CLOCK.match(side) for side in sides)
    if has_cue_clock and has_two:
        return True
    # One time is not enough in the middle of a text, nor with an arrow that people write themselves.
    is_bare = len(before) <= 1 or all(map(_NUMBERS.fullmatch, before))
    if not is_bare or not _ARROW.fullmatch(arrow):
        return False
    lacks_one = not all(sides) and any(map(_CLOCK.match, sides))
    return has_cue_clock or has_two or lacks_one or (leads and all(map(_NUMBERS.fullmatch, sides)))


def show(line: str) -> str:
    """Return the arrow of a line and what is next to it, for a message."""
    before, arrow, after = _split(line)
    return " ".join([*(word[-SHOWN:] for word in before[-1:]), arrow, *(word[:SHOWN] for word in after[:1])])


def _split(line: str) -> tuple[list[str], str, list[str]]:
    """Return the words before the arrow of a line, the arrow, and the words after it."""
    arrow = _ARROW.search(line) or _NO_ARROW.search(line) or _OTHER_ARROW.search(line)
    if not arrow:
        return [], "", []
    before, after = (_SPACED.sub(r"\1", part) for part in (line[: arrow.start()], line[arrow.end() :]))
    return before.lstrip("[( ").split(), arrow[0].strip(), after.split()


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + float(f"0.{fraction or 0}")
