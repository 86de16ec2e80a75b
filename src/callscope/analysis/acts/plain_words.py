"""Write a clause as the patterns read it: small letters, contractions in full, no signs but a closing "?"."""

import re
import unicodedata
from functools import lru_cache

from callscope.language.fold import fold_text
from callscope.language.tokens import tokenize
from callscope.language.wordlists import read_phrase_list

# "That's" is "that is", "the dog's name" is not: what stands before or after tells.
_IS_AFTER_PRONOUN = re.compile(
    r"\b(it|that|what|who|where|when|how|why|which|there|here|he|she|this|everything|nothing|something|"
    r"somebody|someone|everyone|everybody|nobody|name|one)['’]s\b",
    re.IGNORECASE,
)
_IS_BEFORE_VERB = re.compile(
    r"(\w)['’]s (?=(?:not|been|going|already|just|now|still|all|ready|done|gone|through|in|on|out|here|there|"
    r"also|only|never|an?|the|your|our|made|sent|full|free|\w{2,}(?:ed|ing))\b)",
    re.IGNORECASE,
)
# Accents that tell Spanish clauses apart: "qué" asks, "que" does not; "llegará" is to come, "llegó" is past.
_ACCENT_KEPT = re.compile(
    r"\b(?:qué|cuál(?:es)?|cuándo|ad[oó]nde|dónde|quién(?:es)?|cómo|cuánt[oa]s?|\w+r(?:á|é|án|ás)|\w{2,}ó|\w{3,}é)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


def write_plainly(text: str, language: str) -> str:
    """Return the words of a clause in small letters, " ?" after them where it is marked as a question."""
    stripped = text.strip()
    if language == "es":
        said = _WORD.findall(unicodedata.normalize("NFC", stripped).casefold())
        words = [w if _ACCENT_KEPT.fullmatch(w) else fold_text(w) for w in said]
    else:
        spelled = _IS_BEFORE_VERB.sub(r"\1 is ", _IS_AFTER_PRONOUN.sub(r"\1 is", stripped))
        words = tokenize(spelled)
    is_marked = stripped.rstrip("\"'”») ").endswith("?")
    return " ".join(words) + (" ?" if is_marked and words else "")


_COURTESY = re.compile(
    r"\b(?:thank|thanks|sorry|hello|hi|hey|gracias|hola|perd[oó]n\w*|disculp\w+)\b", re.IGNORECASE
)


@lru_cache(maxsize=2)
def _load_fillers(language: str) -> re.Pattern[str]:
    bare, before_a_stop = read_phrase_list(__package__, f"fillers.{language}")
    stop = r"(?:[,.!;:…—–-]+\s*)"
    name = r"(?-i:(?!Morning|Afternoon|Evening)[A-ZÁÉÍÓÚÑ][^\W\d_]*)"
    return re.compile(
        rf"^(?:[¿¡\s]*(?:(?:{bare})(?:(?:,?\s+{name})?\s*{stop}|\s+)|(?:{before_a_stop})(?:,?\s+{name})?\s*{stop}))+",
        re.IGNORECASE,
    )


def strip_fillers(text: str, language: str) -> str:
    """Return a clause without what opens it ("Okay, and ..."); all of it where nothing else is left."""
    opening = _load_fillers(language).match(text)
    rest = text[opening.end() :] if opening else text
    return rest if rest.strip(" ?!.,¿¡") else text


def is_filler(text: str, language: str) -> bool:
    """True if nothing but such words is said, and none of them a courtesy ("Thanks", "Hello", "Sorry")."""
    opening = _load_fillers(language).match(text.strip() + ",")
    rest = text.strip()[opening.end() :] if opening else text
    return not rest.strip(" ?!.,;:¿¡") and not _COURTESY.search(text)
