"""Integers in query strings: malformed is the caller's mistake, huge is merely unreachable."""

import re
from collections.abc import Mapping

from rest_framework.exceptions import ValidationError

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
MAX_ID_DIGITS = 18  # every such number fits the databases' 64 bits
UNREACHABLE_ID = -1  # no row has it


def parse_integer(query: Mapping[str, str], name: str) -> int | None:
    """Return the integer in `query[name]`, None when absent or blank.

    A number that no row can have gives UNREACHABLE_ID. Raises ValidationError
    on the field for anything that is not an integer.
    """
    text = (query.get(name) or "").strip()
    if not text:
        return None
    if not WHOLE_NUMBER.fullmatch(text):
        shown = text[:40].encode("utf-8", "replace").decode()
        raise ValidationError({name: [f'"{shown}" is not a whole number.']})
    # Python refuses to read numbers of more than 4,300 digits; both databases those of more than 64 bits.
    digits = text.lstrip("+-").lstrip("0")
    return int(text) if len(digits) <= MAX_ID_DIGITS and len(text) < 1000 else UNREACHABLE_ID
