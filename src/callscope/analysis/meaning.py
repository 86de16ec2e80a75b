"""Find a phrase by its meaning where neither its words nor its spelling stand in the call.

Two sentences are alike by how much of what each says is said by the other:
their terms, weighed by how rarely they come up in this call and this rubric. An
embedder with a language model behind it adds its own likeness. What another
phrase of the rubric says better does not count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

from callscope.analysis import thesaurus
from callscope.analysis.conversation import Segment
from callscope.analysis.kinds import asks, denies, sentences
from callscope.analysis.phrases import Match
from callscope.analysis.thesaurus import Term
from callscope.engines.embeddings import words
from callscope.engines.embeddings.protocol import Embedder

WORDING_BAR = 0.44
MODEL_BAR = 0.45  # where an embedder that knows meaning has its say
MODEL_SHARE = 0.4
RIVAL_MARGIN = 0.15  # by which another phrase has to be nearer to take a sentence away
NOT_ASKED = 0.5  # a statement is seldom what a question asks for
ONLY_ASKED = 0.4  # "shall I open a claim" is no "I have opened a claim"
DENIED_QUESTION = 0.7  # "I am not sure, what is your name?" still asks; a denied statement says the opposite
LEAST_STATEMENT, LEAST_QUESTION = (
    1.6,
    0.8,
)  # weight of telling words; a statement of one such word has to be said
LEAST_COVERED = 0.45  # of a phrase, where no model is sure
MODEL_SURE = 0.5  # cosine
LONG_SENTENCE, WINDOW = 25, 16  # in words: speech without full stops is read in windows
LEAST_RARITY = 0.35


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    segment: Segment
    terms: tuple[Term, ...]
    asks: bool


class MeaningMatcher:
    """Compares phrases with what was said in one call."""

    def __init__(self, embedder: Embedder, language: str, *, phrases: Iterable[str] = ()) -> None:
        """`phrases` are all phrases of the rubric: they tell what is rare, and they compete."""
        self.embedder = embedder
        self.language = language
        self.rivals = tuple(dict.fromkeys(phrases))
        self.bar = MODEL_BAR if embedder.knows_meaning else WORDING_BAR
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def find(self, phrases: Sequence[str], segments: Sequence[Segment]) -> Match | None:
        """Return the segment that says nearest what a phrase says, None below the bar."""
        spoken = [s for segment in segments for s in _sentences(segment, self.language)]
        self._learn([*phrases, *self.rivals, *(s.text for s in spoken)])
        rarity = _Rarity([s.terms for s in spoken], [_read(p, self.language)[0] for p in self.rivals])
        best_score, best = 0.0, None
        for sentence in spoken:
            for phrase in phrases:
                score = self._likeness(phrase, sentence, rarity)
                if (
                    score > best_score
                    and score >= self.bar
                    and not self._taken(phrases, score, sentence, rarity)
                ):
                    best_score, best = score, (phrase, sentence)
        if best is None:
            return None
        phrase, sentence = best
        return Match(phrase, sentence.segment, tuple(words.words(sentence.text)), "meaning", best_score)

    def _learn(self, texts: Iterable[str]) -> None:
        """Have the vectors of all texts at hand, asked for at once."""
        new = [t for t in dict.fromkeys(texts) if t not in self._vectors]
        if new and self.embedder.knows_meaning:
            self._vectors.update(zip(new, self.embedder.encode(new), strict=True))

    def _cosine(self, one: str, other: str) -> float:
        return max(0.0, float(self._vectors[one] @ self._vectors[other]))

    def _taken(self, phrases: Sequence[str], score: float, sentence: _Sentence, rarity: "_Rarity") -> bool:
        """Whether a phrase of another criterion says clearly better what the sentence says."""
        others = (p for p in self.rivals if p not in phrases)
        return any(self._likeness(p, sentence, rarity) > score + RIVAL_MARGIN for p in others)

    def _likeness(self, phrase: str, sentence: _Sentence, rarity: "_Rarity") -> float:
        wanted, is_asking = _read(phrase, self.language)
        if not _tells_enough(wanted, is_asking=is_asking) or _numbers(phrase) - _numbers(sentence.text):
            return 0.0
        model = self._cosine(phrase, sentence.text) if self.embedder.knows_meaning else 0.0
        is_covered = _covered(wanted, sentence.terms, rarity) >= LEAST_COVERED
        if model < MODEL_SURE and not (is_covered and _shares_substance(wanted, sentence.terms)):
            return 0.0
        score = _alike(wanted, sentence.terms, rarity)
        if self.embedder.knows_meaning:
            score = (1 - MODEL_SHARE) * score + MODEL_SHARE * model
        if is_asking and (not sentence.asks or _asks_for_something_else(wanted, sentence.terms)):
            score *= NOT_ASKED
        elif sentence.asks and not is_asking:
            score *= ONLY_ASKED
        if denies(phrase) != denies(sentence.text):
            score *= DENIED_QUESTION if is_asking else 0.0
        return score


def _tells_enough(wanted: Sequence[Term], *, is_asking: bool) -> bool:
    """Whether a phrase has words enough of its own to be told in others."""
    weight = sum(t.weight * len(t.words) for t in wanted)
    return weight >= (LEAST_QUESTION if is_asking else LEAST_STATEMENT)


def _shares_substance(wanted: Sequence[Term], spoken: Sequence[Term]) -> bool:
    """Whether more is the same than the question word, or words that many sentences share."""
    substance = [t for t in wanted if not t.is_question and t.weight > thesaurus.GENERIC_WEIGHT]
    return not substance or any(thesaurus.likeness(t, s) for t in substance for s in spoken)


def _asks_for_something_else(wanted: Sequence[Term], spoken: Sequence[Term]) -> bool:
    """Whether a phrase asks when, where, who or how many, and the sentence does not."""
    asked = [t for t in wanted if t.is_question]
    return bool(asked) and not any(thesaurus.likeness(a, t) for a in asked for t in spoken)


class _Rarity:
    """How much a term tells in this call and this rubric: rare ones more."""

    def __init__(self, said: Sequence[Sequence[Term]], asked: Sequence[Sequence[Term]]) -> None:
        texts = [*said, *asked]
        self.total = len(texts)
        self.counts = Counter(key for text in texts for key in {t.key for t in text})

    def of(self, term: Term) -> float:
        if self.total < 3:
            return term.weight
        share = log((self.total + 1) / (self.counts[term.key] + 1)) / log(self.total + 1)
        return term.weight * max(LEAST_RARITY, min(1.0, share * 1.4))


def _alike(wanted: Sequence[Term], spoken: Sequence[Term], rarity: _Rarity) -> float:
    """Return 0 to 1: the part of the phrase that is said, less what else is said."""
    if not wanted or not spoken:
        return 0.0
    covered = _covered(wanted, spoken, rarity)
    return covered * (0.65 + 0.35 * _covered(spoken, wanted, rarity))


def _covered(these: Sequence[Term], by: Sequence[Term], rarity: _Rarity) -> float:
    total = sum(rarity.of(t) for t in these)
    found = sum(rarity.of(t) * max(thesaurus.likeness(t, b) for b in by) for t in these)
    return found / total if total else 0.0


@lru_cache(maxsize=10_000)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(w for w in words.words(text) if any(c.isdigit() for c in w))


@lru_cache(maxsize=10_000)
def _read(text: str, language: str) -> tuple[tuple[Term, ...], bool]:
    return tuple(thesaurus.terms(text, language)), asks(text, language)


def _sentences(segment: Segment, language: str) -> list[_Sentence]:
    found = []
    for text in sentences(segment.text):
        told = text.split()
        step = WINDOW // 2
        pieces = (
            [text]
            if len(told) <= LONG_SENTENCE
            else [" ".join(told[i : i + WINDOW]) for i in range(0, len(told) - step, step)]
        )
        for piece in pieces:
            read, is_asking = _read(piece, language)
            if read:
                found.append(_Sentence(piece, segment, read, is_asking))
    return found
