"""Find in what a clause differs from a phrase whose words it repeats.

"The parking is included" has nearly all the words of "The breakfast is included" and says
something else: the more of a phrase a clause repeats, the more the rest counts. What the
two have alone is compared by the vectors of its words; a negation, an opposite, another
subject and another kind of answer are found by closed classes of words.
"""

from collections.abc import Callable
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from callscope.analysis.acts.kinds import COURTESIES
from callscope.analysis.matching.contrasts import are_opposed, exclude_each_other, find_sides, is_negated_form
from callscope.analysis.matching.readings import Reading
from callscope.analysis.matching.thesaurus import GENERIC_WEIGHT, Term
from callscope.language.tokens import LANGUAGES
from callscope.language.wordlists import read_word_list

# The share of words that both have, from which a clause begins to repeat a phrase, and from which it does.
REPEATS_FROM, REPEATS = 0.5, 0.8
# The same where an opposite stands in it.
NEARLY_REPEATS_FROM, NEARLY_REPEATS = 0.4, 0.7
# A phrase gives an example of them: "We'll call you back this afternoon".
_TIMES = {language: read_word_list(__package__, f"times.{language}") for language in LANGUAGES}

CompareTerms = Callable[[Term, Term], float]


class Differences(NamedTuple):
    """In what a clause differs from a phrase, each 0 to 1 and 0 where it does not repeat the phrase."""

    swapped: float = 0.0  # other words of content stand in the place of its own
    dropped: float = 0.0  # words of content are missing, and none stand in their place
    opposed: float = 0.0  # an opposite stands in it
    negated: float = 0.0  # one is negated
    other_person: float = 0.0  # "I will call you": "You must call us"
    other_kind: float = 0.0  # both ask for a detail of a different kind, whatever is repeated


def find_differences(phrase: Reading, said: Reading, compare: CompareTerms) -> Differences:
    """Return the differences; `compare` says from 0 to 1 how alike two terms are."""
    share = measure_repetition(phrase, said)
    repeats = _rise(share, REPEATS_FROM, REPEATS)
    opposed = 0.0
    if phrase.sides and said.sides and share > NEARLY_REPEATS_FROM:
        opposed = _rise(share, NEARLY_REPEATS_FROM, NEARLY_REPEATS) * are_opposed(phrase.sides, said.sides)
    opposed = 0.0 if is_turned_twice(phrase, said) else max(opposed, _measure_opposition(phrase, said))
    both_ask = phrase.act in ("asks_which", "names") and "asks_which" in said.acts
    other_kind = float(both_ask and exclude_each_other(phrase.answer_kinds, said.answer_kinds))
    if not repeats or phrase.is_described:
        return Differences(opposed=opposed, other_kind=other_kind)
    own, others = list_unshared_terms(phrase, said)
    if any(is_negated_form(o.word, t.word) for o in own for t in others):
        opposed = max(opposed, repeats)
    missing = sum(t.weight * (1 - max((compare(t, o) for o in others), default=0.0)) for t in own)
    # "What day would you like to view the flat": the day says more than the rest.
    missing /= sum(t.weight for t in phrase.terms) or 1.0
    names_persons = phrase.act not in COURTESIES and bool(phrase.subject and said.subject)
    return Differences(
        swapped=repeats * missing if others else 0.0,
        dropped=0.0 if others else repeats * missing,
        opposed=opposed,
        negated=repeats * (phrase.has_negation != said.has_negation and not is_turned_twice(phrase, said)),
        other_person=repeats * (names_persons and phrase.subject != said.subject),
        other_kind=other_kind,
    )


def is_turned_twice(phrase: Reading, said: Reading) -> bool:
    """Return True if one negates an opposite of the other: "closed on Sundays", "not open on Sundays"."""
    return phrase.has_negation != said.has_negation and are_opposed(phrase.sides, said.sides)


def _measure_opposition(phrase: Reading, said: Reading) -> float:
    """Return how much of the rest a clause says too where an opposite stands in the place of a word.

    "Your booking has been canceled" says all of "Your booking is confirmed" but that.
    """
    own, others = list_unshared_terms(phrase, said)
    times = _TIMES[phrase.language]
    ours, theirs = ([t.word for t in terms if t.word not in times] for terms in (own, others))
    sides = find_sides(ours, phrase.language), find_sides(theirs, phrase.language)
    if not are_opposed(*sides):
        return 0.0
    left = sum(t.weight for t in own) - max(t.weight for t in own)
    shared = sum(t.weight for t in phrase.terms if t.word) - sum(t.weight for t in own)
    return shared / (shared + left) if shared > 0 else 0.0


def measure_repetition(phrase: Reading, said: Reading) -> float:
    """Return 0 to 1: the share of words, small ones too, that both have."""
    if not phrase.words or not said.words:
        return 0.0
    shared = sum(min(n, said.stem_counts[stem]) for stem, n in phrase.stem_counts.items())
    return shared / sqrt(len(phrase.words) * len(said.words))


@lru_cache(maxsize=10_000)
def list_unshared_terms(phrase: Reading, said: Reading) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Return the terms of content that only the phrase has, and those that only the clause has."""
    return _subtract(phrase, said), _subtract(said, phrase)


def _subtract(one: Reading, other: Reading) -> tuple[Term, ...]:
    keys = {t.key for t in other.terms}
    return tuple(t for t in one.terms if t.word and t.weight >= GENERIC_WEIGHT and t.key not in keys)


def _rise(value: float, start: float, end: float) -> float:
    return min(1.0, max(0.0, (value - start) / (end - start)))
