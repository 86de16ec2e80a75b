"""Read the agent's own name from the opening of a call, in English and Spanish.

Only the first turns of the agent count, and only wording in which people name
themselves. The surest wording wins: "my name is Ana" over "this is Acme".
"""

import re

from callscope.analysis.conversation.turns import Conversation
from callscope.language import tokens
from callscope.language.fold import fold_typography
from callscope.language.wordlists import read_word_list

OPENING_TURNS = 4
MAX_NAME_CHARACTERS = 60

_WORD = r"[A-ZÁÉÍÓÚÑÜ][a-záéíóúñüA-ZÁÉÍÓÚÑÜ'’-]*\.?"
_NAME = rf"(?P<name>{_WORD}(?:\s+(?:(?:de|del|la|las|los|da|van|von)\s+){{0,2}}{_WORD}){{0,2}})"
_LOWER_NAME = r"(?P<name>[a-záéíóúñü]{2,20})"

# Each with the surest first; the ones in the last group also fit a company or a feeling.
_PATTERNS = {
    "en": [
        rf"\b(?i:my name is|my name['’]s)\s+{_NAME}",
        rf"\b(?i:you(?:['’]re| are)(?: now)? (?:speaking|talking|chatting|connected) (?:with|to))\s+{_NAME}",
        rf"\b{_NAME}\s+(?:is\s+)?(?:speaking|here)\b(?!\s+(?:to|for|about|in|at|on|of|with|from\s+(?:time|here)))",
        rf"\b(?i:this is|it['’]s)\s+{_NAME}",
        rf"\b(?:I['’]m|I am)\s+{_NAME}(?=\s*(?:[,.!;]|$|from\b|with\b|and\b|at\b|here\b|your\b))",
    ],
    "es": [
        rf"\b(?i:mi nombre es)\s+{_NAME}",
        rf"\b(?i:me llamo)\s+{_NAME}",
        rf"\b(?i:le|te|les)\s+(?:habla|atiende|saluda|asiste)\s+{_NAME}",
        rf"\b{_NAME}\s+(?:al habla|a sus órdenes|para servirle|le atiende|le saluda|le habla)\b",
        rf"\b(?i:al habla|habla)\s+{_NAME}",
        rf"\b(?i:soy)\s+{_NAME}(?=\s*(?:[,.!;]|$|de\b|del\b|y\b))",
    ],
}
# For transcripts without capitals only the wording that nothing but a name can follow.
_LOWER_PATTERNS = {
    "en": [rf"\bmy name is\s+{_LOWER_NAME}", rf"\bmy name's\s+{_LOWER_NAME}"],
    "es": [rf"\bmi nombre es\s+{_LOWER_NAME}", rf"\bme llamo\s+{_LOWER_NAME}"],
}
_COMPANY_WORDS = read_word_list(__package__, "company_words")
_NOT_NAMES = read_word_list(__package__, "not_names") | _COMPANY_WORDS
_PARTICLES = frozenset(("de", "del", "la", "las", "los"))


def find_agent_name(conversation: Conversation) -> str:
    """Return the name that the agent gives in the opening, "" when none is given."""
    turns = [t for t in conversation.turns() if t.speaker == "agent"][:OPENING_TURNS]
    opening = [" ".join(" ".join(s.spoken for s in t.segments).split()) for t in turns]
    has_capitals = any(c.isupper() for text in opening for c in text)
    patterns = (_PATTERNS if has_capitals else _LOWER_PATTERNS)[conversation.language]
    for pattern in patterns:
        for text in opening:
            for match in re.finditer(pattern, text):
                name = _clean_name(match.group("name"))
                if name:
                    return name
    return ""


def is_said_in_opening(name: str, conversation: Conversation) -> bool:
    """True if the agent says this name in the opening: no name is stored that nobody said."""
    words = tokens.tokenize(name)
    turns = [t for t in conversation.turns() if t.speaker == "agent"][:OPENING_TURNS]
    return bool(words) and any(
        t.words[i : i + len(words)] == words for t in turns for i in range(len(t.words) - len(words) + 1)
    )


def _clean_name(text: str) -> str:
    """Return the name without what cannot belong to it; "" when nothing is left."""
    kept: list[str] = []
    for word in text.split():
        if _fold_word(word) in _NOT_NAMES and _fold_word(word) not in _PARTICLES:
            if kept or _is_of_company(word):
                return "" if _is_of_company(word) else _join_words(kept)
            continue
        ends_sentence = word.endswith(".") and len(word) > 2
        kept.append(word.rstrip(".") if ends_sentence else word)
        if ends_sentence:
            break
    return _join_words(kept)


def _join_words(kept: list[str]) -> str:
    while kept and _fold_word(kept[-1]) in _PARTICLES:
        kept.pop()
    name = " ".join(kept).strip(" .'’-")
    if not any(c.isupper() for c in name):
        name = name.title()
    return name if 2 <= len(name) <= MAX_NAME_CHARACTERS else ""


def _is_of_company(word: str) -> bool:
    return _fold_word(word) in _COMPANY_WORDS


def _fold_word(word: str) -> str:
    return fold_typography(word).strip(".'-")
