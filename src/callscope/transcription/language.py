"""Tell English from Spanish by the small words that no sentence does without."""

import re
from collections import Counter
from collections.abc import Iterable

from callscope.transcription.spoken_numbers import fold

LEAST = 3  # small words before a language is named
LEAD = 2  # and how many times as many as of the other
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


def guess(texts: Iterable[str]) -> str:
    """Return "en" or "es"; "" where too little is said, or both are."""
    counts: Counter[str] = Counter()
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", fold(text)):
            for language, small in SMALL_WORDS.items():
                counts[language] += word in small
    (first, most), (_, less) = counts.most_common(2) if len(counts) > 1 else (("", 0), ("", 0))
    return first if most >= LEAST and most >= LEAD * less else ""
