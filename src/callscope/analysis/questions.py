"""The best quotes for a custom question. Without a language model nobody answers it."""

from collections import Counter
from math import log

from callscope.analysis.conversation import Conversation, Segment
from callscope.analysis.evidence import quote_segment, shown
from callscope.analysis.findings import Quote
from callscope.analysis.sentences import sentence
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import word_list

MAX_QUOTES = 3
LEAST_LIKENESS = 0.34  # share of the question's meaning that a quote has to touch

_FRAME = {language: word_list(__package__, f"question_frame.{language}") for language in words.LANGUAGES}


def best_quotes(question: str, conversation: Conversation) -> list[Quote]:
    """Return up to MAX_QUOTES segments that speak of what the question asks, in time order."""
    language = conversation.language
    asked = [w for w in words.content_words(question, language) if w not in _FRAME[language]]
    keys = set(words.stems(asked, language))
    if not keys:
        return []
    spoken = [(s, set(words.stems(s.words, language))) for s in conversation.segments if s.words]
    weights = _rarity(keys, [found for _, found in spoken])
    total = sum(weights.values())
    ranked: list[tuple[float, Segment]] = []
    for segment, found in spoken:
        likeness = sum(weights[k] for k in keys & found) / total
        if likeness >= LEAST_LIKENESS:
            ranked.append((likeness, segment))
    ranked.sort(key=lambda pair: (-pair[0], pair[1].index))
    best = sorted((s for _, s in ranked[:MAX_QUOTES]), key=lambda s: s.index)
    return [quote_segment(s, around=asked) for s in best]


def undetermined(question: str, conversation: Conversation) -> dict[str, object]:
    """Return the stored answer of the rules analyser: the best quotes, and that it is not determined."""
    quotes = [shown(q) for q in best_quotes(question, conversation)]
    return {"answer": sentence("not_determined", conversation.language), "quotes": quotes}


def _rarity(keys: set[str], spoken: list[set[str]]) -> dict[str, float]:
    present = Counter(k for found in spoken for k in keys & found)
    return {k: log((len(spoken) + 1) / (present[k] + 1)) + 1 for k in keys}
