"""The best quotes for a custom question. Without a language model nobody answers it."""

from collections import Counter
from math import log

from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.evidence import format_quote, quote_segment
from callscope.analysis.results.findings import Quote
from callscope.analysis.results.messages import sentence
from callscope.analysis.results.schema import QuestionAnswer
from callscope.language import tokens
from callscope.language.wordlists import read_word_list

MAX_QUOTES = 3
MIN_LIKENESS = 0.34  # share of the question's meaning that a quote has to touch


def _read_stems(name: str, language: str) -> frozenset[str]:
    return frozenset(tokens.stem_words(sorted(read_word_list(__package__, f"{name}.{language}")), language))


_FRAME = {language: _read_stems("question_frame", language) for language in tokens.LANGUAGES}
_LIGHT = {language: _read_stems("question_light", language) for language in tokens.LANGUAGES}


def find_best_quotes(question: str, conversation: Conversation) -> list[Quote]:
    """Return up to MAX_QUOTES segments that speak of what the question asks, in time order.

    A quote shares the question's subject, or one of its subjects and a second
    word. There is none for a question without a subject: that somebody says
    "before" is no sign that the caller has called before.
    """
    language = conversation.language
    words = tokens.extract_content_words(question, language)
    stems = tokens.stem_words(words, language)
    asked = [word for word, stem in zip(words, stems, strict=True) if stem not in _FRAME[language]]
    keys = set(stems) - _FRAME[language]
    subjects = keys - _LIGHT[language]
    if not subjects:
        return []
    spoken = [(s, keys.intersection(tokens.stem_words(s.words, language))) for s in conversation.segments]
    segments = sum(bool(s.words) for s, _ in spoken)
    present = Counter(key for _, shared in spoken for key in shared)
    # What is said all through the call says little about where the question is answered.
    rarity = {key: log((segments + 1) / (present[key] + 1)) + 1 for key in keys}
    total = sum(rarity.values())
    ranked: list[tuple[float, Segment]] = []
    for segment, shared in spoken:
        likeness = sum(rarity[key] for key in shared) / total
        speaks_of_it = subjects <= shared or (len(shared) > 1 and not subjects.isdisjoint(shared))
        if speaks_of_it and likeness >= MIN_LIKENESS:
            ranked.append((likeness, segment))
    ranked.sort(key=lambda pair: (-pair[0], pair[1].index))
    best = sorted((s for _, s in ranked[:MAX_QUOTES]), key=lambda s: s.index)
    return [quote_segment(s, around=asked) for s in best]


def build_undetermined_answer(question: str, conversation: Conversation) -> QuestionAnswer:
    """Return the stored answer of the rules analyzer: the best quotes, and that it is not determined."""
    quotes = [format_quote(q) for q in find_best_quotes(question, conversation)]
    return {"answer": sentence("not_determined", conversation.language), "quotes": quotes}
