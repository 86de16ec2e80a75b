"""Split text into sentences, by the signs that end one."""

import re

SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_TITLES = ("dr", "mrs", "mr", "ms", "st", "sr", "sra", "dra", "srta")
_SENTENCE_END_AFTER_NO_TITLE = re.compile(
    r"(?<=[.!?…])" + "".join(rf"(?<!\b{title}\.)" for title in _TITLES) + r"\s+", re.IGNORECASE
)


def split_sentences(text: str, *, keep_titles: bool = False) -> list[str]:
    """Return the sentences in order, an empty string where the text begins or ends with an empty one.

    With `keep_titles` "Dr. Smith is here." is one sentence, without it two.
    """
    return (_SENTENCE_END_AFTER_NO_TITLE if keep_titles else SENTENCE_END).split(text)
