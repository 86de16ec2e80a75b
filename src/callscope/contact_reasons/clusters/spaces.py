"""The space in which the topics of a project are compared with each other.

Meaning and words together: the directions in which the meanings of these topics differ most, and next
to them their stems, weighed by rarity. Each alone groups worse (ADR 22). Rows depend on all topics, so they
are never stored; what is stored are the vectors of the embedder, one text at a time.
"""

from dataclasses import dataclass

import numpy as np

from callscope.contact_reasons.clusters.clustering import Spread
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder, scale_to_unit
from callscope.engines.embeddings.protocol import Embedder, Vectors

DIRECTIONS = 100  # of meaning that are kept
WORDS = 0.8  # length of the words' part next to that of meaning
FEW = 100  # topics from which their mean says half of what they have in common
TOGETHER = Spread(within=0.57, apart=0.26)
BY_LARGER_MODELS = Spread(within=0.5, apart=0.23)  # with words, too: texts of one meaning lie closer
BY_WORDS = Spread(within=0.56, apart=0.35)
BY_MEANING = Spread(within=0.54, apart=0.15)


@dataclass(frozen=True, slots=True)
class Space:
    """Topics as the embedder reads each, and as they are compared with each other."""

    vectors: Vectors
    compared: Vectors
    spread: Spread  # of `compared`


def place_topics(embedder: Embedder, topics: list[str]) -> Space:
    """Return the vectors of topics. Raises the errors of the embedding engine."""
    # Words come first: folding them takes as much memory as the vectors, which are kept.
    words = LexicalEmbedder().encode_corpus(topics)
    vectors = embedder.encode(topics)
    if not embedder.is_semantic:
        return Space(vectors, words, BY_WORDS)
    joined = np.hstack([_center(vectors), WORDS * words])
    is_built_in = embedder.id == BuiltInEmbedder().id
    return Space(vectors, scale_to_unit(joined), TOGETHER if is_built_in else BY_LARGER_MODELS)


def stored_spread(embedder: Embedder) -> Spread:
    """Return the spread of the vectors that the embedder gives single texts."""
    return BY_MEANING if embedder.is_semantic else BY_WORDS


def _center(vectors: Vectors) -> Vectors:
    """Return the rows without what all have in common, in their main directions, of unit length."""
    count = len(vectors)
    # A few topics are all alike because they are few: their mean is taken off in part.
    mean = vectors.mean(axis=0, dtype=np.float64) * count / (count + FEW)
    total = vectors.sum(axis=0, dtype=np.float64)
    products = (vectors.T @ vectors).astype(np.float64)
    products += count * np.outer(mean, mean) - np.outer(total, mean) - np.outer(mean, total)
    _, directions = np.linalg.eigh(products)
    kept = directions[:, ::-1][:, :DIRECTIONS].astype(np.float32)
    return scale_to_unit(np.asarray(vectors @ kept - (mean @ kept).astype(np.float32), dtype=np.float32))
