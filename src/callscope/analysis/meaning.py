"""Find a phrase by its meaning where neither its words nor its spelling stand in the call.

Two sentences are alike by how much of what each says is said by the other:
their terms, weighed by how rarely they come up in this call and this rubric,
what a question asks for twice as much as the words beside it. An embedder with
a language model behind it adds its own likeness. What another phrase of the
rubric says better does not count. Figures and how the bars came about:
docs/analysis.md, "How good it is".
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

from callscope.analysis import thesaurus, wordings
from callscope.analysis.conversation import Segment
from callscope.analysis.kinds import Kind, clauses, denies, kind
from callscope.analysis.phrases import Match
from callscope.analysis.thesaurus import Term
from callscope.engines.embeddings import words
from callscope.engines.embeddings.protocol import Embedder
from callscope.engines.embeddings.wordlists import word_list

# One word tells what a question is about, not what a statement is; of a name most has to be there.
BARS: dict[Kind, float] = {"asks": 0.33, "offers": 0.44, "states": 0.44, "names": 0.7}
MODEL_SHARE = 0.4
MODEL_SURE = 0.5  # cosine
RIVAL_MARGIN = 0.05  # by which another phrase has to be nearer to take a sentence away
OF_THE_PHRASE = 0.65  # how much what the phrase says counts; the rest is what else the sentence says
OTHER_KIND = 0.3  # "shall I open a claim" is no "I have opened a claim"
ASKED_BY_NAME = 0.45  # a question asks for a name with few of its words, "your PIN?" for "PIN code"
LEAST_ASKED, OF_FEW = 0.3, 0.6  # what such a name has to tell; of one that tells little most has to be there
OFFERED = 0.8  # "I can filter by price" may stand for "which price do you want"
ASKS_FOR_ANOTHER_THING = 0.6
ABOUT_SOMEBODY_ELSE = 0.4  # "what is your brother's name"
DENIED_QUESTION = 0.7  # "I am not sure, what is your name?" still asks; a denied statement says the opposite
# Weight of the telling words without which a phrase has to be said as it stands.
LEAST_TOLD: dict[Kind, float] = {"asks": 0.5, "offers": 1.6, "states": 1.6, "names": 1.25}
LONG_SENTENCE, WINDOW = 25, 16  # in words: speech without full stops is read in windows
LEAST_RARITY, RARE_FROM = 0.35, 0.6  # a word of a few sentences counts whole
_OTHER_PEOPLE = frozenset().union(
    *(word_list(__package__, f"other_people.{name}") for name in words.LANGUAGES)
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A sentence or a phrase as it is compared."""

    text: str
    terms: tuple[Term, ...]
    kind: Kind

    @property
    def asked_for(self) -> list[Term]:
        return [t for t in self.terms if t.is_asked_for and t.weight >= thesaurus.GENERIC]


class MeaningMatcher:
    """Compares phrases with what was said in one call."""

    def __init__(self, embedder: Embedder, language: str, *, phrases: Iterable[str] = ()) -> None:
        """`phrases` are all phrases of the rubric: they tell what is rare, and they compete."""
        self.embedder = embedder
        self.language = language
        self.rivals = {p: _wordings(p, language) for p in phrases}
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def find(self, phrases: Sequence[str], segments: Sequence[Segment]) -> Match | None:
        """Return the segment that says nearest what a phrase says, None below the bar."""
        spoken = [(said, s) for s in segments for said in _sentences(s.text, self.language)]
        wanted = [(w, p) for p in phrases for w in _wordings(p, self.language)]
        rivals = [w for p, told in self.rivals.items() if p not in phrases for w in told]
        self._learn([r.text for r in (*(w for w, _ in wanted), *rivals, *(said for said, _ in spoken))])
        rarity = _Rarity([r.terms for r in (*rivals, *(said for said, _ in spoken))])
        best: Match | None = None
        for said, segment in spoken:
            score, phrase = max(((self._above_bar(w, said, rarity), p) for w, p in wanted), default=(0.0, ""))
            if score <= (best.score if best else 0.0):
                continue
            if any(self._likeness(r, said, rarity) > score + RIVAL_MARGIN for r in rivals):
                continue
            best = Match(phrase, segment, tuple(words.words(said.text)), "meaning", score)
        return best

    def _above_bar(self, phrase: _Reading, said: _Reading, rarity: "_Rarity") -> float:
        score = self._likeness(phrase, said, rarity)
        return score if score >= _bar(phrase, said) else 0.0

    def _likeness(self, phrase: _Reading, said: _Reading, rarity: "_Rarity") -> float:
        if not _tells_enough(phrase, said) or _numbers(phrase.text) - _numbers(said.text):
            return 0.0
        covered = _covered(phrase.terms, said.terms, rarity)
        score = covered * (OF_THE_PHRASE + (1 - OF_THE_PHRASE) * _covered(said.terms, phrase.terms, rarity))
        if self.embedder.knows_meaning:
            model = self._cosine(phrase.text, said.text)
            if not covered and model < MODEL_SURE:
                return 0.0
            score = (1 - MODEL_SHARE) * score + MODEL_SHARE * model
        return score * _fits(phrase, said)

    def _learn(self, texts: Sequence[str]) -> None:
        """Have the vectors of all texts at hand, asked for at once."""
        new = [t for t in dict.fromkeys(texts) if t not in self._vectors]
        if new and self.embedder.knows_meaning:
            self._vectors.update(zip(new, self.embedder.encode(new), strict=True))

    def _cosine(self, one: str, other: str) -> float:
        return max(0.0, float(self._vectors[one] @ self._vectors[other]))


