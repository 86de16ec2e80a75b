"""How many of the words of a text are known: what is left of speech that a recognizer misheard badly.

The dictionaries are simplemma's, read from disk block by block: 16 MB of memory for two
languages, 16 µs a word. Figures: docs/engines.md, "Unreliable transcripts".
"""

import re
from collections.abc import Iterable
from functools import lru_cache

import simplemma
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from callscope.language.tokens import LANGUAGES, STOP_WORDS

MIN_WORDS = 20  # fewer, and a few names decide
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_MIN_LETTERS = 2


def share_known(texts: Iterable[str], *, language: str = "") -> float | None:
    """Return the share of words that a dictionary has, 0 to 1; None where too little is said.

    Each text counts in the language that knows most of it: English, Spanish, or `language`,
    an ISO 639-1 code. So a call may be held in two languages.
    """
    languages = [*LANGUAGES, *({language} & SUPPORTED_LANGUAGES - set(LANGUAGES))]
    words = known = 0
    for text in texts:
        spoken = [w for w in _WORD.findall(text.replace("’", "'")) if len(w) >= _MIN_LETTERS]
        words += len(spoken)
        known += max(sum(_is_known(word.casefold(), code) for word in spoken) for code in languages)
    return known / words if words >= MIN_WORDS else None


@lru_cache(maxsize=50_000)
def _is_known(word: str, language: str) -> bool:
    """True for a word of the dictionary, and for "that's", whose parts are in it."""
    if word in STOP_WORDS.get(language, ()) or simplemma.is_known(word, language, low_memory=True):
        return True
    parts = [part for part in word.split("'") if len(part) >= _MIN_LETTERS]
    return "'" in word and all(_is_known(part, language) for part in parts)
