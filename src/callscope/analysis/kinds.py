"""Tell what a sentence does: it asks, offers, states, or only names something.

Speech recognition leaves the question marks out, so openings tell as well.
"""

import re
from functools import lru_cache
from typing import Literal

from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list, word_list

Kind = Literal["asks", "offers", "states", "names"]

SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<!\bdr\.)(?<!\bmrs\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bst\.)(?<!\bsr\.)(?<!\bsra\.)(?<!\bdra\.)(?<!\bsrta\.)\s+",
    re.IGNORECASE,
)
MOST_WORDS_OF_A_NAME = 6
_REQUEST_ENDS = ("?", "please", "please.", "por favor", "por favor.")


def sentences(text: str) -> list[str]:
    return SENTENCE_END.split(text)


def clauses(text: str, language: str) -> list[str]:
    """Return the sentences, those apart that end in a question: "The room is free, | shall I book it?"."""
    return [c for s in sentences(text) for c in _question_after_comma(language).split(s) if c.strip()]


@lru_cache(maxsize=10_000)
def kind(sentence: str, language: str) -> Kind:
    """Return what a sentence does; "account number" names, "I can book it" offers."""
    if asks(sentence, language):
        return "asks"
    said = words.words(sentence)
    if len(said) <= MOST_WORDS_OF_A_NAME and _finite(language).isdisjoint(said):
        return "names"
    return "offers" if _offer(language).match(sentence.strip()) else "states"


@lru_cache(maxsize=10_000)
def asks(sentence: str, language: str) -> bool:
    """Whether a sentence asks for something, told by its end, its opening or its request."""
    stripped = sentence.strip()
    opening, request = _patterns(language)
    return stripped.casefold().endswith(_REQUEST_ENDS) or bool(
        opening.match(stripped) or request.search(stripped)
    )


@lru_cache(maxsize=10_000)
def denies(text: str) -> bool:
    return not words.NEGATIONS.isdisjoint(words.words(text))


@lru_cache(maxsize=2)
def _finite(language: str) -> frozenset[str]:
    return word_list(__package__, f"finite.{language}")


@lru_cache(maxsize=2)
def _offer(language: str) -> re.Pattern[str]:
    return re.compile("|".join(phrase_list(__package__, f"offers.{language}")), re.IGNORECASE)


@lru_cache(maxsize=2)
def _question_after_comma(language: str) -> re.Pattern[str]:
    openings = "|".join(phrase_list(__package__, f"later_questions.{language}"))
    return re.compile(rf",\s+(?={openings})", re.IGNORECASE)


@lru_cache(maxsize=2)
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    fillers, openings, requests = (
        "|".join(phrase_list(__package__, f"{name}.{language}"))
        for name in ("question_fillers", "question_openings", "requests")
    )
    opening = rf"^(?:(?:{fillers})\b[\s,.!]*)*(?:{openings})(?:\b|(?<=¿))"
    return re.compile(opening, re.IGNORECASE), re.compile(rf"\b(?:{requests})\b", re.IGNORECASE)
