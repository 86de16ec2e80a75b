"""Sentences that send a reader somewhere: to a web address, a mailbox or a telephone.

A language model that was talked into something by a call would put it there, and what it writes
is read by managers. Such sentences are dropped; quotes of the transcript are not its own words.
"""

import re
import unicodedata

from callscope.language.sentences import split_sentences

LEAST_PHONE_DIGITS = 8
_WEB = re.compile(
    r"\b[a-z][a-z+.-]*://|\bwww\.|\b(?:mailto|javascript|data):\S|@"
    # A name with an ending: callscope.example; but not "e.g." and no number.
    r"|(?<![\w.])(?=[\w.-]*[^\W\d_])[\w-]{2,}(?:\.[\w-]+)*\.[^\W\d_]{2,}(?![\w.]*\.\s?[a-z]\b)"
    r"|\b(?:dot|punto)\s+(?:com|org|net|io|info|es|mx|app|dev)\b|\b\w+\s+(?:at|arroba)\s+\w+\s+(?:dot|punto)\s+\w+"
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.+-]+)?|\b\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b")
_PHONE = re.compile(r"\+\s?\d[\d\s().-]{5,}\d|\(?\b\d{2,4}\)?(?:[\s./-]{1,2}\(?\d{2,4}\)?){2,}|\b\d{9,15}\b")


def has_address(text: str) -> bool:
    """True if the text holds a web address, an e-mail address or a telephone number, in any spelling."""
    plain = unicodedata.normalize("NFKC", text)
    if _WEB.search(plain):
        return True
    phones = _PHONE.findall(_DATE.sub(" ", plain))
    return any(sum(c.isdigit() for c in phone) >= LEAST_PHONE_DIGITS for phone in phones)


def drop_addresses(text: str) -> str:
    """Return the text without the sentences that hold an address."""
    if not has_address(text):
        return text
    # A sentence may be cut inside of an address: then both halves go.
    kept = [sentence for sentence in split_sentences(text) if not has_address(sentence)]
    rest = " ".join(kept)
    return "" if has_address(rest) else rest
