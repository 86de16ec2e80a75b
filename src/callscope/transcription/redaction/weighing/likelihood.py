"""Weigh what stands around a number into one likelihood that it is a code: for what no rule decides.

The weights in vocabulary/lists/code_weights.txt are those of a logistic regression over the
dialogs of `benchmarks/labeled/redaction` that may be read, found by
`benchmarks/fit_redaction.py`; how well they do on dialogs of other authors is printed by
`make quality`.
"""

from collections.abc import Iterable, Sequence, Set
from functools import cache
from math import exp, fsum
from typing import NamedTuple

from callscope.engines.embeddings.protocol import Embedder
from callscope.transcription.redaction.memory import Memory
from callscope.transcription.redaction.names.naming import Naming
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.redaction.questions.open_questions import NEAR_SEGMENTS
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import ASKED_CODES, CARDS, SECRET_CODES, Kind, Length
from callscope.transcription.redaction.weighing import meaning
from callscope.transcription.redaction.weighing.evidence import FAR, Heard, list_evidence
from callscope.transcription.redaction.weighing.weights import read_weight_list


class Bars(NamedTuple):
    """Likelihoods by which a number is taken for a code, or not."""

    code_from: float  # where no rule knows the kind
    unnamed_code_from: float  # nor did anybody speak of a code or a card: most numbers of most calls are none
    misread_code_from: float  # where the rules take it for one of MISREAD
    other_code_from: float  # where they take it for one of OTHERS
    no_code_below: float  # though a question for a code is open, by words as well as with meaning

    def find_least(self, kinds: Set[Kind], others: Set[Kind], *, is_spoken_of: bool) -> float:
        """Return the least likelihood of a code that the rules take for one of the kinds, or for none."""
        least = self.code_from if is_spoken_of else self.unnamed_code_from
        if kinds & others:
            return max(least, self.other_code_from)
        return min(least, self.misread_code_from) if kinds & MISREAD else least


# Chosen on dialogs that were left out of the fit (docs/engines.md, "Redaction").
BY_WORDS, BY_MEANING = Bars(0.8, 0.95, 0.95, 0.98, 0.02), Bars(0.8, 0.8, 0.6, 0.98, 0.02)
# No number is taken by weight in a transcript that was redacted, and none that is more likely no code.
OF_REDACTED = Bars(1.1, 1.1, 1.1, 1.1, 0.5)
# Kinds that the rules take from words about places and things, of which half that are likely codes are codes.
MISREAD = frozenset((Kind.NAMED, Kind.DATE, Kind.PLACE))
# Asked for as these a number is seldom a code, however likely the words around it make that.
OTHERS = frozenset(
    (
        Kind.ACCOUNT,
        Kind.IDENTIFIER,
        Kind.PHONE,
        Kind.AMOUNT,
        Kind.QUANTITY,
        Kind.TIME,
        Kind.EXPIRY,
        Kind.LAST_FOUR,
    )
)
REDACTED = frozenset(PLACEHOLDERS[kind] for kind in ("cards", "security_codes"))
RATED_DIGITS = Length(3, 8)
START = "start"
# Log-odds of the words that count at most next to the meaning, and from which the meaning is not looked at.
MOST_ODDS, DECIDED_ODDS = 4.0, 6.0


def weigh_words(evidence: Iterable[str]) -> float:
    """Return the log-odds that a number is a code, by the evidence of list_evidence()."""
    weights = read_weights()
    return weights[START] + fsum(weights.get(each, 0.0) for each in evidence)


def weigh_all(words: float, evidence: Iterable[str], added: float) -> float:
    """Return the log-odds by words, the plainest evidence and meaning: `added` is of Meanings.weigh()."""
    named, _ = meaning.read_weights()
    of_words = named[meaning.WORDS] * max(-MOST_ODDS, min(words, MOST_ODDS))
    return named[meaning.START] + of_words + fsum(named.get(each, 0.0) for each in evidence) + added


def to_likelihood(log_odds: float) -> float:
    return 1.0 / (1.0 + exp(-log_odds))


