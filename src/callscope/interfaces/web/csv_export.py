"""CSV for spreadsheets: marked as UTF-8, and with texts that cannot be taken for formulas."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

# A cell that begins with one of these may be run as a formula when the file is opened.
FORMULA_STARTS = ("=", "+", "-", "\N{MINUS SIGN}", "@", "\t", "\r", "\n")
# Space, soft hyphen, zero-width signs and marks of direction: nobody sees them in front of a formula.
INVISIBLE = " \u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
BYTE_ORDER_MARK = "\ufeff"
ROWS_A_CHUNK = 500


def download(file_name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> StreamingHttpResponse:
    """Answer with a CSV file, streamed; None becomes an empty cell."""
    response = StreamingHttpResponse(_chunks(head, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


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


def _chunks(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write(BYTE_ORDER_MARK)
    writer.writerow(head)
    for count, row in enumerate(rows, start=1):
        writer.writerow([defused(value) for value in row])
        if count % ROWS_A_CHUNK == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()
