"""Turn text into words that can be compared: folded, without accents, without contractions, stemmed.

"Don't", "don’t" and "do not" give the same words, and so do "llámame" and
"llamame". Punctuation never counts.
"""

import re
import threading
from functools import lru_cache

import snowballstemmer

from callscope.language.fold import fold_typography
from callscope.language.wordlists import read_word_list

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_CONTRACTIONS = {
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
NEGATIONS = read_word_list(__package__, "negations")
STOP_WORDS = {language: read_word_list(__package__, f"stop_words.{language}") for language in LANGUAGES}
_STEMMERS = {"en": snowballstemmer.stemmer("english"), "es": snowballstemmer.stemmer("spanish")}
_STEMMING = threading.Lock()  # a stemmer holds the word that it works on


def tokenize(text: str) -> list[str]:
    """Return the words of a text in order, the same for every spelling, case and accent."""
    folded = fold_typography(text)
    found: list[str] = WORD.findall(folded)
    if "'" not in folded and _CONTRACTIONS.keys().isdisjoint(found):
        return found
    return [part for word in found for part in _expand_contraction(word)]


def stem_words(words: list[str], language: str) -> list[str]:
    """Return one stem per word; words of other languages than en and es stay as they are."""
    return [_stem(word, language) for word in words]


def extract_content_words(text: str, language: str) -> list[str]:
    """Return the words that carry meaning: no articles, pronouns, auxiliaries or courtesies."""
    stop_words = STOP_WORDS.get(language, STOP_WORDS["en"])
    return [w for w in tokenize(text) if w not in stop_words]


def _expand_contraction(word: str) -> list[str]:
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    if "'" not in word:
        return [word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return [word[: -len(ending)], full]
    return [part for part in word.split("'") if part and part != "s"]


# A call of an hour has 10,000 words but 1,000 different ones, and the stemmer is pure Python.
@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    stemmer = _STEMMERS.get(language)
    if stemmer is None or word.isdigit():
        return word
    with _STEMMING:
        return str(stemmer.stemWord(word))