def _tells_enough(phrase: _Reading, said: _Reading) -> bool:
    """Whether a phrase has words enough of its own to be told in others."""
    has_substance = any(t.weight != thesaurus.QUESTION for t in phrase.terms)  # more than "when"
    least = LEAST_ASKED if _is_asked_by_name(phrase, said) else LEAST_TOLD[phrase.kind]
    return has_substance and _weight(phrase) >= least


def _bar(phrase: _Reading, said: _Reading) -> float:
    if not _is_asked_by_name(phrase, said):
        return BARS[phrase.kind]
    return ASKED_BY_NAME if _weight(phrase) >= LEAST_TOLD["names"] else OF_FEW


def _weight(phrase: _Reading) -> float:
    return sum(t.weight for t in phrase.terms)


def _is_asked_by_name(phrase: _Reading, said: _Reading) -> bool:
    return phrase.kind == "names" and said.kind == "asks"


def _fits(phrase: _Reading, said: _Reading) -> float:
    """Return 0 to 1: how well what a sentence does goes with what the phrase does."""
    fit = 1.0
    if {phrase.kind, said.kind} == {"asks", "offers"}:
        fit = OFFERED
    elif phrase.kind != "names" and (phrase.kind == "asks") != (said.kind == "asks"):
        fit = OTHER_KIND
    wanted, told = phrase.asked_for, said.asked_for
    if wanted and told and not any(thesaurus.likeness(w, t) for w in wanted for t in told):
        fit *= ASKS_FOR_ANOTHER_THING
    if _other_people(said.text) - _other_people(phrase.text) and phrase.kind != "states":
        fit *= ABOUT_SOMEBODY_ELSE
    if denies(phrase.text) != denies(said.text):
        fit *= DENIED_QUESTION if phrase.kind == "asks" else 0.0
    return fit


class _Rarity:
    """How much a term tells in this call and this rubric: rare ones more."""

    def __init__(self, texts: Sequence[Sequence[Term]]) -> None:
        self.total = len(texts)
        self.counts = Counter(key for text in texts for key in {t.key for t in text})

    def of(self, term: Term) -> float:
        if self.total < 3:
            return term.weight
        share = log((self.total + 1) / (self.counts[term.key] + 1)) / log(self.total + 1)
        return term.weight * max(LEAST_RARITY, min(1.0, share / RARE_FROM))


def _covered(these: Sequence[Term], by: Sequence[Term], rarity: _Rarity) -> float:
    """Return 0 to 1: the part of some terms that others say too."""
    total = sum(rarity.of(t) for t in these)
    found = sum(rarity.of(t) * max((thesaurus.likeness(t, b) for b in by), default=0.0) for t in these)
    return found / total if total else 0.0


@lru_cache(maxsize=10_000)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(w for w in words.words(text) if any(c.isdigit() for c in w))


@lru_cache(maxsize=10_000)
def _other_people(text: str) -> frozenset[str]:
    return _OTHER_PEOPLE.intersection(words.words(text))


@lru_cache(maxsize=10_000)
def _read(text: str, language: str, does: Kind) -> _Reading:
    return _Reading(text, thesaurus.terms(text, language, does), does)


def _wordings(phrase: str, language: str) -> list[_Reading]:
    return [_read(w.text, language, w.kind) for w in wordings.of_phrase(phrase, language)]


def _sentences(text: str, language: str) -> list[_Reading]:
    """Return the sentences that tell something; a long one in windows that overlap by half."""
    pieces: list[str] = []
    for clause in clauses(text, language):
        told = clause.split()
        if kind(clause, language) == "asks":
            pieces += wordings.items(clause, language)
        if len(told) <= LONG_SENTENCE:
            pieces.append(clause)
        else:
            step = WINDOW // 2
            pieces += [" ".join(told[i : i + WINDOW]) for i in range(0, len(told) - step, step)]
    readings = [_read(piece, language, kind(piece, language)) for piece in pieces]
    return [r for r in readings if any(t.weight != thesaurus.QUESTION for t in r.terms)]  # not "When?" alone
