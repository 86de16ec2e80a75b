"""Cells of CSV files that a spreadsheet shows and does not run."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

# A cell that begins with one of these may be run as a formula when the file is opened.
FORMULA_STARTS = ("=", "+", "-", "\N{MINUS SIGN}", "@", "\t", "\r", "\n")
# Space, soft hyphen, zero-width signs and marks of direction: nobody sees them in front of a formula.
INVISIBLE = " \u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
BYTE_ORDER_MARK = "\ufeff"


def defused(value: Any) -> Any:
    """Return a text that a spreadsheet shows and does not run; numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = value.replace("\x00", "")
        # Spreadsheets read the full-width signs of East Asian keyboards as the plain ones.
        start = unicodedata.normalize("NFKC", text).lstrip(INVISIBLE)
        return f"'{text}" if start.startswith(FORMULA_STARTS) else text
    return value


def write_csv(file: BinaryIO, head: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write a CSV in UTF-8, marked as such; return the number of rows below the head."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text)
    writer.writerow(head)
    count = 0
    for row in rows:
        writer.writerow([defused(value) for value in row])
        count += 1
    text.flush()
    text.detach()
    return count
