"""What the words around a number mean: how near they are to those with which codes were asked for and given.

No list holds the words of every trade: "What do you tap in at the gate?" names no code. A sentence
encoder turns the turn before and the words around the number into a vector each, and the weights in
vocabulary/lists/code_meanings.txt (by `benchmarks/fit_redaction.py`) say what they add to the likelihood.
The encoder runs in this process: what is not redacted yet is sent nowhere.
"""

from collections.abc import Sequence
from functools import cache
from math import fsum
from typing import NamedTuple

import numpy as np

from callscope.engines.embeddings.protocol import Embedder, Vectors
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.weighing.weights import read_weight_list

ENCODER = "use-multilingual-3/0.2.1"  # whose vectors the weights are for
NUMBER = "#"  # in place of any number
TURN_WORDS = 30  # of the turn before, the last ones
WORDS_BEFORE, WORDS_AFTER = 12, 8  # around the number
MOST_TEXTS = 600  # of a transcript: 1.5 s; further numbers are weighed by their words alone
START, WORDS = "start", "words"
DIGITS = 2  # decimals that count: machines differ in the last ones


class Said(NamedTuple):
    """What is said about a number."""

    before: str  # the end of the turn before
    around: str  # the words of its own turn


class Meanings:
    """Weighs what is said about the numbers of one transcript."""

    def __init__(self, encoder: Embedder) -> None:
        self.encoder = encoder
        self.weighed: dict[tuple[str, str], float] = {}  # field of Said, text → what it adds

    def weigh(self, said: Said) -> float | None:
        """Return what the meaning adds to the log-odds of a code; None where enough texts were read."""
        parts = list(zip(Said._fields, said, strict=True))
        unread = [part for part in parts if part not in self.weighed]
        if len(self.weighed) + len(unread) > MOST_TEXTS:
            return None
        if unread:
            _, weights = read_weights()
            vectors = self.encoder.encode([text for _, text in unread])
            for (field, text), vector in zip(unread, vectors, strict=True):
                self.weighed[field, text] = round(float(vector @ weights[field]), DIGITS)
        return fsum(self.weighed[part] for part in parts)


@cache
def read_weights() -> tuple[dict[str, float], dict[str, Vectors]]:
    """Return the weights of what has a name (START, WORDS, evidence), and those of the vectors of Said."""
    named = read_weight_list("code_meanings")
    vectors = {}
    for field in Said._fields:
        parts = sorted(name for name in named if name.startswith(f"{field} "))
        vectors[field] = np.array([named.pop(part) for part in parts], dtype=np.float32)
    return named, vectors


def describe(utterances: Sequence[Utterance], piece: Piece) -> Said:
    """Return the end of the turn before a number and the words around it, every number as NUMBER."""
    own = utterances[piece.segment]
    around = mask_numbers(own, piece.tokens[0] - WORDS_BEFORE, piece.tokens[-1] + 1 + WORDS_AFTER)
    if not piece.segment:
        return Said("", around)
    before = utterances[piece.segment - 1]
    return Said(mask_numbers(before, len(before.tokens) - TURN_WORDS, len(before.tokens)), around)


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
