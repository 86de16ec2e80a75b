"""Texts of callers and files as a line on paper."""

import re
import unicodedata

MAY_BREAK = "\u200b"
_LONG_WORD = re.compile(r"\S{21,}")
_NAME_PARTS = re.compile(r"[-_](?=\w{2})")
_PIECE = re.compile(r"\S{10}(?![\u0300-\u036f])(?=\S)")  # a letter keeps its accents


def strip_control_characters(text: str) -> str:
    """Return the text without what disturbs a line: controls, and marks that turn the reading direction."""
    return "".join(
        " " if c in "\r\n\t" else c
        for c in text
        if c in "\r\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    ).strip()


def make_name_breakable(name: str) -> str:
    """Return the clean name of a file that may break behind its hyphens, and repeats none of them there.

    In Spanish a hyphen at which a line breaks is written again on the next line; a name would gain a sign.
    """
    parts = _NAME_PARTS.sub(rf"\g<0>{MAY_BREAK}", strip_control_characters(name)).split(MAY_BREAK)
    return MAY_BREAK.join(map(make_breakable, parts))


def make_breakable(text: str) -> str:
    """Return the clean text with places where the words that no column holds may break."""
    return _LONG_WORD.sub(
        lambda word: _PIECE.sub(rf"\g<0>{MAY_BREAK}", word[0]), strip_control_characters(text)
    )
