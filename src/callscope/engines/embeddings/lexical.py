"""The embedder without a model: hashed stems and letter groups. Needs no weights and no fitting.

The same text gives the same vector in every process and every version with the
same id, so stored centroids stay comparable. encode_corpus() is the sharper
reading when all texts are known at once: it weighs rare words up and folds
words that occur together.
"""

import zlib
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from callscope.engines.embeddings.protocol import Vectors
from callscope.language.detect import guess_language
from callscope.language.tokens import STOP_WORDS, stem_words, tokenize

if TYPE_CHECKING:
    from scipy import sparse

DIMENSIONS = 1024  # of the stored vectors; two unlike texts come out at 0 ± 0.03
FEATURES = 1 << 18  # of the sparse space in which a corpus is read
SVD_DIMENSIONS = 128
BLOCK = 4096  # rows scaled at once
LARGE = 20_000  # texts from which a corpus is folded in single precision, at half of the memory


@dataclass(frozen=True, slots=True)
class _Weights:
    """What a feature of each kind counts; a stem that carries meaning counts 1."""

    stop_word: float
    pair: float
    letters: float  # of all letter groups of one word together


STORED = _Weights(stop_word=0.15, pair=0.6, letters=0.35)  # part of what the id promises
CORPUS = _Weights(stop_word=0.05, pair=0.3, letters=0.5)  # small words and order distinguish wishes badly


class LexicalEmbedder:
    """Likeness by stems, pairs of stems and groups of three to five letters."""

    id = "lexical-1"
    is_semantic = False
    hosts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, zeros for a text without words."""
        result = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _extract_features(text, STORED).items():
                position, sign = _hash_feature(feature)
                result[row, position] += sign * weight
        return scale_to_unit(result)

    def encode_corpus(self, texts: Sequence[str]) -> Vectors:
        """Return rows of unit length in a space of these texts alone, for comparing them with each other."""
        weighted = weigh_by_rarity(count_features(texts))
        if not weighted.shape[1]:
            return np.zeros((len(texts), 1), dtype=np.float32)
        if min(weighted.shape) <= SVD_DIMENSIONS + 1:
            return scale_to_unit(np.asarray(weighted.todense(), dtype=np.float32))
        # Imported here: it takes a second that only a regrouping of many topics has to wait.
        from scipy import sparse
        from sklearn.decomposition import TruncatedSVD

        lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
        weighted = sparse.diags(1 / np.maximum(lengths, 1e-9)) @ weighted
        if len(texts) > LARGE:
            weighted = weighted.astype(np.float32)
        svd = TruncatedSVD(SVD_DIMENSIONS, n_iter=4, random_state=0)
        return scale_to_unit(np.asarray(svd.fit_transform(weighted), dtype=np.float32))


def weigh_by_rarity(counts: "sparse.csr_matrix") -> "sparse.csr_matrix":
    """Return the features that are there, rare ones weighed up; takes the place of `counts`."""
    present = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    used = np.flatnonzero(present)
    rarity = np.log((1 + counts.shape[0]) / (1 + present[used])) + 1
    weighted = counts[:, used]
    weighted.data *= rarity[weighted.indices]
    return weighted


def count_features(texts: Sequence[str]) -> "sparse.csr_matrix":
    from scipy import sparse

    columns, values, ends = array("i"), array("d"), array("q", [0])  # lists take four times the memory
    for text in texts:
        for feature, weight in _extract_features(text, CORPUS).items():
            columns.append(zlib.crc32(feature.encode()) % FEATURES)
            values.append(weight)
        ends.append(len(columns))
    read = (np.frombuffer(values), np.frombuffer(columns, dtype=np.intc), np.frombuffer(ends, dtype=np.int64))
    matrix = sparse.csr_matrix(read, shape=(len(texts), FEATURES), dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    return matrix


def _extract_features(text: str, weights: _Weights) -> dict[str, float]:
    """Return weighted features: `w:` stems, `p:` neighboring pairs, `l:` groups of letters."""
    language = guess_language(text) or "en"
    tokens = tokenize(text)
    stop = STOP_WORDS[language]
    found: dict[str, float] = defaultdict(float)
    stemmed = stem_words(tokens, language)
    content = [s for t, s in zip(tokens, stemmed, strict=True) if t not in stop]
    for token, stem in zip(tokens, stemmed, strict=True):
        found[f"w:{stem}"] += weights.stop_word if token in stop else 1.0
    for left, right in pairwise(content):
        found[f"p:{left} {right}"] += weights.pair
    for stem in content:
        groups = _letter_groups(stem)
        for group in groups:
            found[f"l:{group}"] += weights.letters / len(groups) ** 0.5
    return found


@lru_cache(maxsize=50_000)
def _letter_groups(stem: str) -> tuple[str, ...]:
    padded = f" {stem} "
    return tuple(padded[i : i + n] for n in (3, 4, 5) for i in range(len(padded) - n + 1))


@lru_cache(maxsize=200_000)
def _hash_feature(feature: str) -> tuple[int, int]:
    code = zlib.crc32(feature.encode())
    return code % DIMENSIONS, 1 if (code >> 16) & 1 else -1


def scale_to_unit(rows: Vectors) -> Vectors:
    """Bring the rows to unit length in their own place, and return them; rows of zeros stay."""
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        lengths = np.linalg.norm(block, axis=1, keepdims=True)
        np.divide(block, lengths, out=block, where=lengths > 0)
    return rows
