"""Tell what a clause does by the first pattern of its language that fits."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from callscope.analysis.acts.kinds import ACTS, Act, Acts
from callscope.analysis.acts.plain_words import strip_fillers, write_plainly
from callscope.language.wordlists import read_phrase_list

_NAMES: Acts = {"names": 1.0}


class _Pattern(NamedTuple):
    acts: Acts
    fits: re.Pattern[str]


@lru_cache(maxsize=50_000)
def classify_clause(text: str, language: str) -> Acts:
    """Return what a clause may be doing; "names" where no pattern fits."""
    return classify_words(write_plainly(strip_fillers(text, language), language), language)


def classify_words(plain: str, language: str) -> Acts:
    """Return the same for a clause in the plain form of `write_plainly`."""
    # "So" opens any clause; only reading back makes something of it.
    bare = plain.removeprefix("so ").removeprefix("entonces ")
    forms = (plain,) if bare == plain else (plain, bare)
    return next((p.acts for p in _load_patterns(language) if any(map(p.fits.search, forms))), _NAMES)


@lru_cache(maxsize=2)
def _load_patterns(language: str) -> tuple[_Pattern, ...]:
    listed = read_patterns(f"grammar.{language}")
    return tuple(_Pattern(read_acts(acts), re.compile(pattern)) for acts, pattern in listed)


def read_patterns(name: str) -> Iterator[tuple[str, str]]:
    """Yield the acts and the pattern of each line of a list, with the named parts put in."""
    parts: dict[str, str] = {}
    for line in read_phrase_list(__package__, name):
        key, is_part, part = line.partition(" = ")
        if is_part and key.startswith("@"):
            parts[key] = _insert_parts(part, parts)
        else:
            acts, _, pattern = line.partition(": ")
            yield acts, _insert_parts(pattern, parts)


def _insert_parts(pattern: str, parts: dict[str, str]) -> str:
    return re.sub(r"@[a-z]+", lambda name: parts[name.group()], pattern)


def read_acts(text: str) -> Acts:
    """Read "offers, asks_whether 0.6"."""
    acts: dict[Act, float] = {}
    for item in text.split(", "):
        name, _, weight = item.partition(" ")
        acts[next(act for act in ACTS if act == name)] = float(weight or 1)
    return acts
