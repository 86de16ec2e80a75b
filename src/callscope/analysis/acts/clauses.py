"""Split what was said in one turn into clauses, and read back what was asked "is that right?" of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from callscope.analysis.acts.grammar import classify_clause
from callscope.analysis.acts.kinds import Act, Acts, choose_likeliest
from callscope.analysis.acts.plain_words import is_filler, strip_fillers
from callscope.language.sentences import split_sentences
from callscope.language.wordlists import read_phrase_list

MAX_WORDS_OF_A_TAG = 7  # "Have I got that right?", "Let me read that back to you"
# What may be said in a clause that is read back next to such words.
_READ_BACK: frozenset[Act] = frozenset(("states_fact", "states_done", "names", "promises", "confirms"))
_CONFIRMS: Acts = {"confirms": 1.0}


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of one turn that does one thing."""

    text: str
    start: int  # where its first character stands in the turn
    acts: Acts

    @property
    def act(self) -> Act:
        return choose_likeliest(self.acts)


@lru_cache(maxsize=10_000)
def read_clauses(text: str, language: str) -> tuple[Clause, ...]:
    """Return the clauses of a turn in order."""
    clauses = []
    position = 0
    for sentence in split_sentences(text, keep_titles=True):
        start = text.index(sentence, position)
        position = start + len(sentence)
        for offset, piece in split_sentence(sentence, language):
            clauses.append(Clause(piece, start + offset, classify_clause(piece, language)))
    return tuple(_join_read_backs(clauses, language))


def split_sentence(sentence: str, language: str) -> list[tuple[int, str]]:
    """Return the clauses of a sentence, each with where it begins: "The room is free, | shall I book it?"."""
    patterns = _Boundaries(language)
    cuts = [0]
    for boundary in patterns.boundary.finditer(sentence):
        left, right = sentence[cuts[-1] : boundary.start()], sentence[boundary.end() :]
        if not right.strip() or is_filler(left, language) or patterns.tag.match(right):
            continue
        is_comma = bool(boundary.group().strip())
        if is_comma and not patterns.opener.match(right) and not patterns.courtesy.fullmatch(left):
            continue
        # "If you want, we can ..." is one thing.
        if not patterns.subordinate.match(strip_fillers(left, language)):
            cuts.append(boundary.end())
    pieces = [(a, sentence[a:b]) for a, b in zip(cuts, [*cuts[1:], len(sentence)], strict=True)]
    return [(start, piece) for start, piece in pieces if any(c.isalnum() for c in piece)]


def _join_read_backs(clauses: list[Clause], language: str) -> Iterator[Clause]:
    """Yield the clauses; "Is that right?" and "Let me read that back" confirm what stands next to them."""
    before: Clause | None = None
    announced = False
    for clause in clauses:
        is_short = len(strip_fillers(clause.text, language).split()) <= MAX_WORDS_OF_A_TAG
        if clause.act == "confirms" and is_short and before and before.act in _READ_BACK:
            clause = Clause(f"{before.text} {clause.text}", before.start, _CONFIRMS)
        elif announced and clause.act in _READ_BACK:
            clause = Clause(clause.text, clause.start, _CONFIRMS)
        announced = clause.act == "confirms" and "?" not in clause.text
        before = clause
        yield clause


@lru_cache(maxsize=2)  # one for each language
class _Boundaries:
    """Where the clauses of one language begin."""

    def __init__(self, language: str) -> None:
        def alternatives(name: str) -> str:
            return "|".join(read_phrase_list(__package__, f"{name}.{language}"))

        openers, bare = alternatives("clause_openers"), alternatives("clause_openers_bare")
        self.opener = re.compile(openers, re.IGNORECASE)
        self.courtesy = re.compile(rf"\s*(?:{alternatives('courtesies')})\s*", re.IGNORECASE)
        self.boundary = re.compile(rf"[,;:–—-]\s+|\s+(?={bare})|\s-\s", re.IGNORECASE)
        self.subordinate = re.compile(
            rf"^(?:{alternatives('subordinate_openers')})\b(?!.*,.*,)", re.IGNORECASE
        )
        self.tag = re.compile(rf"^(?:{alternatives('tags')})\s*[?.!]*$", re.IGNORECASE)
