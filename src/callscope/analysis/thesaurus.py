"""Read sentences as terms that can be compared by sense: words that are alike or say the same.

The groups of words and expressions that say the same are general service
English and Spanish, kept in `lists/concepts.*`; a project's own wording needs
no entry, equal stems always match.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from rapidfuzz import fuzz

from callscope.analysis import asked
from callscope.analysis.kinds import Kind
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list, word_list

SAME_GROUP = 0.75  # likeness of two words of one group
SAME_SPELLING, SPELLING_BAR = 0.85, 86.0  # that differ by a letter or two
SAME_BEGINNING, LEAST_BEGINNING = 0.7, 0.6  # that share this part of the longer one: "departure", "departing"
LEAST_LETTERS = 5  # of words whose spelling is compared
# What a word weighs before its rarity: of its own meaning, common to service calls, asking, small.
FULL, GENERIC, QUESTION, SMALL_BESIDE_FULL = 1.0, 0.3, 0.6, 0.2
BESIDE = 0.5  # of a word that stands beside what a question asks for


@dataclass(frozen=True, slots=True)
class Term:
    """A telling word: its stem, the groups that it or its expression stands in, and how much it tells."""

    key: str
    groups: frozenset[int]
    weight: float
    is_asked_for: bool  # what a question wants to know


@lru_cache(maxsize=10_000)
def terms(text: str, language: str, does: Kind) -> tuple[Term, ...]:
    """Return the telling terms of a sentence, without the words in which a question is wrapped."""
    tokens = words.words(asked.without_frame(text, language) if does == "asks" else text)
    stemmed = words.stems(tokens, language)
    wanted = asked.places(tokens, language) if does in ("asks", "names") else frozenset[int]()
    groups, expressions = _groups_of(stemmed, language)
    alone = [_weight(token, language) for token in tokens]
    weights = _in_expressions(alone, expressions)
    both = asked.joining_words(language)
    found = []
    for place, (token, stem, weight) in enumerate(zip(tokens, stemmed, weights, strict=True)):
        if weight:
            # A small word says something only together with its neighbours.
            key = stem if alone[place] else f"{stem} {sorted(groups[place])}"
            measured = min((p for p in wanted if p > place), default=None)
            if token in both and place in wanted and measured is not None:
                key = f"{stem} {stemmed[measured]}"  # "how many" is another question than "how"
            beside = bool(wanted) and place not in wanted
            found.append(
                Term(key, frozenset(groups[place]), weight * (BESIDE if beside else 1), place in wanted)
            )
    return tuple(found)


@lru_cache(maxsize=100_000)
def likeness(one: Term, other: Term) -> float:
    """Return 0 to 1: the same stem, a word of the same group, or nearly the same spelling."""
    if one.key == other.key:
        return 1.0
    if one.groups & other.groups:
        return SAME_GROUP
    is_small = " " in one.key + other.key
    if is_small or min(len(one.key), len(other.key)) < LEAST_LETTERS:
        return 0.0
    if fuzz.ratio(one.key, other.key) >= SPELLING_BAR:
        return SAME_SPELLING
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one.key, other.key, strict=False)))
    longer = max(len(one.key), len(other.key))
    return SAME_BEGINNING if shared >= max(LEAST_LETTERS, LEAST_BEGINNING * longer) else 0.0


def _in_expressions(alone: list[float], expressions: list[range]) -> list[float]:
    """Return what each word weighs, small words too where they belong to a known expression."""
    weights = list(alone)
    for expression in expressions:
        # "How can I help" says together what one telling word says.
        has_telling_word = max(alone[i] for i in expression) == FULL
        least = SMALL_BESIDE_FULL if has_telling_word else FULL / len(expression)
        for i in expression:
            weights[i] = max(weights[i], least)
    return weights


def _weight(token: str, language: str) -> float:
    if token in asked.telling_words(language):
        return QUESTION
    if token in words.STOP_WORDS[language] - _courtesies(language):
        return 0.0
    return GENERIC if token in _generic(language) else FULL


def _groups_of(stemmed: list[str], language: str) -> tuple[list[set[int]], list[range]]:
    """Return the groups of each word, and where known expressions of several words stand."""
    known, longest = _groups(language)
    found: list[set[int]] = [set() for _ in stemmed]
    expressions: list[range] = []
    for first in range(len(stemmed)):
        for end in range(first + 1, min(first + longest, len(stemmed)) + 1):
            numbers = known.get(tuple(stemmed[first:end]))
            if not numbers:
                continue
            for place in range(first, end):
                found[place] |= numbers
            if end > first + 1:
                expressions.append(range(first, end))
    return found, expressions


@lru_cache(maxsize=2)
def _courtesies(language: str) -> frozenset[str]:
    return word_list(__package__, f"courtesy_words.{language}")


@lru_cache(maxsize=2)
def _generic(language: str) -> frozenset[str]:
    return word_list(__package__, f"generic.{language}")


@lru_cache(maxsize=2)
def _groups(language: str) -> tuple[dict[tuple[str, ...], frozenset[int]], int]:
    """Return expression → the numbers of its groups, and how many words the longest one has."""
    found: dict[tuple[str, ...], set[int]] = {}
    for number, line in enumerate(phrase_list(__package__, f"concepts.{language}")):
        for expression in line.split(","):
            stemmed = words.stems(words.words(expression), language)
            if stemmed:
                found.setdefault(tuple(stemmed), set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}, max(map(len, found))
