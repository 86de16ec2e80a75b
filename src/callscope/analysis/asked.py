"""Find what a question asks for: "Could you tell me the name of the hotel?" asks for the hotel.

Two questions are alike when they ask for the same thing; the words around it
("would you like to stay at") tell less. Statements have no such words.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list, word_list

OPENING_WORDS = 6  # among which a question word opens a question: "And then, at what time"


@lru_cache(maxsize=10_000)
def without_frame(sentence: str, language: str) -> str:
    """Return a question without the words it is wrapped in ("could you tell me", "I need")."""
    text = sentence.strip()
    frame = _frame(language).match(text)
    rest = text[frame.end() :] if frame else text
    return rest if words.words(rest) else text


def places(tokens: Sequence[str], language: str) -> frozenset[int]:
    """Return the places of the words that name what is asked for; all places where that is not told.

    "Which day suits you": which, day. "When do you arrive": when. "Your account
    number": account, number. "Have you paid the fee": every word.
    """
    lists = _lists(language)
    everything = frozenset(range(len(tokens)))
    question = next((i for i, t in enumerate(tokens[:OPENING_WORDS]) if t in lists.question_words), None)
    if question is None:
        is_yes_or_no = bool(tokens) and tokens[0] in lists.ends and tokens[0] not in lists.determiners
        return everything if is_yes_or_no else (_name_from(tokens, 0, lists) or everything)
    if tokens[question] in lists.telling:
        return frozenset((question,))
    after = question + 1
    if tokens[question] in lists.both:
        after += after < len(tokens) and tokens[after] in lists.links  # "cómo de grande"
        return frozenset((question,)) | _name_from(tokens, after, lists)
    if after < len(tokens) and tokens[after] in lists.copulas:
        return frozenset((question,)) | _name_from(tokens, after + 1, lists)
    if after < len(tokens) and tokens[after] in lists.ends:  # "what would you like to change"
        return frozenset(range(after, len(tokens)))
    return frozenset((question,)) | _name_from(tokens, after, lists)


def telling_words(language: str) -> frozenset[str]:
    """Return the question words that say themselves what is asked: when, where, who."""
    return _lists(language).telling | _lists(language).both


def joining_words(language: str) -> frozenset[str]:
    """Return the question words that ask together with the next word: "how many"."""
    return _lists(language).both


def _name_from(tokens: Sequence[str], start: int, lists: "_Lists") -> frozenset[int]:
    """Return the places of the name of a thing that begins at `start`: "name of your doctor"."""
    found: list[int] = []
    for place in range(start, len(tokens)):
        token = tokens[place]
        if token in lists.determiners:
            continue
        if token in lists.links:
            if place == start or tokens[place - 1] not in lists.generic:  # "colour | of the cable"
                break
            continue
        if token in lists.ends:
            break
        found.append(place)
    return frozenset(found)


class _Lists:
    """The small words of a language by which a question is taken apart."""

    links = frozenset(("of", "de", "del"))
    copulas = frozenset(("is", "are", "was", "were", "es", "son", "era", "fue"))

    def __init__(self, language: str) -> None:
        by_line = [frozenset(line.split()) for line in phrase_list(__package__, f"question_words.{language}")]
        self.telling, _named_after, self.both = by_line
        self.question_words = frozenset().union(*by_line)
        self.ends = word_list(__package__, f"noun_phrase_ends.{language}")
        self.determiners = word_list(__package__, f"determiners.{language}")
        self.generic = word_list(__package__, f"generic.{language}")


@lru_cache(maxsize=2)
def _lists(language: str) -> _Lists:
    return _Lists(language)


@lru_cache(maxsize=2)
def _frame(language: str) -> re.Pattern[str]:
    fillers, frames = (
        "|".join(phrase_list(__package__, f"{name}.{language}"))
        for name in ("question_fillers", "request_frames")
    )
    tails = "|".join(word_list(__package__, f"request_frame_tails.{language}"))
    return re.compile(rf"^(?:(?:{fillers})\b[\s,.!]*)*(?:{frames})(?:\s(?:{tails}))*\b\s*", re.IGNORECASE)
