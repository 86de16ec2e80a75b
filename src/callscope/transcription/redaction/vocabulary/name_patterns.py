"""The names of numbers as data: lists/number_names.*.txt, read into patterns by their first word."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, product
from typing import NamedTuple

from callscope.language.detect import SMALL_WORDS
from callscope.language.fold import fold_text
from callscope.language.wordlists import read_phrase_list
from callscope.transcription.redaction.vocabulary.kinds import Kind
from callscope.transcription.redaction.vocabulary.spoken_numbers import tokenize_numbers
from callscope.transcription.redaction.vocabulary.word_classes import LANGUAGES

OF_BOTH = frozenset(("me", "no"))  # small words of English and Spanish
GAP: frozenset[str] = frozenset()

Words = tuple[frozenset[str], ...]  # alternatives at each place, GAP for "…"


class Pattern(NamedTuple):
    """A name of a kind of number; `use` as in number_names.Name."""

    kind: Kind
    use: str
    words: Words


Index = dict[str, list[Pattern]]  # first word → patterns


def find_patterns(words: list[str]) -> Index:
    """Return the patterns of the language in which the words are, of both where it is not plain."""
    plain = {word for word in words if len(word) > 1} - OF_BOTH  # "I D" may be spelled in either language
    spoken = [language for language in LANGUAGES if not SMALL_WORDS[language].isdisjoint(plain)]
    return read_index(*(spoken if len(spoken) == 1 else LANGUAGES))


@cache
def read_index(*languages: str) -> Index:
    """Return the patterns of the languages by their first word."""
    index: Index = {}
    for pattern in chain.from_iterable(map(read_patterns, languages)):
        for word in pattern.words[0]:
            index.setdefault(word, []).append(pattern)
    return index


@cache
def find_nouns() -> frozenset[str]:
    """Return the words that name another number by themselves: no gap reaches over them."""
    passed = (Kind.NUMBER, Kind.SOME_CODE, Kind.WEAK_CARD, Kind.PHONE, Kind.OTHER)
    return frozenset(
        word
        for word, patterns in read_index(*LANGUAGES).items()
        for pattern in patterns
        if len(pattern.words) == 1 and pattern.kind not in passed and not pattern.use
    )


def read_patterns(language: str) -> Iterator[Pattern]:
    """Yield the patterns in the order of the list."""
    groups: dict[str, str] = {}
    kind, use = Kind.OTHER, ""
    for line in read_phrase_list(__package__, f"number_names.{language}"):
        if " = " in line:
            name, words = line.split(" = ")
            groups[name] = words
        elif line.startswith("["):
            section = line.strip("[]").split()
            kind, use = Kind(section[0]), " ".join(section[1:])
        else:
            for places in expand_phrase(line, groups):
                yield Pattern(kind, use, places)


def expand_phrase(line: str, groups: dict[str, str]) -> Iterator[Words]:
    """Yield the phrase with and without each word that may be missing."""
    places: list[list[Words]] = []
    for element in line.split():
        plain = element.removesuffix("?")
        if plain == "…":
            places.append([(GAP,)])
            continue
        alternatives = "/".join(groups.get(part, part) for part in plain.split("/")).split("/")
        written = [tuple(t.digits or t.word for t in tokenize_numbers(fold_text(w))) for w in alternatives]
        single = frozenset(words[0] for words in written if len(words) == 1)
        several = [tuple(frozenset((word,)) for word in words) for words in written if len(words) > 1]
        choices = [(single,)] * bool(single) + several
        places.append([*choices, ()] if element.endswith("?") else choices)
    for choice in product(*places):
        words = tuple(chain.from_iterable(choice))
        if words:
            yield words
