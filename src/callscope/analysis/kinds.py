"""Tell sentences that ask from sentences that state; speech recognition leaves the question marks out."""

import re
from functools import lru_cache

from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list

SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_REQUEST_ENDS = ("?", "please", "please.", "por favor", "por favor.")


def sentences(text: str) -> list[str]:
    return SENTENCE_END.split(text)


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
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    fillers, openings, requests = (
        "|".join(phrase_list(__package__, f"{name}.{language}"))
        for name in ("question_fillers", "question_openings", "requests")
    )
    opening = rf"^(?:(?:{fillers})\b[\s,.!]*)*(?:{openings})(?:\b|(?<=¿))"
    return re.compile(opening, re.IGNORECASE), re.compile(rf"\b(?:{requests})\b", re.IGNORECASE)
