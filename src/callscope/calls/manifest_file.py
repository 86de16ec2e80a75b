"""Read a manifest: a CSV as spreadsheets write it, row by row, in little memory.

UTF-8 with or without BOM, UTF-16 with BOM, else cp1252; comma, semicolon or
tab, told from the header. Rows are numbered as a spreadsheet shows them: the
header is row 1. Rules: docs/api.md, "The manifest".
"""

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from callscope.calls import metadata
from callscope.calls.metadata import Values, WrongValue
from callscope.calls.names import MAX_FILE_NAME, clean_file_name, holds_unstorable

REQUIRED_COLUMNS = ("filename", "call_datetime")
COLUMNS = ("filename", *metadata.FIELDS)
DELIMITERS = (",", ";", "\t")
MAX_HEADER = 64 * 1024  # characters; a first line that is longer is no header
MAX_CELL = 1024 * 1024  # characters; an unclosed quote must not swallow a whole file into memory
_CHUNK = 1024 * 1024

csv.field_size_limit(MAX_CELL)


class WrongManifest(Exception):
    """The file as a whole is no manifest; str() is one sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One usable row: only the cells that were filled."""

    number: int
    file_name: str
    values: Values


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that is skipped."""

    number: int
    file_name: str
    reason: str

    def __str__(self) -> str:
        return f"row {self.number}, {self.file_name or '(no file name)'}: {self.reason}"


def read_rows(file: BinaryIO) -> Iterator[Row | BadRow]:
    """Yield the rows of a seekable file below its header, blank rows left out.

    Raises WrongManifest at the first row when the file has no usable header.
    """
    text = io.TextIOWrapper(file, encoding=_encoding(file), errors="replace", newline="")
    try:
        header, delimiter, header_row = _read_header(text)
        yield from _read_body(csv.reader(text, delimiter=delimiter), header, header_row)
    except UnicodeError:
        raise WrongManifest("The file is not readable as text. Save it as CSV in UTF-8.") from None
    finally:
        text.detach()


def _encoding(file: BinaryIO) -> str:
    file.seek(0)
    head = file.read(4)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise WrongManifest("The file is in UTF-32. Save it as CSV in UTF-8.")
    file.seek(0)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
        encoding = "utf-8-sig"
    except UnicodeDecodeError:
        encoding = "cp1252"
    file.seek(0)
    return encoding


def _read_header(text: io.TextIOWrapper) -> tuple[dict[str, int], str, int]:
    """Return column name → position, the delimiter and the header's row number."""
    number = 1
    line = text.readline(MAX_HEADER)
    if line.lower().startswith("sep=") and len(line.strip()) == 5:  # a line that Excel writes and obeys
        number, line = 2, text.readline(MAX_HEADER)
    if "\x00" in line:
        raise WrongManifest("The file is not a text, or in UTF-16 without its mark. Save it as CSV in UTF-8.")
    if not line.strip():
        raise WrongManifest("The file has no header row. Its first row must name the columns.")
    readings = [(_columns(line, delimiter), delimiter) for delimiter in DELIMITERS]
    header, delimiter = max(readings, key=lambda reading: sum(name in reading[0] for name in COLUMNS))
    missing = [name for name in REQUIRED_COLUMNS if name not in header]
    if missing:
        found = ", ".join(list(header)[:20])[:200]
        raise WrongManifest(f"The header has no column {' and no column '.join(missing)}. It has: {found}.")
    return header, delimiter, number


def _columns(line: str, delimiter: str) -> dict[str, int]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return {}
    columns: dict[str, int] = {}
    for position, cell in enumerate(cells):
        columns.setdefault(cell.strip().lower(), position)
    return columns


def _read_body(
    reader: Iterator[list[str]], header: dict[str, int], header_row: int
) -> Iterator[Row | BadRow]:
    positions = [(name, header[name]) for name in COLUMNS if name in header]
    number = header_row
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield BadRow(number, "", f"a cell is longer than {MAX_CELL:,} characters")
            continue
        filled = {
            name: cells[position].strip()
            for name, position in positions
            if position < len(cells) and cells[position].strip()
        }
        if filled:
            yield _read_row(number, filled)


def _read_row(number: int, filled: dict[str, str]) -> Row | BadRow:
    given = filled.pop("filename", "")
    file_name = clean_file_name(given)
    if not file_name:
        return BadRow(number, "", "filename is blank")
    if len(given) > MAX_FILE_NAME:
        return BadRow(
            number, file_name, f"filename has {len(given)} characters, at most {MAX_FILE_NAME} are allowed"
        )
    if holds_unstorable(given):
        return BadRow(number, file_name, "filename holds unreadable characters")
    if not filled:
        return BadRow(number, file_name, "nothing but a file name")
    try:
        values = {name: metadata.read_value(name, text, iso_only=False) for name, text in filled.items()}
    except WrongValue as error:
        return BadRow(number, file_name, error.reason)
    return Row(number, file_name, values)
