"""Which code of a predefined list fits a call, what was said for it, and how sure that is."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from callscope.analysis.conversation.turns import Conversation, Segment, Turn
from callscope.analysis.evidence import format_quote, quote_segment
from callscope.analysis.matching import phrases
from callscope.analysis.matching.phrases import PhraseMatch
from callscope.engines.embeddings.lexical import scale_to_unit
from callscope.engines.embeddings.protocol import Embedder, Vectors
from callscope.language import tokens
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import ContactReasons, Pattern, ReasonCode
from callscope.projects.configuration_rules import list_texts

# Likeness of a topic with what a code means, where no phrase of any code was said; measured on labeled
# sentences (ADR 24). Without a phrase a code has only the words of its name, which few topics are near to.
MIN_LIKENESS = 0.5
MIN_LIKENESS_WITHOUT_PHRASES = 0.4
MIN_SHARE_OF_WORDS = 0.3  # of a topic, said by the texts of the code, where meanings cannot be compared
EXAMPLES = 8  # phrases of a code that say what it means


@dataclass(frozen=True, slots=True)
class CodeEvidence:
    """What was said for a code, "[MM:SS] words" or "", and how sure the choice is, 0 to 1."""

    quote: str
    confidence: float


def choose_reason_code(
    reasons: ContactReasons, topic: str, conversation: Conversation, embedder: Embedder
) -> str:
    """Return the code of a predefined list that fits the call, "" if none does.

    The code whose phrases the customer uses first and most; else the one whose
    name, description and first phrases share most with the topic.
    """
    if reasons.mode != "predefined":
        return ""
    said = _find_phrases(reasons, conversation)
    best_said, best_code = (0, 0), ""
    for code, matches in said.items():
        count = (len(matches), -min((m.segment.index for m in matches), default=0))
        if count > best_said:
            best_said, best_code = count, code
    if best_code or not topic or not reasons.codes:
        return best_code
    return choose_by_topic(reasons, [topic], conversation.language, embedder)[0]


def choose_by_topic(
    reasons: ContactReasons, topics: Sequence[str], language: str, embedder: Embedder
) -> list[str]:
    """Return the code whose own words are most like each topic, "" where none is near enough."""
    least = [
        (MIN_LIKENESS if list_texts(code.phrases) else MIN_LIKENESS_WITHOUT_PHRASES)
        if embedder.is_semantic
        else MIN_SHARE_OF_WORDS
        for code in reasons.codes
    ]
    chosen = []
    for likeness in _compare_to_codes(topics, reasons.codes, language, embedder):
        best = max(range(len(likeness)), key=likeness.__getitem__)
        chosen.append(reasons.codes[best].code if likeness[best] >= least[best] else "")
    return chosen


def explain_code(
    reasons: ContactReasons, code: str, topic: str, conversation: Conversation, embedder: Embedder
) -> CodeEvidence:
    """Return what was said for the code that a call got, from rules or a model; "" stands for none.

    Where phrases were said, it is as sure as their share among the phrases of all codes; else as the
    topic is like the code, or unlike each of them.
    """
    said = _find_phrases(reasons, conversation)
    if own := said.get(code):
        first = min(own, key=lambda match: match.segment.index)
        count = sum(len(matches) for matches in said.values())
        return CodeEvidence(
            format_quote(quote_segment(first.segment, around=first.heard)), round(len(own) / count, 2)
        )
    quote = quote_topic(topic, conversation)
    if not topic or not reasons.codes:
        return CodeEvidence(quote, 0.0)
    likeness = _compare_to_codes([topic], reasons.codes, conversation.language, embedder)[0]
    by_code = dict(zip((each.code for each in reasons.codes), likeness, strict=True))
    sure = by_code[code] if code in by_code else 1 - max(likeness)
    return CodeEvidence(quote, round(min(max(sure, 0.0), 1.0), 2))


def _find_phrases(reasons: ContactReasons, conversation: Conversation) -> dict[str, list[PhraseMatch]]:
    """Return for each code where its phrases are said, by the customer where that is known."""
    turns = list(conversation.turns(_heard(conversation)))
    return {
        code.code: [m for p in code.phrases if (m := _find(p, turns, conversation.language))]
        for code in reasons.codes
    }


def _find(phrase: str | Pattern, turns: Sequence[Turn], language: str) -> PhraseMatch | None:
    """Return where a phrase of a code is said; a pattern that takes too long finds nothing."""
    with suppress(PatternTooSlow):
        return phrases.find_phrase([phrase], turns, language)
    return None


def _compare_to_codes(
    topics: Sequence[str], codes: Sequence[ReasonCode], language: str, embedder: Embedder
) -> list[list[float]]:
    """Return for each code how like each topic is to the middle of its texts, 1 is the same; a row a topic.

    By words alone it is how much of the topic the texts of the code say.
    """
    described = tuple(
        (f"{code.code}. {code.description}", *list_texts(code.phrases)[:EXAMPLES]) for code in codes
    )
    if embedder.is_semantic:
        centers = _find_centers(embedder, described)  # type: ignore[arg-type]  # objects are hashable
        return [[float(row @ own) for own in centers] for row in embedder.encode(topics)]
    said = [_read_stems(". ".join(texts), language) for texts in described]
    rows = []
    for topic in topics:
        asked = _read_stems(topic, language)
        rows.append([len(asked & words) / len(asked) if asked else 0.0 for words in said])
    return rows


@lru_cache(maxsize=8)  # one list after the other for every call of a project
def _find_centers(embedder: Embedder, described: tuple[tuple[str, ...], ...]) -> Vectors:
    vectors = embedder.encode([text for texts in described for text in texts])
    starts = np.cumsum([0, *(len(texts) for texts in described[:-1])])
    return scale_to_unit(np.add.reduceat(vectors, starts))


def _read_stems(text: str, language: str) -> frozenset[str]:
    return frozenset(tokens.stem_words(tokens.extract_content_words(text, language), language))


def quote_topic(topic: str, conversation: Conversation) -> str:
    """Return the first passage that says most of the topic, "" where none says anything of it."""
    language = conversation.language
    words = tokens.extract_content_words(topic, language)
    asked = set(tokens.stem_words(words, language))

    def count_said(segment: Segment) -> int:
        said = tokens.extract_content_words(segment.text, language)
        return len(asked.intersection(tokens.stem_words(said, language)))

    best = max(_heard(conversation), key=count_said, default=None)
    return format_quote(quote_segment(best, around=words)) if best and count_said(best) else ""


def _heard(conversation: Conversation) -> list[Segment]:
    return [s for s in conversation.segments if s.speaker != "agent"] or list(conversation.segments)
