"""Bring the cosines of an embedder to the scale of the default one, which the weights were fitted to.

One model puts what has nothing in common at 0.2, another at 0.8. `lists/reference_pairs` holds
sentences that say the same, and others: where their cosines lie says what the cosine of a
call means. A model that cannot tell sentences apart is not asked.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.language.wordlists import read_phrase_list

MIN_GAP = 0.05  # between the mean cosines of what says the same and of what does not
_known: dict[str, "Line"] = {}


class Line(NamedTuple):
    """Two points that a cosine is measured by."""

    other: float  # the mean of what does not say the same
    same: float

    @property
    def tells_apart(self) -> bool:
        """False where what says the same is hardly nearer than what does not."""
        return self.same - self.other >= MIN_GAP

    def place(self, cosine: float, like: "Line") -> float:
        """Return the cosine that lies between the points of `like` as this one lies between ours, 0 to 1."""
        share = (cosine - self.other) / (self.same - self.other)
        return min(1.0, max(0.0, like.other + share * (like.same - like.other)))


DEFAULT = Line(0.095, 0.645)  # of the default encoder


def read_scale(embedder: Embedder) -> Line:
    """Return the scale of an embedder, measured once a process with one request.

    One that tells nothing apart is measured again the next time: its server may have been at fault.
    """
    if isinstance(embedder, BuiltInEmbedder):
        return DEFAULT
    line = _known.get(embedder.id) or _measure(embedder)
    if line.tells_apart:
        _known[embedder.id] = line
    return line


def _measure(embedder: Embedder) -> Line:
    pairs = load_pairs()
    texts = list(dict.fromkeys(text for _, *two in pairs for text in two))
    vectors = dict(zip(texts, embedder.encode(texts), strict=True))

    def mean(name: str) -> float:
        return float(np.mean([vectors[one] @ vectors[other] for kind, one, other in pairs if kind == name]))

    return Line(mean("other"), mean("same"))


@lru_cache(maxsize=1)
def load_pairs() -> Sequence[tuple[str, str, str]]:
    """Return the reference pairs: "same" or "other", and the two texts."""
    pairs = []
    for line in read_phrase_list(__package__, "reference_pairs"):
        kind, _, texts = line.partition(": ")
        one, _, other = texts.partition(" | ")
        pairs.append((kind, one, other))
    return pairs