@cache
def read_weights() -> dict[str, float]:
    """Return evidence → weight."""
    return read_weight_list("code_weights")


class Rated(NamedTuple):
    """A number that no name next to it explains, and the evidence of what it is."""

    piece: Piece
    evidence: frozenset[str]


class Rating(NamedTuple):
    """How likely a number is a code, 0 to 1, and the bars for a likelihood of this origin."""

    likelihood: float
    bars: Bars
    by_words: float  # without the meaning


UNKNOWN = Rating(0.5, BY_WORDS, 0.5)  # of a number that is not rated


class Rater:
    """Rates the numbers of a call, in order of speech."""

    def __init__(
        self, utterances: Sequence[Utterance], rated: list[Rated] | None, encoder: Embedder | None
    ) -> None:
        self.utterances = utterances
        self.rated = rated  # to fit the weights: what would be rated is appended, and not rated
        words = (token.word for utterance in utterances for token in utterance.tokens)
        self.is_redacted = not REDACTED.isdisjoint(words)
        is_known = encoder is not None and encoder.id == meaning.ENCODER
        self.meanings = meaning.Meanings(encoder) if encoder and is_known and not self.is_redacted else None
        self.secret_talk = -NEAR_SEGMENTS - 1  # the last segment that named a code or a card

    def hear(self, utterance: Utterance) -> None:
        """Take note of an utterance that speaks of a code or a card."""
        if any(name.kind in ASKED_CODES | CARDS for name in utterance.names):
            self.secret_talk = utterance.index

    def rate(self, piece: Piece, naming: Naming | None, memory: Memory, asked: Sequence[Kind]) -> Rating:
        """Return how likely a number is a code; UNKNOWN where its name or its length tells."""
        is_called = naming is not None and (naming.is_linked or naming.letters > 0)
        if len(piece.digits) not in RATED_DIGITS or is_called or memory.find_other(piece):
            return UNKNOWN
        utterance = self.utterances[piece.segment]
        is_near = piece.segment - self.secret_talk <= NEAR_SEGMENTS
        card, code = (memory.find_latest(kinds) for kinds in ((Kind.CARD,), SECRET_CODES))
        heard = Heard(
            card_distance=min(FAR, piece.segment - card.segment) if card else FAR,
            code_distance=min(FAR, piece.segment - code.segment) if code else FAR,
            is_as_long=code is not None and len(code.digits) == len(piece.digits),
            asked=asked,
            is_spoken_of=is_near,
        )
        evidence = frozenset(list_evidence(self.utterances, piece, heard))
        if self.rated is not None:
            self.rated.append(Rated(piece, evidence))
            return UNKNOWN
        words = weigh_words(evidence)
        likelihood = to_likelihood(words)
        by_words = Rating(likelihood, OF_REDACTED if self.is_redacted else BY_WORDS, likelihood)
        if self.meanings and abs(words) >= DECIDED_ODDS:
            return by_words
        if self.meanings:
            added = self.meanings.weigh(meaning.describe(self.utterances, piece))
            if added is not None:
                return Rating(to_likelihood(weigh_all(words, evidence, added)), BY_MEANING, likelihood)
        # Words alone are not enough for a number in the midst of others where nobody spoke of a code.
        return by_words if is_near or utterance.is_bare_nearby(piece) else UNKNOWN

    def is_code(self, rating: Rating, segment: int, kinds: Set[Kind], others: Set[Kind]) -> bool:
        """True if a number that the rules take for one of the kinds, or for none, is taken for a code."""
        is_spoken_of = segment - self.secret_talk <= NEAR_SEGMENTS
        return rating.likelihood >= rating.bars.find_least(kinds, others, is_spoken_of=is_spoken_of)

    def is_doubtful(self, rating: Rating, naming: Naming | None) -> bool:
        """True if a number is no code though a question for one is open."""
        is_named = naming is not None and naming.kind in ASKED_CODES
        return max(rating.likelihood, rating.by_words) < rating.bars.no_code_below and not is_named
