"""What the words around a number mean: how near they are to those with which codes were asked for and given.

No list holds the words of every trade: "What do you tap in at the gate?" names no code. A sentence
encoder turns the turn before and the words around the number into one vector, and the weights in
vocabulary/lists/code_meanings.txt (by `benchmarks/fit_redaction.py`) say what it adds to the likelihood.
The encoder runs in this process: what is not redacted yet is sent nowhere.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from callscope.engines.embeddings.protocol import Embedder, Vectors
from callscope.language.wordlists import read_phrase_list
from callscope.transcription.redaction import vocabulary
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance

ENCODER = "use-multilingual-3/0.2.1"  # whose vectors the weights are for
NUMBER = "#"  # in place of any number
TURN_WORDS = 30  # of the turn before, the last ones
WORDS_BEFORE, WORDS_AFTER = 12, 8  # around the number
MOST_TEXTS = 400  # of a transcript: 1 s; further numbers are weighed by their words alone
START, WORDS = "start", "words"
DIGITS = 2  # decimals that count: machines differ in the last ones


class Meanings:
    """Weighs what is said around the numbers of one transcript."""

    def __init__(self, encoder: Embedder) -> None:
        self.encoder = encoder
        self.weighed: dict[str, float] = {}

    def weigh(self, text: str) -> float | None:
        """Return what the meaning adds to the log-odds of a code; None where enough texts were read."""
        if text not in self.weighed:
            if len(self.weighed) >= MOST_TEXTS:
                return None
            _, weights = read_weights()
            self.weighed[text] = round(float(self.encoder.encode([text])[0] @ weights), DIGITS)
        return self.weighed[text]


@cache
def read_weights() -> tuple[dict[str, float], Vectors]:
    """Return the weights of what has a name (START, WORDS, evidence), and those of a vector."""
    pairs = [line.split(maxsplit=1) for line in read_phrase_list(vocabulary.__name__, "code_meanings")]
    named = {name: float(weight) for weight, name in pairs if not name.isdecimal()}
    vector = np.array([float(weight) for weight, name in pairs if name.isdecimal()], dtype=np.float32)
    return named, vector


def describe(utterances: Sequence[Utterance], piece: Piece) -> str:
    """Return the end of the turn before a number and the words around it, every number as NUMBER."""
    own = utterances[piece.segment]
    around = mask_numbers(own, piece.tokens[0] - WORDS_BEFORE, piece.tokens[-1] + 1 + WORDS_AFTER)
    if not piece.segment:
        return around
    before = utterances[piece.segment - 1]
    return f"{mask_numbers(before, len(before.tokens) - TURN_WORDS, len(before.tokens))} {around}".strip()


def mask_numbers(utterance: Utterance, first: int, end: int) -> str:
    """Return the text of the tokens with NUMBER for each number, and the question mark after them."""
    tokens, text = utterance.tokens[max(0, first) : end], utterance.text
    if not tokens:
        return ""
    parts: list[str] = []
    at = tokens[0].start
    for token in tokens:
        if not token.digits:
            parts += [text[at : token.start], text[token.start : token.end]]
        elif parts[-1:] != [NUMBER]:
            parts += [text[at : token.start], NUMBER]
        at = token.end
    return "".join([*parts, "?" * ("?" in text[at : at + 2])])
