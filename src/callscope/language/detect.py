"""Tell English from Spanish by the small words that no sentence does without."""

import re
from collections import Counter
from collections.abc import Iterable

from callscope.language.fold import fold_text
from callscope.language.tokens import STOP_WORDS, tokenize

MIN_SMALL_WORDS = 3  # before a language is named
MIN_LEAD = 2  # how many times as many small words as the other language has
SMALL_WORDS = {
    "en": {
        "the", "and", "you", "your", "is", "are", "was", "to", "of", "in", "it", "that", "have", "for",
        "with", "this", "can", "my", "what", "not", "do", "i", "will", "would", "please",
    },
    "es": {
        "el", "la", "los", "las", "y", "que", "de", "en", "un", "una", "es", "no", "se", "lo", "por",
        "con", "para", "mi", "su", "me", "le", "como", "esta", "usted", "pero", "muy", "gracias",
    },
}  # fmt: skip


def detect_language(texts: Iterable[str]) -> str:
    """Return "en" or "es" for a transcript; "" if too little is said, or both are spoken.

    What is stored as the language of a transcript: no answer is better than a wrong one.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", fold_text(text)):
            for language, small_words in SMALL_WORDS.items():
                counts[language] += word in small_words
    (language, most), (_, second) = counts.most_common(2) if len(counts) > 1 else (("", 0), ("", 0))
    return language if most >= MIN_SMALL_WORDS and most >= MIN_LEAD * second else ""


def guess_language(text: str) -> str:
    """Return "en" or "es", whichever has more stop words in the text; "" on a tie.

    For texts of a few words, such as a topic: it chooses a stemmer, so any lead is enough.
    """
    words = tokenize(text)
    counts = {language: sum(w in stop for w in words) for language, stop in STOP_WORDS.items()}
    if counts["en"] == counts["es"]:
        return ""
    return max(counts, key=lambda language: counts[language])
