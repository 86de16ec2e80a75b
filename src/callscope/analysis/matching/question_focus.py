"""Find what a question asks for: "Could you tell me the name of the hotel?" asks for the hotel.

Two questions are alike when they ask for the same thing; the words around it
("would you like to stay at") say less. Statements have no such words.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from callscope.language.tokens import tokenize
from callscope.language.wordlists import read_phrase_list, read_word_list

MAX_OPENING_WORDS = 6  # among which a question word opens a question: "And then, at what time"
_LINKS = frozenset(("of", "de", "del"))
_COPULAS = frozenset(("is", "are", "was", "were", "es", "son", "era", "fue"))


class QuestionLists:
    """The small words of one language by which a question is taken apart."""

    def __init__(self, language: str) -> None:
        def alternatives(name: str) -> str:
            return "|".join(read_phrase_list(__package__, f"{name}.{language}"))

        question_words = [
            frozenset(line.split()) for line in read_phrase_list(__package__, f"question_words.{language}")
        ]
        # "When" alone says what is asked for, "what" needs the noun after it, "how" is either.
        self.self_explanatory, _needing_a_noun, self.compound = question_words
        self.question_words = frozenset().union(*question_words)
        self.noun_phrase_ends = read_word_list(__package__, f"noun_phrase_ends.{language}")
        self.determiners = read_word_list(__package__, f"determiners.{language}")
        self.generic = read_word_list(__package__, f"generic.{language}")
        tails = "|".join(read_word_list(__package__, f"request_frame_tails.{language}"))
        self.request_frame = re.compile(
            rf"^(?:(?:{alternatives('question_fillers')})\b[\s,.!]*)*"
            rf"(?:{alternatives('request_frames')})(?:\s(?:{tails}))*\b\s*",
            re.IGNORECASE,
        )


@lru_cache(maxsize=2)
def load_question_lists(language: str) -> QuestionLists:
    """Return the lists of "en" or "es"."""
    return QuestionLists(language)


@lru_cache(maxsize=10_000)
def strip_request_frame(sentence: str, language: str) -> str:
    """Return a question without the words it is wrapped in ("could you tell me", "I need")."""
    text = sentence.strip()
    frame = load_question_lists(language).request_frame.match(text)
    rest = text[frame.end() :] if frame else text
    return rest if tokenize(rest) else text


def find_focus(words: Sequence[str], lists: QuestionLists) -> frozenset[int]:
    """Return the positions of the words that name what is asked for; all where that is not said.

    "Which day suits you": which, day. "When do you arrive": when. "Your account
    number": account, number. "Have you paid the fee": every word.
    """
    everything = frozenset(range(len(words)))
    opening = words[:MAX_OPENING_WORDS]
    question = next((i for i, word in enumerate(opening) if word in lists.question_words), None)
    if question is None:
        is_yes_or_no = (
            bool(words) and words[0] in lists.noun_phrase_ends and words[0] not in lists.determiners
        )
        return everything if is_yes_or_no else (_find_noun_phrase(words, 0, lists) or everything)
    if words[question] in lists.self_explanatory:
        return frozenset((question,))
    after = question + 1
    if words[question] in lists.compound:
        after += after < len(words) and words[after] in _LINKS  # "cómo de grande"
    elif after < len(words) and words[after] in _COPULAS:
        after += 1
    elif after < len(words) and words[after] in lists.noun_phrase_ends:  # "what would you like to change"
        return frozenset(range(after, len(words)))
    return frozenset((question,)) | _find_noun_phrase(words, after, lists)


def _find_noun_phrase(words: Sequence[str], start: int, lists: QuestionLists) -> frozenset[int]:
    """Return the positions of the noun phrase that begins at `start`: "name of your doctor"."""
    positions: list[int] = []
    for position in range(start, len(words)):
        word = words[position]
        if word in lists.determiners:
            continue
        if word in _LINKS:
            if position == start or words[position - 1] not in lists.generic:  # "color | of the cable"
                break
            continue
        if word in lists.noun_phrase_ends:
            break
        positions.append(position)
    return frozenset(positions)
