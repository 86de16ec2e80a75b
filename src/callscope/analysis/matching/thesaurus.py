"""Turn words into terms that can be compared by sense: words that are alike or say the same.

The groups of words and expressions that say the same are general service
English and Spanish, kept in `lists/concepts.*`; a project's own wording needs
no entry, equal stems always match.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from rapidfuzz import fuzz

from callscope.analysis.acts.kinds import Form
from callscope.analysis.matching.question_focus import QuestionLists, find_focus, load_question_lists
from callscope.language.tokens import STOP_WORDS, stem_words, tokenize
from callscope.language.wordlists import read_phrase_list, read_word_list

# How alike two terms are: words of one group, spelled nearly the same, or beginning the same.
SAME_GROUP, SAME_SPELLING, SAME_BEGINNING = 0.75, 0.85, 0.7
MIN_SPELLING_RATIO = 86.0  # of 100: a letter or two differ
MIN_SHARED_BEGINNING = 0.6  # of the longer word: "departure", "departing"
MIN_LETTERS = 5  # of words whose spelling is compared
# What a word weighs before its rarity, by what it says: something of its own, something common to service
# calls, what is asked, or nothing but a part of a known expression.
CONTENT_WEIGHT, GENERIC_WEIGHT, QUESTION_WEIGHT, EXPRESSION_WEIGHT = 1.0, 0.3, 0.6, 0.2
OUTSIDE_FOCUS = 0.5  # factor of a word next to what a question asks for


@dataclass(frozen=True, slots=True)
class Term:
    """A word that counts: its stem, the groups that it or its expression belongs to, and its weight."""

    key: str
    groups: frozenset[int]
    weight: float
    is_asked_for: bool  # what a question wants to know
    word: str = field(default="", compare=False)  # as it was said


@lru_cache(maxsize=2)  # one for each language
class _WordGroups:
    """The words of one language: groups of expressions that say the same, and words of little weight."""

    def __init__(self, language: str) -> None:
        groups: dict[tuple[str, ...], set[int]] = {}
        for number, line in enumerate(read_phrase_list(__package__, f"concepts.{language}")):
            for expression in line.split(","):
                stems = stem_words(tokenize(expression), language)
                if stems:
                    groups.setdefault(tuple(stems), set()).add(number)
        self.by_stems = {stems: frozenset(numbers) for stems, numbers in groups.items()}
        self.max_words = max(map(len, groups))
        courtesies = read_word_list(__package__, f"courtesy_words.{language}")
        self.weightless = STOP_WORDS[language] - courtesies
        self.generic = read_word_list(__package__, f"generic.{language}")

    def weigh(self, word: str, question_lists: QuestionLists) -> float:
        """Return the weight of a word that stands alone."""
        if word in question_lists.self_explanatory or word in question_lists.compound:
            return QUESTION_WEIGHT
        if word in self.weightless:
            return 0.0
        return GENERIC_WEIGHT if word in self.generic else CONTENT_WEIGHT


def extract_terms(words: Sequence[str], stems: Sequence[str], language: str, form: Form) -> tuple[Term, ...]:
    """Return the terms of a sentence, given its words without those in which a question is wrapped."""
    question_lists, word_groups = load_question_lists(language), _WordGroups(language)
    focus = find_focus(words, question_lists) if form in ("asks", "names") else frozenset[int]()
    groups, expressions = _find_groups(stems, word_groups)
    alone = [word_groups.weigh(word, question_lists) for word in words]
    weights = list(alone)
    for expression in expressions:
        # "How can I help" says as a whole what one word of content says.
        has_content = max(alone[i] for i in expression) == CONTENT_WEIGHT
        least = EXPRESSION_WEIGHT if has_content else CONTENT_WEIGHT / len(expression)
        for i in expression:
            weights[i] = max(weights[i], least)
    terms = []
    for position, (word, stem, weight) in enumerate(zip(words, stems, weights, strict=True)):
        if weight:
            # A small word says something only together with its neighbors.
            key = stem if alone[position] else f"{stem} {sorted(groups[position])}"
            is_focus = position in focus
            measured = min((p for p in focus if p > position), default=None)
            if word in question_lists.compound and is_focus and measured is not None:
                key = f"{stem} {stems[measured]}"  # "how many" is another question than "how"
            factor = OUTSIDE_FOCUS if focus and not is_focus else 1
            terms.append(Term(key, frozenset(groups[position]), weight * factor, is_focus, word))
    return tuple(terms)


def _find_groups(stems: Sequence[str], known: _WordGroups) -> tuple[list[set[int]], list[range]]:
    """Return the groups of each word, and where known expressions of several words stand."""
    groups: list[set[int]] = [set() for _ in stems]
    expressions: list[range] = []
    for first in range(len(stems)):
        for end in range(first + 1, min(first + known.max_words, len(stems)) + 1):
            numbers = known.by_stems.get(tuple(stems[first:end]))
            if not numbers:
                continue
            for position in range(first, end):
                groups[position] |= numbers
            if end > first + 1:
                expressions.append(range(first, end))
    return groups, expressions


# Every sentence of a call is compared with every phrase of the rubric: the same pairs come again and again.
@lru_cache(maxsize=100_000)
def compare_terms(one: Term, other: Term) -> float:
    """Return 0 to 1: the same stem, a word of the same group, or nearly the same spelling."""
    if one.key == other.key:
        return 1.0
    if one.groups & other.groups:
        return SAME_GROUP
    is_small = " " in one.key + other.key
    if is_small or min(len(one.key), len(other.key)) < MIN_LETTERS:
        return 0.0
    if fuzz.ratio(one.key, other.key) >= MIN_SPELLING_RATIO:
        return SAME_SPELLING
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one.key, other.key, strict=False)))
    longer = max(len(one.key), len(other.key))
    return SAME_BEGINNING if shared >= max(MIN_LETTERS, MIN_SHARED_BEGINNING * longer) else 0.0
