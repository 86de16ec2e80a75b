"""Tell texts in which nothing can be redacted from those that have to be read.

An import brings thousands of short texts, of which nearly all hold no number and no address. One search
with RE2, whose time is linear in the text (ADR 17), finds those that may. It may take a text too many, and
must not leave one out.
"""

import re
import unicodedata
from functools import lru_cache

import re2

from callscope.transcription.redaction.emails import TOP_DOMAINS
from callscope.transcription.redaction.vocabulary.spoken_numbers import (
    HOMOPHONES,
    HUNDRED,
    HUNDREDS,
    LETTERS_FOR_ZERO,
    NUMBER_WORDS,
    PLURALS,
    THOUSAND,
)

ARTICLES = {"un", "una", "uno", "one"}  # numbers too, and in every second sentence
MAX_GAP_BYTES = 24  # between two digits of one number: "four, uh, seven"
DIGIT = r"\p{Nd}"  # of any script
MARKS = re.compile("[\u0300-\u036f]")  # accents, once letters are decomposed


def may_need_redaction(text: str) -> bool:
    """Return False if no identifier of any kind can stand in the text, or in texts joined by line breaks."""
    plain = text if text.isascii() else MARKS.sub("", unicodedata.normalize("NFD", text))
    return _compile_pattern().search(plain.encode("utf-8", "replace")) is not None


def _join_words(words: set[str] | frozenset[str]) -> str:
    return rf"\b(?:{'|'.join(sorted(words))})\b"


def _build_pattern() -> str:
    words = NUMBER_WORDS | PLURALS.keys() | HUNDRED | THOUSAND
    zeros = LETTERS_FOR_ZERO - {"o"}  # in Spanish "or"
    number = rf"(?:{DIGIT}+|{_join_words((words | zeros) - ARTICLES)})"
    any_number = rf"(?:{DIGIT}+|{_join_words(words | zeros)})"
    # Neither ":" nor "]": the time before a quote, "[04:12]", is no number.
    gap = rf"[^\n\p{{Nd}}:\]]{{1,{MAX_GAP_BYTES}}}"
    close = r"[^\w\n]{1,3}"
    article, homophone = _join_words(ARTICLES), _join_words(set(HOMOPHONES))
    domains = "|".join(sorted(TOP_DOMAINS))
    return "|".join(
        (
            "@",
            "arroba",
            rf"\b(?:dot|punto)\W+(?:{domains})\b",
            rf"\w\.(?:{domains})\b",
            rf"\s\.\s*(?:{domains})\b",
            rf"{DIGIT}[ .,/-]{{0,3}}{DIGIT}[ .,/-]{{0,3}}{DIGIT}",
            rf"(?:^|[^\[:\p{{Nd}}]){DIGIT}+:{DIGIT}",
            _join_words(frozenset(HUNDREDS) | HUNDRED | THOUSAND),
            rf"{number}{gap}{any_number}",
            rf"{any_number}{gap}{number}",
            rf"{article}{close}{article}{close}{article}",
            rf"{any_number}{close}{homophone}{close}(?:{homophone}|{any_number})",
            rf"{homophone}{close}(?:{homophone}{close})*{any_number}",
        )
    )


@lru_cache(maxsize=1)
def _compile_pattern() -> "re2._Regexp":
    """Return the compiled pattern, once a process needs it: it takes as long as fifty lines of an import."""
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    return re2._Regexp(f"(?m){_build_pattern()}".encode(), options)
