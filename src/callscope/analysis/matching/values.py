"""Find the values in a sentence by their kind: numbers, days, times, durations, money, spelled-out names.

A phrase of a rubric gives an example ("A lesson costs forty pounds"); another
call has another value of that kind.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

from callscope.language.tokens import tokenize
from callscope.language.wordlists import read_phrase_list

ValueKind = Literal["number", "day", "time", "duration", "money", "spelled"]
KINDS: tuple[ValueKind, ...] = get_args(ValueKind)
_CURRENCY_SIGNS = frozenset("€$£")


def find_values(text: str, words: Sequence[str], language: str) -> dict[ValueKind, frozenset[str]]:
    """Return the kinds of values that a sentence states or names, each with the words that do."""
    listed = _load_value_words(language)
    found: dict[ValueKind, set[str]] = {}
    for word in words:
        kind = "number" if word[0].isdigit() else listed.get(word)
        if kind:
            found.setdefault(kind, set()).add(word)
    if not _CURRENCY_SIGNS.isdisjoint(text):
        found.setdefault("money", set())
    if "@" in text:
        found.setdefault("spelled", set())
    return {kind: frozenset(said) for kind, said in found.items()}


@lru_cache(maxsize=2)
def _load_value_words(language: str) -> dict[str, ValueKind]:
    listed: dict[str, ValueKind] = {}
    for line in read_phrase_list(__package__, f"values.{language}"):
        name, _, words = line.partition(": ")
        kind = next(k for k in KINDS if k == name)
        listed |= dict.fromkeys(tokenize(words), kind)
    return listed
