"""CSV for spreadsheets: marked as UTF-8, and with texts that cannot be taken for formulas."""

import csv
import datetime as dt
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from callscope.interfaces.guard.spreadsheet_cells import BYTE_ORDER_MARK, defused

ROWS_A_CHUNK = 500


def download(file_name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> StreamingHttpResponse:
    """Answer with a CSV file, streamed; None becomes an empty cell."""
    response = StreamingHttpResponse(_chunks(head, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


def _chunks(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write(BYTE_ORDER_MARK)
    writer.writerow(head)
    for count, row in enumerate(rows, start=1):
        # A moment with an offset is written with a "T", as the API does; one without as spreadsheets read it.
        shown = [v.isoformat() if isinstance(v, dt.datetime) and v.tzinfo else v for v in row]
        writer.writerow([defused(value) for value in shown])
        if count % ROWS_A_CHUNK == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()
