"""What both databases can store: the range of an id, and the characters of a text."""

import re

MAX_ID = 2**63 - 1  # the largest value of a key column; SQLite raises OverflowError beyond it

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """True if the text holds neither NUL (refused by PostgreSQL) nor lone surrogates (no UTF-8)."""
    return _UNSTORABLE.search(text) is None
