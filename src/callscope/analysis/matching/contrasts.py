"""Tell by closed classes of words with what a sentence contrasts: opposites, who acts, what is asked for."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from callscope.analysis.acts.plain_words import write_plainly
from callscope.analysis.evidence import NEGATING_PREFIXES
from callscope.language.wordlists import read_phrase_list

AnswerKind = Literal[
    "birth",
    "duration",
    "contact",
    "time",
    "day",
    "when",
    "place",
    "person",
    "somebody",
    "distance",
    "count",
    "money",
    "reason",
    "size",
    "kind",
    "manner",
]
Tense = Literal["past", "future", "perfect", "uncertain"]
_KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
# "What is your date of birth?" asks for no other day, "a number to reach you on" for no count.
_OUTWEIGHS: dict[AnswerKind, frozenset[AnswerKind]] = {
    "birth": frozenset(("day", "person")),
    "duration": frozenset(("when", "count", "money")),
    "contact": frozenset(("place", "person", "count")),
    "time": frozenset(("when",)),
    "day": frozenset(("when",)),
    "somebody": frozenset(("person",)),  # who, and no name
    "distance": frozenset(("count",)),
}
# "When" is answered by a time or a day, "the size of your party" by a count.
_MAY_MEAN: dict[AnswerKind, frozenset[AnswerKind]] = {
    "when": frozenset(("time", "day")),
    "size": frozenset(("count",)),
}
# Kinds that exclude each other; "the name of your hotel" may well be where somebody stays.
_EXCLUSIVE: frozenset[AnswerKind] = frozenset(
    ("birth", "duration", "time", "day", "when", "place", "somebody", "distance", "count", "money", "reason")
)

LEAST_LETTERS = 4  # of a word that has such a prefix: "able", but "out" and "in"


class _Contrasts(NamedTuple):
    sides: dict[str, frozenset[tuple[int, int]]]  # word → contrasts and the side of each
    answers: tuple[tuple[AnswerKind, re.Pattern[str]], ...]
    tenses: dict[Tense, re.Pattern[str]]
    speaker: re.Pattern[str]
    listener: re.Pattern[str]


def find_sides(words: Sequence[str], language: str) -> frozenset[tuple[int, int]]:
    """Return which sides of which contrasts stand in a sentence ("morning", "before", "open")."""
    sides = _load_contrasts(language).sides
    return frozenset(side for word in words if word in sides for side in sides[word])


def find_answer_kinds(words: Sequence[str], language: str) -> frozenset[AnswerKind]:
    """Return the kinds of answer that a question may want."""
    text = " ".join(words)
    found = {kind for kind, pattern in _load_contrasts(language).answers if pattern.search(text)}
    for kind, lighter in _OUTWEIGHS.items():
        if kind in found:
            found -= lighter
    for kind, more in _MAY_MEAN.items():
        if kind in found:
            found |= more
    return frozenset(found)


def find_subject(words: Sequence[str], language: str) -> int:
    """Return 1 where the agent is named first, 2 where the listener is, 0 where neither is."""
    contrasts, text = _load_contrasts(language), " ".join(words)
    speaker, listener = contrasts.speaker.search(text), contrasts.listener.search(text)
    if speaker and (not listener or speaker.start() < listener.start()):
        return 1
    return 2 if listener else 0


def find_tenses(text: str, language: str) -> frozenset[Tense]:
    """Return whether a sentence speaks of what is over, to come, done by now, or may be; often of none."""
    plain = write_plainly(text, language)
    tenses = _load_contrasts(language).tenses
    return frozenset(tense for tense, pattern in tenses.items() if pattern.search(plain))


def are_opposed(ours: frozenset[tuple[int, int]], theirs: frozenset[tuple[int, int]]) -> bool:
    """Return True if of one contrast both have sides, and none in common."""
    common = {contrast for contrast, _ in ours} & {contrast for contrast, _ in theirs}
    return any(contrast not in {shared for shared, _ in ours & theirs} for contrast in common)


def differ_in_contrast(words: Sequence[str], others: Sequence[str], language: str) -> bool:
    """Return True if two wordings have opposites, or words that ask for different kinds of answer."""
    if are_opposed(find_sides(words, language), find_sides(others, language)):
        return True
    return exclude_each_other(find_answer_kinds(words, language), find_answer_kinds(others, language))


def exclude_each_other(kinds: frozenset[AnswerKind], others: frozenset[AnswerKind]) -> bool:
    """Return True if what the one asks for can be no answer to the other; where that is not clear, False."""
    return bool(kinds and others) and not kinds & others and kinds | others <= _EXCLUSIVE


def is_negated_form(one: str, other: str) -> bool:
    """Return True if one word is the other with a prefix that turns it round: "blocked", "unblocked"."""
    shorter, longer = sorted((one, other), key=len)
    prefix = longer.removesuffix(shorter)
    return len(shorter) >= LEAST_LETTERS and prefix in NEGATING_PREFIXES


@lru_cache(maxsize=2)
def _load_contrasts(language: str) -> _Contrasts:
    sides: dict[str, set[tuple[int, int]]] = {}
    for contrast, line in enumerate(read_phrase_list(__package__, f"opposites.{language}")):
        for side, words in enumerate(line.split(" | ")):
            for word in words.split():
                sides.setdefault(word, set()).add((contrast, side))
    answers = []
    for line in read_phrase_list(__package__, f"answer_kinds.{language}"):
        name, _, pattern = line.partition(": ")
        answers.append((next(kind for kind in _KINDS if kind == name), re.compile(pattern)))
    lines = (line.partition(": ") for line in read_phrase_list(__package__, f"tenses.{language}"))
    tenses = {next(t for t in get_args(Tense) if t == name): re.compile(p) for name, _, p in lines}
    speaker, listener = map(re.compile, read_phrase_list(__package__, f"persons.{language}"))
    return _Contrasts({w: frozenset(s) for w, s in sides.items()}, tuple(answers), tenses, speaker, listener)
