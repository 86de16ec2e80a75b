"""The customer's sentiment from the customer's words: a weak sign, and labelled so.

English by VADER, Spanish by an own list of words. Courtesies ("thank you",
"please", "have a nice day") are said in good and bad calls alike and are left
out. Nobody's voice is judged, and never the agent.
"""

import re
from functools import lru_cache
from typing import Any, Literal

from callscope.analysis.conversation import Conversation
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list

Sentiment = Literal["positive", "neutral", "negative"]

LEAST_WORDS = 4  # of the customer; below that there is nothing to tell from
POSITIVE_FROM = 0.35
NEGATIVE_FROM = -0.4  # of the mean, where no word of displeasure was said
LEAST_TROUBLES = 4  # sentences below zero for that
APPEASED_FROM = 0.4  # a displeased customer who ends up this content is not counted as negative

_COURTESIES = {
    language: re.compile(
        rf"\b(?:{'|'.join(phrase_list(__package__, f'courtesies.{language}'))})\b", re.IGNORECASE
    )
    for language in words.LANGUAGES
}
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n")

_STRONGER = frozenset(("muy", "tan", "super", "totalmente", "absolutamente", "completamente", "demasiado"))


def customer_sentiment(conversation: Conversation) -> Sentiment | None:
    """Return the sentiment of the customer's words.

    None when it cannot be told: no words that are known to be the customer's,
    or too few of them.
    """
    said = [s.text for s in conversation.said_by("customer")]
    if sum(len(words.words(text)) for text in said) < LEAST_WORDS:
        return None
    marks = [mark for text in said for mark in _marks(text, conversation.language) if mark]
    displeased = sum(_is_displeased(text, conversation.language) for text in said)
    if not marks:
        return "negative" if displeased else "neutral"
    # The end of a call tells more than its beginning: weights grow from 1 to 2.
    weights = [1 + i / max(len(marks) - 1, 1) for i in range(len(marks))]
    mean = sum(w * m for w, m in zip(weights, marks, strict=True)) / sum(weights)
    if displeased and (mean < APPEASED_FROM or displeased >= 3):
        return "negative"
    # Without a word of displeasure a list of troubles is what the call is about, not how the customer feels.
    if mean <= NEGATIVE_FROM and sum(m < 0 for m in marks) >= LEAST_TROUBLES:
        return "negative"
    return "positive" if mean >= POSITIVE_FROM and not displeased else "neutral"


def _is_displeased(text: str, language: str) -> bool:
    told = f" {' '.join(words.words(text))} "
    return any(expression in told for expression in _displeasure(language))


@lru_cache(maxsize=2)
def _displeasure(language: str) -> list[str]:
    return [f" {' '.join(words.words(e))} " for e in phrase_list(__package__, f"displeasure.{language}")]


def _marks(text: str, language: str) -> list[float]:
    plain = re.sub(r"\[[^\]]*\]", " ", text)
    sentences = [_COURTESIES[language].sub(" ", s) for s in _SENTENCES.split(plain)]
    judge = _english if language == "en" else _spanish
    return [judge(s) for s in sentences if s.strip()]


def _english(text: str) -> float:
    return float(_vader().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _spanish_feelings() -> dict[str, float]:
    lines = [line.split() for line in phrase_list(__package__, "feelings.es")]
    return {word: float(weight) for weight, *listed in lines for word in listed}


@lru_cache(maxsize=1)
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def _spanish(text: str) -> float:
    """Return −1 to 1 by the listed words, a negation just before one turning it round."""
    feelings, total, tokens = _spanish_feelings(), 0.0, words.words(text)
    for i, token in enumerate(tokens):
        value = feelings.get(token, 0.0)
        if not value:
            continue
        before = tokens[max(0, i - 3) : i]
        if any(w in _STRONGER for w in before[-1:]):
            value *= 1.4
        if any(w in words.NEGATIONS or w == "no" for w in before) and abs(value) < 0.8:
            value *= -0.7
        total += value
    return max(-1.0, min(1.0, total))
