"""Cue numbers and names in SRT and VTT: they stand above time lines and are never speech.

All functions take the lines of the file and the indices of those that are below one time line
(`body`) and neither blank nor part of a note. Speech can be a number, too: what a customer reads
aloud. So a number counts as that of a cue by where it stands, or since it follows the one before.
"""

from collections.abc import Sequence

MAX_DIGITS = 9


def read_number(line: str) -> int | None:
    """Return the number that the line is, None where it is anything else."""
    text = line.strip()
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None


def ends_with_identifier(
    lines: Sequence[str], body: Sequence[int], *, first: int, end: int, cue_number: int | None
) -> bool:
    """Return whether the last line of a body is the number or name of the next cue.

    `first` and `end` are where the lines below the time line begin, and where the next time line is.
    """
    if not body:
        return False
    last = body[-1]
    number = read_number(lines[last])
    is_alone = not lines[last - 1].strip()
    is_next = cue_number is not None and number == cue_number + 1
    if end == len(lines):  # a file that was cut off behind a number
        return is_next and is_alone and len(body) > 1
    if last == end - 1:
        return (is_alone and last > first) or is_next or (number is not None and last > first)
    return is_next and is_alone  # some exporters write a blank line below each line


def find_lost_time(
    lines: Sequence[str], body: Sequence[int], *, cue_number: int, next_number: int | None, is_last: bool
) -> int | None:
    """Return the index of the cue number in a body that has no time line below it, None without one."""
    for line in body:
        if read_number(lines[line]) == cue_number + 1 and not lines[line - 1].strip():
            is_followed = is_last and line != body[-1]
            return line if is_followed or (next_number or 0) > cue_number + 1 else None
    return None
