"""Read a sentence once into all that the comparison by meaning asks of it."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from callscope.analysis.acts.grammar import classify_clause
from callscope.analysis.acts.kinds import QUESTIONS, Act, Acts, Form, choose_likeliest
from callscope.analysis.acts.plain_words import strip_fillers
from callscope.analysis.matching.contrasts import (
    AnswerKind,
    Tense,
    find_answer_kinds,
    find_sides,
    find_subject,
    find_tenses,
)
from callscope.analysis.matching.question_focus import strip_request_frame
from callscope.analysis.matching.thesaurus import GENERIC_WEIGHT, QUESTION_WEIGHT, Term, extract_terms
from callscope.analysis.matching.values import ValueKind, find_values
from callscope.language.tokens import LANGUAGES, NEGATIONS, stem_words, tokenize
from callscope.language.wordlists import read_phrase_list, read_word_list

_OTHER_PEOPLE = frozenset().union(
    *(read_word_list(__package__, f"other_people.{language}") for language in LANGUAGES)
)
# "Without charge" negates no more than the charge.
_NEGATIONS_OF_CLAUSES = NEGATIONS - {"without", "sin", "nada"}
# "Do not forget the key" asks for the key.
_NO_NEGATIONS = re.compile(
    r"\b(?:not (?:forget|hesitate|only|hang up)"
    r"|no (?:se |te )?(?:olvid\w+|dud\w+|deje\w* de|cuelg\w+|retire|solo))\b"
)

# How much a kind of value says: that there is a number, less than that there is a price.
VALUE_WEIGHTS: dict[ValueKind, float] = {
    "number": 0.4,
    "day": 0.7,
    "time": 0.5,
    "duration": 0.7,
    "money": 0.8,
    "spelled": 0.7,
}
_NO_OWN_NUMBERS = frozenset(
    ("number", "numbers", "digits", "numero", "numeros", "cifras", "double", "one", "uno", "una")
)
_TELLING_VALUES: frozenset[ValueKind] = frozenset(("money", "duration"))


@dataclass(
    frozen=True, slots=True, eq=False
)  # by identity: readings are cached, and keys of what is compared
class Reading:
    """A sentence or a phrase as it is compared."""

    text: str
    language: str
    compared: str  # what a language model compares of it
    words: tuple[str, ...]
    acts: Acts
    act: Act  # the likeliest of them
    form: Form
    terms: tuple[Term, ...]
    asked_for: tuple[Term, ...]  # the terms that a question wants to know
    weight: float  # of all terms together, before their rarity
    numbers: frozenset[str]
    number_words: frozenset[str]  # "eighteen", "18"
    own_values: frozenset[ValueKind]  # a price and a duration, which a clause cannot do without
    other_people: frozenset[str]  # words such as "brother"
    has_negation: bool
    is_described: bool  # a phrase says what the agent does, not in which words
    stem_counts: Counter[str]  # of all words, small ones too
    sides: frozenset[tuple[int, int]]  # of which contrasts it has which sides
    answer_kinds: frozenset[AnswerKind]  # that a question asks for
    subject: int  # 1: the agent, 2: the listener, 0: neither or not known
    tenses: frozenset[Tense]

    @property
    def is_formula(self) -> bool:
        """True if what it does is all that it says: "Goodbye", "Is that right?"."""
        return not any(t.weight >= GENERIC_WEIGHT for t in self.terms)

    @property
    def has_content(self) -> bool:
        """True if it says more than "When?"."""
        return any(t.weight != QUESTION_WEIGHT for t in self.terms)


# The sentences of a call are read again for every criterion: reading them costs more than comparing them.
@lru_cache(maxsize=10_000)
def read_sentence(text: str, language: str) -> Reading:
    """Return the reading of a sentence by what it does."""
    return read_sentence_as(text, language, tuple(classify_clause(text, language).items()))


@lru_cache(maxsize=10_000)
def read_sentence_as(
    text: str, language: str, acts: tuple[tuple[Act, float], ...], compared: str = ""
) -> Reading:
    """Return the reading of a sentence that does this; `acts` are the items of an `Acts`.

    `compared` is what a language model compares, where that is not the sentence.
    """
    words = tokenize(text)
    act = choose_likeliest(dict(acts))
    form = _choose_form(text, act)
    asked = tokenize(strip_request_frame(text, language)) if form == "asks" else words
    values = find_values(text, words, language)
    left_out = _load_formula_words(language).get(act, frozenset()) | frozenset(
        stem_words([w for said in values.values() for w in said if not w[0].isdigit()], language)
    )
    listed = extract_terms(asked, stem_words(asked, language), language, form)
    terms = tuple(t for t in listed if t.key.partition(" ")[0] not in left_out)
    terms += tuple(Term(f"#{kind}", frozenset(), VALUE_WEIGHTS[kind], False) for kind in values)
    return Reading(
        text=text,
        language=language,
        compared=compared or strip_fillers(text, language).strip(),
        words=tuple(words),
        acts=dict(acts),
        act=act,
        form=form,
        terms=terms,
        asked_for=tuple(t for t in terms if t.is_asked_for and t.weight >= GENERIC_WEIGHT),
        weight=sum(t.weight for t in terms),
        numbers=frozenset(w for w in words if any(c.isdigit() for c in w)),
        number_words=values.get("number", frozenset()) - _NO_OWN_NUMBERS,
        own_values=_TELLING_VALUES.intersection(values),
        other_people=_OTHER_PEOPLE.intersection(words),
        has_negation=not _NEGATIONS_OF_CLAUSES.isdisjoint(_NO_NEGATIONS.sub("", " ".join(words)).split()),
        is_described=bool(compared),
        stem_counts=Counter(stem_words(words, language)),
        sides=find_sides(words, language),
        answer_kinds=find_answer_kinds(words, language),
        subject=find_subject(words, language),
        tenses=find_tenses(text, language),
    )


def _choose_form(text: str, act: Act) -> Form:
    if act in QUESTIONS or text.rstrip().endswith("?"):
        return "asks"
    if act == "names":
        return "names"
    return "offers" if act == "offers" else "states"


@lru_cache(maxsize=2)
def _load_formula_words(language: str) -> dict[str, frozenset[str]]:
    lines = (line.partition(": ") for line in read_phrase_list(__package__, f"formula_words.{language}"))
    return {act: frozenset(stem_words(tokenize(words), language)) for act, _, words in lines}
