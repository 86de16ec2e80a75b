"""What was said in one call, clause by clause, and how near the phrases of the rubric are to it.

Compared once a call: every criterion asks for the same pairs of clause and phrase.
"""

from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from callscope.analysis.conversation.turns import Segment, Turn, join_turns
from callscope.analysis.matching.differences import (
    REPEATS_FROM,
    Differences,
    find_differences,
    list_unshared_terms,
    measure_repetition,
)
from callscope.analysis.matching.likelihood import Nearness
from callscope.analysis.matching.paraphrases import read_turn
from callscope.analysis.matching.readings import Reading
from callscope.analysis.matching.scale import DEFAULT, read_scale
from callscope.analysis.matching.thesaurus import Term, compare_terms
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.processes.time_limit import check_time

MIN_RARITY, FULL_RARITY_FROM = 0.35, 0.6  # a term of a few sentences counts whole
MIN_SENTENCES_FOR_RARITY = 3
# Cosines of the default encoder: "voucher" and "car" come to 0.40, "receipt" and "ticket" to 0.54, "shop" and
# "store" to 0.86.
UNLIKE_WORDS, LIKE_WORDS = 0.4, 0.8
MAX_WORDS_KEPT = 4_000  # by a process, 8 MB
_WORD_VECTORS: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()


class HeardClause(NamedTuple):
    """One clause, and the segment that holds most of it."""

    number: int
    reading: Reading
    segment: Segment
    turn: Turn
    start: int  # its first character in the text of the turn


class SentenceVectors:
    """Vectors of embedders that are language models, each text embedded once; none for other embedders."""

    def __init__(self, embedders: Sequence[Embedder]) -> None:
        """Of several the cosines count alike."""
        self._embedders = [e for e in embedders if e.is_semantic]
        # What is swapped was fitted to its words, and single words say little to any sentence model.
        self._of_words = BuiltInEmbedder() if self._embedders else None
        self._vectors: dict[str, list[npt.NDArray[np.float32]]] = {}

    def add(self, readings: Iterable[Reading]) -> None:
        """Embed what is new in one request: a server is asked once a criterion, not once a sentence."""
        if self._embedders:
            new = [t for t in dict.fromkeys(r.compared for r in readings) if t not in self._vectors]
            if new:
                by_embedder = [embedder.encode(new) for embedder in self._embedders]
                self._vectors.update(
                    (text, list(vectors)) for text, *vectors in zip(new, *by_embedder, strict=True)
                )

    def compare(self, one: Reading, other: Reading) -> float | None:
        """Return the cosine from 0 to 1 on the scale of the default encoder, None without a model."""
        if not self._embedders:
            return None
        pairs = zip(self._embedders, self._vectors[one.compared], self._vectors[other.compared], strict=True)
        cosines = [read_scale(e).place(float(ours @ theirs), DEFAULT) for e, ours, theirs in pairs]
        return sum(cosines) / len(cosines)

    def add_words(self, words: Iterable[str]) -> None:
        """Embed words that are new at once; those of earlier calls are kept."""
        if self._of_words:
            new = sorted({w for w in words if w not in _WORD_VECTORS})
            for word, vector in zip(new, self._of_words.encode(new), strict=True) if new else ():
                _WORD_VECTORS[word] = vector
            while len(_WORD_VECTORS) > MAX_WORDS_KEPT:
                _WORD_VECTORS.popitem(last=False)

    def compare_words(self, one: Term, other: Term) -> float:
        """Return 0 to 1: how alike two terms are by letters, by group or by the vectors of their words."""
        alike = compare_terms(one, other)
        ours, theirs = _WORD_VECTORS.get(one.word), _WORD_VECTORS.get(other.word)
        if self._of_words is None or ours is None or theirs is None:
            return alike
        nearness = (float(ours @ theirs) - UNLIKE_WORDS) / (LIKE_WORDS - UNLIKE_WORDS)
        return max(alike, min(1.0, nearness))


class Heard:
    """The clauses of some segments, ready to be compared with phrases."""

    def __init__(
        self, segments: Sequence[Segment], phrases: Sequence[Reading], language: str, vectors: SentenceVectors
    ) -> None:
        """`phrases` are those of the whole rubric: they, too, show which words are rare."""
        self.clauses = list(_read_segments(segments, language))
        said = [clause.reading for clause in self.clauses]
        self._rarity = _Rarity([*phrases, *said])
        self._vectors = vectors
        self._near: dict[tuple[Reading, int], Nearness] = {}
        vectors.add(said)

    def compare(self, phrase: Reading, clause: HeardClause) -> Nearness:
        """Return how near a clause is to a phrase, whose vector is known."""
        key = (phrase, clause.number)
        near = self._near.get(key)
        if near is None:
            said = clause.reading
            covered = self._rarity.cover(phrase.terms, by=said.terms)
            words = covered * (1 + self._rarity.cover(said.terms, by=phrase.terms)) / 2 if covered else 0.0
            # A bare name says too little for a model.
            cosine = None if phrase.act == "names" else self._vectors.compare(phrase, said)
            near = self._near[key] = Nearness(words, cosine)
        return near

    def add_words_of(self, phrases: Sequence[Reading]) -> None:
        """Prepare `tell_apart`: embed the words in which phrases and clauses that repeat them differ."""
        self._vectors.add_words(
            term.word
            for clause in self.clauses
            for phrase in phrases
            if measure_repetition(phrase, clause.reading) > REPEATS_FROM
            for terms in list_unshared_terms(phrase, clause.reading)
            for term in terms
        )

    def tell_apart(self, phrase: Reading, clause: HeardClause) -> Differences:
        """Return in what a clause differs that repeats a phrase."""
        return find_differences(phrase, clause.reading, self._vectors.compare_words)


def _read_segments(segments: Sequence[Segment], language: str) -> Iterator[HeardClause]:
    number = 0
    for turn in join_turns(segments):
        check_time()
        starts = [0, *accumulate(len(segment.text) + 1 for segment in turn.segments)]
        for spoken in read_turn(turn.text, language):
            middle = spoken.start + len(spoken.reading.text) // 2
            holder = turn.segments[min(bisect_right(starts, middle), len(turn.segments)) - 1]
            yield HeardClause(number, spoken.reading, holder, turn, spoken.start)
            number += 1


class _Rarity:
    """How much a term says in this call and this rubric: rare ones more."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self.sentences = len(readings)
        self.counts = Counter(key for reading in readings for key in {t.key for t in reading.terms})

    def weigh(self, term: Term) -> float:
        if self.sentences < MIN_SENTENCES_FOR_RARITY:
            return term.weight
        share = log((self.sentences + 1) / (self.counts[term.key] + 1)) / log(self.sentences + 1)
        return term.weight * max(MIN_RARITY, min(1.0, share / FULL_RARITY_FROM))

    def cover(self, terms: Sequence[Term], *, by: Sequence[Term]) -> float:
        """Return 0 to 1: the part of some terms that others say too, by weight."""
        total = sum(self.weigh(t) for t in terms)
        covered = sum(
            self.weigh(t) * max((compare_terms(t, other) for other in by), default=0.0) for t in terms
        )
        return covered / total if total else 0.0
