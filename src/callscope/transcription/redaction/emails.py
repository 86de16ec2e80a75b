"""E-mail addresses, written or spelled out: "ana@mail.example", "john dot smith at gmail dot com".

Both are found from the sign in the middle outward, over a bounded number of
characters and words, so that the time is linear in the text.
"""

import re
from collections.abc import Iterator

from callscope.language.fold import fold_text

MAX_LOCAL_PART, MAX_DOMAIN = 64, 253
MAX_WORDS = 40  # of a spelled name before "at"
_LOCAL_PART = re.compile(r"[\w.+%-]{1,64}\s?\Z")
_DOMAIN = re.compile(r"\s?[\w-]{1,63}(?:\s?\.\s?[\w-]{1,63}){1,4}")
_WORD = re.compile(r"[\w.+-]+")
AT = frozenset(("at", "arroba"))
DOT = frozenset(("dot", "punto", "."))
JOINTS = DOT | frozenset(("underscore", "dash", "hyphen", "plus", "guion", "bajo"))
TOP_DOMAINS = frozenset(
    (
        "com", "net", "org", "es", "eu", "uk", "us", "co", "info", "biz", "edu", "gov", "io",
        "mx", "ar", "cl", "pe", "cat", "de", "fr", "it", "pt",
    )
)  # fmt: skip


def find_emails(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each address."""
    yield from find_written(text)
    yield from find_spoken(text)


def find_written(text: str) -> Iterator[tuple[int, int]]:
    for sign in re.finditer("@", text):
        before = text[max(0, sign.start() - MAX_LOCAL_PART - 1) : sign.start()]
        domain = _DOMAIN.match(text, sign.end(), sign.end() + MAX_DOMAIN)
        local_part = _LOCAL_PART.search(before)
        if domain and local_part:
            yield sign.start() - len(local_part[0]), domain.end()


def find_spoken(text: str) -> Iterator[tuple[int, int]]:
    matches = list(_WORD.finditer(text))
    words = [fold_text(match[0]).strip("-+") for match in matches]
    for place, word in enumerate(words):
        if word in AT and place > 0:
            end = find_domain_end(words, place + 1)
            if end:
                first = find_name_start(words, place)
                yield matches[first].start(), matches[end - 1].end()


def find_domain_end(words: list[str], first: int) -> int:
    """Return where the domain ends that begins at `first`: "gmail dot com", "gmail.com"; 0 for none."""
    end = 0
    for place in range(first, min(len(words), first + 10)):
        word = words[place].rstrip(".")
        if place > first and word.rpartition(".")[2] in TOP_DOMAINS and words[place - 1] in DOT:
            end = place + 1
        elif "." in word and word.rpartition(".")[2] in TOP_DOMAINS:
            return place + 1
        elif word not in DOT and place > first and words[place - 1] not in DOT:
            break
    return end


def find_name_start(words: list[str], at: int) -> int:
    """Return the first word of the name before "at": words joined by "dot" and its like, single letters."""
    first = at - 1
    while first > 0 and at - first < MAX_WORDS:
        if words[first - 1] in JOINTS and first > 1:
            first -= 2
        elif len(words[first - 1]) == 1 and len(words[first]) == 1:
            first -= 1
        else:
            break
    return first
