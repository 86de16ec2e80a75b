"""Excel files: the rows of the CSV, with headings for readers, dates and percentages as what they are.

Rows go to a temporary file one by one, so that memory stays the same however many there are. Texts are
written as texts, never as formulas or links, whatever they begin with.
"""

import datetime as dt
import re
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import xlsxwriter
from django.http import FileResponse
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#: Rows of calls. A sheet has 1,048,576, but 100,000 keep a processor busy for 19 s before they are sent.
MOST_ROWS = 50_000
FIRST_YEAR = 1900  # that a sheet knows
LONGEST_TEXT = 32_767  # characters of a cell
NARROWEST, WIDEST = 10, 32  # of a column, in characters
# Percent, as the API gives them (83.5), so that a figure is the same everywhere; changes are in points.
PERCENT = re.compile(r"(?:_pct|_percentage|average_score|weighted_compliance)(?:_low|_high)?$")
CHANGE = re.compile(r"^\w*(?:delta|change|difference)\w*$")  # no question or criterion with the word


class _Formats(NamedTuple):
    moment: Format
    day: Format
    percent: Format
    change: Format


def download(
    file_name: str, head: Sequence[str], rows: Iterable[Sequence[Any]], headings: Sequence[str] | None = None
) -> FileResponse:
    """Answer with a workbook of one sheet, whose first row names the columns; None becomes an empty cell.

    `head` says what the columns hold, `headings` what they are called where that is something else.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        _write(file, head, rows, headings or head)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=file_name, content_type=CONTENT_TYPE)


def _write(file: Any, head: Sequence[str], rows: Iterable[Sequence[Any]], headings: Sequence[str]) -> None:
    with xlsxwriter.Workbook(file, {"constant_memory": True}) as workbook:
        sheet = workbook.add_worksheet("Callscope")
        formats = _Formats(
            moment=workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            day=workbook.add_format({"num_format": "yyyy-mm-dd"}),
            percent=workbook.add_format({"num_format": '0.00" %"'}),
            change=workbook.add_format({"num_format": "+0.00;-0.00;0.00"}),
        )
        bold = workbook.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        percents = [formats.percent if PERCENT.search(name) else None for name in head]
        looks = [
            formats.change if CHANGE.search(name) else percent
            for name, percent in zip(head, percents, strict=True)
        ]
        for number, (name, heading) in enumerate(zip(head, headings, strict=True)):
            is_moment = name.endswith(("_datetime", "_at"))
            width = min(max(len(heading) + 2, NARROWEST), WIDEST)
            sheet.set_column(number, number, 20 if is_moment else width)
            _write_text(sheet, 0, number, heading, bold)
        sheet.freeze_panes(1, 0)
        for line, row in enumerate(rows, start=1):
            for number, value in enumerate(row):
                _write_cell(sheet, line, number, value, looks[number], formats)


def _write_cell(
    sheet: Worksheet, line: int, number: int, value: Any, column: Format | None, formats: _Formats
) -> None:
    if value is None or value == "":
        return
    if isinstance(value, bool):
        sheet.write_boolean(line, number, value)
    elif isinstance(value, int | float):
        sheet.write_number(line, number, value, column)
    elif isinstance(value, dt.datetime):
        shown = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
        if shown.year < FIRST_YEAR:
            _write_text(sheet, line, number, str(shown))
        else:
            sheet.write_datetime(line, number, shown, formats.moment)
    elif isinstance(value, dt.date):
        sheet.write_datetime(line, number, value, formats.day)
    else:
        _write_text(sheet, line, number, str(value))


def _write_text(sheet: Worksheet, line: int, number: int, text: str, look: Format | None = None) -> None:
    plain = text.encode("utf-8", "replace").decode("utf-8")  # a half of a character cannot be written
    sheet.write_string(line, number, plain[:LONGEST_TEXT], look)
