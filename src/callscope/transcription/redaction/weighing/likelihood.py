"""Weigh what stands around a number into one likelihood that it is a code: for what no rule decides.

The weights in vocabulary/lists/code_weights.txt are those of a logistic regression over the
dialogs of `benchmarks/labeled/redaction` that may be read, found by
`benchmarks/fit_redaction.py`; how well they do on dialogs of other authors is printed by
`make quality`.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from math import exp
from typing import NamedTuple

from callscope.language.wordlists import read_phrase_list
from callscope.transcription.redaction import vocabulary
from callscope.transcription.redaction.memory import Memory
from callscope.transcription.redaction.naming import Naming
from callscope.transcription.redaction.open_questions import NEAR_SEGMENTS
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import ASKED_CODES, CARDS, SECRET_CODES, Kind, Length
from callscope.transcription.redaction.weighing.evidence import FAR, Heard, list_evidence

# From which a number of which no rule knows the kind is taken for a code, and below which one is not though a
# question for a code is open: chosen on dialogs that were left out of the fit (docs/engines.md, "Redaction").
CODE_FROM, NO_CODE_BELOW = 0.7, 0.05
UNNAMED_CODE_FROM = 0.95  # where nobody spoke of a code or a card: most numbers of most calls are none
# No number is taken in a transcript that was redacted, and none where the weights say no.
SURE, EVEN = 1.1, 0.5
UNKNOWN = 0.5  # of a number that is not rated
REDACTED = frozenset(PLACEHOLDERS[kind] for kind in ("cards", "security_codes"))
RATED_DIGITS = Length(3, 8)
START = "start"


def rate_code(evidence: Iterable[str]) -> float:
    """Return how likely a number is a code, 0 to 1, by the evidence of list_evidence()."""
    weights = read_weights()
    log_odds = weights[START] + sum(weights.get(each, 0.0) for each in set(evidence))
    return 1.0 / (1.0 + exp(-log_odds))


@cache
def read_weights() -> dict[str, float]:
    """Return evidence → weight."""
    lines = (line.split(maxsplit=1) for line in read_phrase_list(vocabulary.__name__, "code_weights"))
    return {evidence: float(weight) for weight, evidence in lines}


class Rated(NamedTuple):
    """A number that no name next to it explains, and the evidence of what it is."""

    piece: Piece
    evidence: frozenset[str]


class Rater:
    """Rates the numbers of a call, in order of speech."""

    def __init__(self, utterances: Sequence[Utterance], rated: list[Rated] | None) -> None:
        self.utterances = utterances
        self.rated = rated  # to fit the weights: what would be rated is appended, and not rated
        words = (token.word for utterance in utterances for token in utterance.tokens)
        self.is_redacted = not REDACTED.isdisjoint(words)
        self.secret_talk = -NEAR_SEGMENTS - 1  # the last segment that named a code or a card

    def hear(self, utterance: Utterance) -> None:
        """Take note of an utterance that speaks of a code or a card."""
        if any(name.kind in ASKED_CODES | CARDS for name in utterance.names):
            self.secret_talk = utterance.index

    def rate(self, piece: Piece, naming: Naming | None, memory: Memory, asked: Sequence[Kind]) -> float:
        """Return how likely a number is a code, 0 to 1; UNKNOWN where its name or its length tells."""
        is_called = naming is not None and (naming.is_linked or naming.letters > 0)
        if len(piece.digits) not in RATED_DIGITS or is_called or memory.find_other(piece):
            return UNKNOWN
        utterance = self.utterances[piece.segment]
        is_near = piece.segment - self.secret_talk <= NEAR_SEGMENTS
        if self.rated is None and not is_near and not utterance.is_bare_nearby(piece):
            return UNKNOWN  # the weights alone are not enough there
        card, code = (memory.find_latest(kinds) for kinds in ((Kind.CARD,), SECRET_CODES))
        heard = Heard(
            card_distance=min(FAR, piece.segment - card.segment) if card else FAR,
            code_distance=min(FAR, piece.segment - code.segment) if code else FAR,
            is_as_long=code is not None and len(code.digits) == len(piece.digits),
            asked=asked,
        )
        evidence = list_evidence(self.utterances, piece, heard)
        if self.rated is not None:
            self.rated.append(Rated(piece, frozenset(evidence)))
            return UNKNOWN
        return rate_code(evidence)

    def is_code(self, likelihood: float, segment: int) -> bool:
        """True if a number of which no rule knows the kind is taken for a code."""
        is_spoken_of = segment - self.secret_talk <= NEAR_SEGMENTS
        return likelihood >= (SURE if self.is_redacted else CODE_FROM if is_spoken_of else UNNAMED_CODE_FROM)

    def is_doubtful(self, likelihood: float, naming: Naming | None) -> bool:
        """True if a number is no code though a question for one is open."""
        is_named = naming is not None and naming.kind in ASKED_CODES
        return likelihood < (EVEN if self.is_redacted else NO_CODE_BELOW) and not is_named
