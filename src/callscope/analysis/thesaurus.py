"""Read sentences as terms that can be compared by sense: expressions, stems, groups that say the same.

The groups are general service English and Spanish, kept in `lists/concepts.*`;
a project's own wording needs no entry, equal stems always match.
"""

from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list, word_list

SAME_GROUP = 0.75  # likeness of two terms of one group
SAME_SPELLING = 0.85  # likeness of two terms that differ by a letter or two
SAME_CORE = 0.85  # likeness of "account" and "account number"
SPELLING_BAR = 86.0
GENERIC_WEIGHT = 0.3
QUESTION_WEIGHT = 0.8
_QUESTION_TERMS = frozenset(
    (
        "when",
        "where",
        "who",
        "whom",
        "why",
        "how",
        "how mani",
        "how much",
        "how long",
        "cuand",
        "dond",
        "quien",
        "cuant",
    )
)
_COURTESIES = frozenset(("thanks", "thank", "hello", "hi", "hey", "gracias", "hola"))
_QUESTION_WORDS = frozenset(("what", "which", "how", "que", "cual", "cuanto"))


@dataclass(frozen=True, slots=True)
class Term:
    """A word or an expression: its stems, the groups that it stands in, and how much it tells."""

    key: str
    groups: frozenset[int]
    weight: float
    is_question: bool = False  # when, what time, how many, where
    words: frozenset[str] = frozenset()  # of the key, without those that tell nothing


def terms(text: str, language: str) -> list[Term]:
    """Return the telling terms of a text, the longest known expressions first."""
    known, longest = _groups(language)
    tokens = words.words(text)
    stemmed = words.stems(tokens, language)
    found: list[Term] = []
    place = 0
    while place < len(stemmed):
        size = next(
            (
                n
                for n in range(min(longest, len(stemmed) - place), 0, -1)
                if " ".join(stemmed[place : place + n]) in known
            ),
            1,
        )
        key = " ".join(stemmed[place : place + size])
        groups = known.get(key, frozenset())
        is_small = size == 1 and tokens[place] in words.STOP_WORDS[language]
        if not is_small or key in _QUESTION_TERMS or tokens[place] in _COURTESIES:
            is_question = key in _QUESTION_TERMS or (size > 1 and tokens[place] in _QUESTION_WORDS)
            found.append(
                Term(
                    key,
                    groups,
                    _weight(key, tokens[place], size, language),
                    is_question,
                    _told(tokens, stemmed, place, size, language),
                )
            )
        place += size
    return found


def _told(tokens: list[str], stemmed: list[str], place: int, size: int, language: str) -> frozenset[str]:
    """Return the telling stems of an expression; of one that has none, the expression itself."""
    stop = words.STOP_WORDS[language] | _generic(language)
    told = frozenset(stemmed[i] for i in range(place, place + size) if tokens[i] not in stop)
    return told or frozenset((" ".join(stemmed[place : place + size]),))


def likeness(one: Term, other: Term) -> float:
    """Return 0 to 1: the same term, one of the same group, or nearly the same spelling."""
    if one.key == other.key:
        return 1.0
    if one.groups & other.groups:
        return SAME_GROUP
    if one.words == other.words:
        return SAME_CORE
    if len(one.key) > 4 and len(other.key) > 4 and fuzz.ratio(one.key, other.key) >= SPELLING_BAR:
        return SAME_SPELLING
    return 0.0


def _weight(key: str, token: str, size: int, language: str) -> float:
    if key in _QUESTION_TERMS:
        return QUESTION_WEIGHT
    return GENERIC_WEIGHT if size == 1 and token in _generic(language) else 1.0


@lru_cache(maxsize=2)
def _generic(language: str) -> frozenset[str]:
    return word_list(__package__, f"generic.{language}")


@lru_cache(maxsize=2)
def _groups(language: str) -> tuple[dict[str, frozenset[int]], int]:
    """Return expression → the numbers of its groups, and how many words the longest one has."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(phrase_list(__package__, f"concepts.{language}")):
        for expression in line.split(","):
            stemmed = words.stems(words.words(expression), language)
            if stemmed:
                found.setdefault(" ".join(stemmed), set()).add(number)
    longest = max(len(key.split()) for key in found)
    return {key: frozenset(numbers) for key, numbers in found.items()}, longest
