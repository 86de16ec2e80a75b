"""Turn text into words that can be compared: folded, without accents, without contractions, stemmed.

"Don't", "don’t" and "do not" give the same words, and so do "llámame" and
"llamame". Punctuation never counts.
"""

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from callscope.engines.embeddings.wordlists import word_list

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_WHOLE = {
    "can't": ["can", "not"],
    "cannot": ["can", "not"],
    "won't": ["will", "not"],
    "let's": ["let", "us"],
    "gonna": ["going", "to"],
    "wanna": ["want", "to"],
    "gotta": ["got", "to"],
    "ok": ["okay"],
    "pls": ["please"],
    "thx": ["thanks"],
}
LANGUAGES = ("en", "es")
NEGATIONS = word_list(__package__, "negations")
STOP_WORDS = {language: word_list(__package__, f"stop_words.{language}") for language in LANGUAGES}


def words(text: str) -> list[str]:
    """Return the words of a text in order, comparable over spelling, case and accents."""
    found: list[str] = []
    for match in WORD.finditer(fold(text)):
        found.extend(_spelled_out(match.group()))
    return found


def fold(text: str) -> str:
    """Return the text case-folded, without accents, with plain apostrophes."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'").replace("‘", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def stems(tokens: list[str], language: str) -> list[str]:
    """Return one stem a word; words of other languages than en and es stay as they are."""
    return [_stem(token, language) for token in tokens]


def content_words(text: str, language: str) -> list[str]:
    """Return the words that carry meaning: no articles, pronouns, auxiliaries or courtesies."""
    stop = STOP_WORDS.get(language, STOP_WORDS["en"])
    return [w for w in words(text) if w not in stop]


def guess_language(text: str) -> str:
    """Return "en" or "es" by which language's small words are more frequent; "" when there are none."""
    found = words(text)
    counts = {language: sum(w in stop for w in found) for language, stop in STOP_WORDS.items()}
    if counts["en"] == counts["es"]:
        return ""
    return max(counts, key=lambda language: counts[language])


def _spelled_out(word: str) -> list[str]:
    if word in _WHOLE:
        return _WHOLE[word]
    if "'" not in word:
        return [word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return [word[: -len(ending)], full]
    return [part for part in word.split("'") if part and part != "s"]


_STEMMERS = {"en": snowballstemmer.stemmer("english"), "es": snowballstemmer.stemmer("spanish")}


@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    stemmer = _STEMMERS.get(language)
    return str(stemmer.stemWord(word)) if stemmer and not word.isdigit() else word
