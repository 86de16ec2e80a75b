"""Patterns that people write into a rubric, looked for in linear time.

The engine is RE2: no look-around, no backreferences, and so no text on which a search explodes (ADR 17).
A pattern is compared as a phrase is, without regard to case and accents; it never matches over a placeholder,
and what it matches holds a letter or a digit. The work of one search is bounded three times: by the size of
the compiled pattern, by the length of a piece of text, and by the processor time of a search.
"""

import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import re2

from callscope.language.fold import fold_typography

MAX_PATTERN_CHARACTERS = 500
MAX_PROGRAM_SIZE = 400  # instructions of the compiled pattern, each of which may be active at every letter
MAX_PIECE_CHARACTERS = 1_000  # a turn of over a minute is read in several pieces
MAX_SEARCH_S = 0.02  # of processor time, in all pieces together; to compile takes up to 17 ms more
MAX_NESTING = 100
_CACHE = 1_000
_REPLACED = "\x1a"


class PatternRefused(ValueError):
    """RE2 does not read the pattern, or it is too large; `code` names the message."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code, self.values = code, values


class PatternTooSlow(Exception):
    """A search took more than MAX_SEARCH_S of processor time."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


class Span(NamedTuple):
    """Where a pattern matched: characters from `start` to before `end`."""

    start: int
    end: int


@lru_cache(maxsize=_CACHE)
def compile_pattern(pattern: str) -> "re2._Regexp":
    """Return the compiled pattern. Raises PatternRefused."""
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise PatternRefused("too_long", most=MAX_PATTERN_CHARACTERS)
    folded = fold_letters(pattern)
    if _REPLACED in folded:
        letter = pattern[folded.index(_REPLACED)]
        raise PatternRefused("pattern_letter", value=letter)
    if pattern.count("(") > MAX_NESTING:
        raise PatternRefused("pattern_too_large", size=pattern.count("("), most=MAX_NESTING)
    try:
        compiled = re2._Regexp(folded.encode("latin-1"), _options())
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode("latin-1") if isinstance(reason, bytes) else str(reason)
        raise PatternRefused("pattern_refused", problem=text) from None
    size = max(compiled.programsize, compiled.reverseprogramsize)
    if size > MAX_PROGRAM_SIZE:
        raise PatternRefused("pattern_too_large", size=size, most=MAX_PROGRAM_SIZE)
    return compiled


def find_pattern(
    pattern: str, texts: Sequence[str], *, clock: Callable[[], float] = time.thread_time
) -> Iterator[tuple[int, Span]]:
    """Yield where the pattern matches: the number of the text, and the characters in it.

    A stretch of two spaces or more, as placeholders leave it, ends what one match may hold. Raises
    PatternTooSlow once the search has taken MAX_SEARCH_S; raises PatternRefused.
    """
    compiled = compile_pattern(pattern)
    # All of the loop counts, not the engine alone: a pattern that matches every word is work as well.
    began = clock()
    for number, text in enumerate(texts):
        folded = fold_letters(text)
        for start, end in cut_pieces(folded):
            at = start
            while at < end:
                found = compiled.search(folded[at:end].encode("latin-1"))
                now = clock()
                if now - began > MAX_SEARCH_S:
                    raise PatternTooSlow(pattern)
                if found is None:
                    break
                first, last = found._spans[0]
                if any(character.isalnum() for character in folded[at + first : at + last]):
                    now = clock()
                    yield number, Span(at + first, at + last)
                    began += clock() - now  # what was done with the match is not the search's
                at += max(last, first + 1)


def cut_pieces(text: str) -> Iterator[Span]:
    """Yield the stretches that are searched one by one: between placeholders, of a bounded length."""
    for start, end in _split_at_gaps(text):
        while end - start > MAX_PIECE_CHARACTERS:
            space = text.rfind(" ", start + 1, start + MAX_PIECE_CHARACTERS)
            cut = space if space > start else start + MAX_PIECE_CHARACTERS
            yield Span(start, cut)
            start = cut
        yield Span(start, end)


def _split_at_gaps(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while (gap := text.find("  ", start)) >= 0:
        if gap > start:
            yield start, gap
        start = gap + 2
        while text[start : start + 1] == " ":
            start += 1
    if start < len(text):
        yield start, len(text)


def fold_letters(text: str) -> str:
    """Return the text with a plain letter for each with an accent; every character keeps its place."""
    return text if text.isascii() else "".join(map(_fold_letter, text))


@lru_cache(maxsize=4_000)
def _fold_letter(letter: str) -> str:
    if letter == "€":
        return "\x80"  # where Windows has it: the engine reads single bytes
    plain = unicodedata.normalize("NFD", fold_typography(letter))[:1]
    return plain if plain and plain <= "\xff" and len(fold_typography(letter)) == 1 else _REPLACED


@lru_cache(maxsize=1)
def _options() -> re2.Options:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    options.max_mem = 1 << 18  # a larger cache of states takes longer to fill than it saves
    return options
