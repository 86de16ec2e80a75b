"""What the classifier of a code goes by: topics that are typical of its calls, in the callers' words."""

import contextlib
from collections.abc import Collection, Mapping

import numpy as np

from callscope.engines.embeddings.protocol import Embedder
from callscope.engines.errors import EngineUnavailable
from callscope.language.tokens import extract_content_words, tokenize

MOST_PHRASES = 8  # of one code
COMPARED = 30  # topics, the most frequent ones, of which the most central are taken
MIN_CONTENT_WORDS = 2  # "invoice" alone is said in calls of many kinds


def choose_phrases(
    counts: Mapping[str, int], language: str, embedder: Embedder | None, foreign: Collection[str] = ()
) -> list[str]:
    """Return topics that say what a reason is about, the most typical first.

    `counts` has the calls of each topic, `foreign` the topics that more calls elsewhere have. Where the
    embedder is away or None, the most frequent topics stand for the reason.
    """
    usable = [
        topic
        for topic in sorted(counts, key=lambda each: (-counts[each], each))
        if topic not in foreign and len(extract_content_words(topic, language)) >= MIN_CONTENT_WORDS
    ][:COMPARED]
    if not usable:
        return []
    calls = np.array([counts[topic] for topic in usable], dtype=np.float64)
    centrality = np.zeros(len(usable))
    if embedder is not None:
        with contextlib.suppress(EngineUnavailable):
            vectors = embedder.encode(usable)
            centrality = (vectors @ (vectors * calls[:, None]).sum(axis=0)) / calls.sum()
    chosen: dict[tuple[str, ...], str] = {}
    for row in np.lexsort((np.arange(len(usable)), -calls, -centrality.round(6))).tolist():
        chosen.setdefault(tuple(tokenize(usable[row])), usable[row])
    return list(chosen.values())[:MOST_PHRASES]
