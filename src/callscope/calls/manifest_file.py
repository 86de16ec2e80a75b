"""Read a manifest: a CSV as spreadsheets write it, row by row, in little memory.

UTF-8 with or without BOM, UTF-16 with BOM, else cp1252; comma, semicolon or
tab, found by the header. Rows are numbered as a spreadsheet shows them: the
header is row 1. What a person chose in the browser is read with more care, since nobody tested what wrote
it. Rules: docs/api.md, "The manifest".
"""

import codecs
import csv
import datetime as dt
import difflib
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from callscope.calls import metadata
from callscope.calls.fields import MANIFEST_COLUMNS, REQUIRED_COLUMNS
from callscope.calls.metadata import SLASH_DATE, InvalidValue, Values
from callscope.calls.names import MAX_FILE_NAME, clean_file_name
from callscope.db.limits import is_storable
from callscope.messages.message import Message, MessageError

DELIMITERS = (",", ";", "\t")
MAX_HEADER = 64 * 1024  # characters; a first line that is longer is no header
MAX_CELL = 1024 * 1024  # characters; an unclosed quote must not swallow a whole file into memory
MAX_LINES = 250_000  # with the header; one request must not write rows for hours
MAX_UNKNOWN, MAX_NAME = 100, 64  # columns that are named, and characters of a name
MONTHS = 12
_CHUNK = 1024 * 1024

csv.field_size_limit(MAX_CELL)


class InvalidManifest(MessageError):
    """The file as a whole is no manifest."""

    def __init__(self, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))


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
    reason: Message

    @property
    def message(self) -> Message:
        if not self.file_name:
            return Message("manifest_row_unnamed", number=self.number, reason=self.reason)
        return Message("manifest_row", number=self.number, file=self.file_name, reason=self.reason)


class Header(NamedTuple):
    """The header of a manifest."""

    positions: dict[str, int]  # of each column, by its name in lower case
    delimiter: str
    row: int  # its number; 2 below a line that names the delimiter


class SlashDate(NamedTuple):
    """A date that can only have the month first, which makes the other dates with slashes doubtful."""

    row: int
    text: str


def read_rows(file: BinaryIO, *, latest: dt.datetime | None = None) -> Iterator[Row | BadRow]:
    """Yield the rows of a seekable file below its header, blank rows left out.

    With `latest`, the last moment that a call may have, the file is read with care: later times are wrong,
    and so is each date with slashes where one of them can only have the month first.
    Raises InvalidManifest at the first row when the file has no usable header or too many lines.
    """
    _require_fitting(file)
    doubt = None if latest is None else find_month_first(file)
    for number, cells in _read_cells(file):
        if cells is None:
            yield BadRow(number, "", Message("long_cell", count=f"{MAX_CELL:,}"))
        else:
            yield _read_row(number, cells, latest, doubt)


def find_month_first(file: BinaryIO) -> SlashDate | None:
    """Return the first date with slashes that can only have the month first, such as 10/25/2026."""
    for number, cells in _read_cells(file):
        text = (cells or {}).get("call_datetime", "")
        if (match := SLASH_DATE.match(text)) and int(match["first"]) <= MONTHS < int(match["second"]):
            return SlashDate(number, text)
    return None


def list_unknown_columns(file: BinaryIO) -> dict[str, str]:
    """Return the columns that no field is read from, each with the known one that may be meant, or ""."""
    text = io.TextIOWrapper(file, encoding=_detect_encoding(file), errors="replace", newline="")
    try:
        header = _read_header(text)
    finally:
        text.detach()
    absent = [name for name in MANIFEST_COLUMNS if name not in header.positions]
    unknown = [name for name in header.positions if name and name not in MANIFEST_COLUMNS]
    # Two where both may be meant: "agent" is as likely a name as an ID.
    close = {name: difflib.get_close_matches(name[:MAX_NAME], absent, 2) for name in unknown[:MAX_UNKNOWN]}
    return {name[:MAX_NAME]: ", ".join(found) for name, found in close.items()}


def _read_cells(file: BinaryIO) -> Iterator[tuple[int, dict[str, str] | None]]:
    """Yield the filled cells of each row that has some by their columns; None where a cell is too long."""
    text = io.TextIOWrapper(file, encoding=_detect_encoding(file), errors="replace", newline="")
    try:
        header = _read_header(text)
        reader = csv.reader(text, delimiter=header.delimiter)
        positions = [(n, header.positions[n]) for n in MANIFEST_COLUMNS if n in header.positions]
        for number in itertools.count(header.row + 1):
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                yield number, None
                continue
            filled = {
                name: cells[position].strip()
                for name, position in positions
                if position < len(cells) and cells[position].strip()
            }
            if filled:
                yield number, filled
    except UnicodeError:
        raise InvalidManifest("manifest_not_text") from None
    finally:
        text.detach()


def _require_fitting(file: BinaryIO) -> None:
    """Count the line ends of every kind, before a row is read and written. Raises InvalidManifest."""
    file.seek(0)
    feeds = returns = 0
    while chunk := file.read(_CHUNK):
        feeds += chunk.count(b"\n")
        returns += chunk.count(b"\r")
        if max(feeds, returns) > MAX_LINES:
            raise InvalidManifest("manifest_too_long", most=f"{MAX_LINES:,}")


def _detect_encoding(file: BinaryIO) -> str:
    file.seek(0)
    head = file.read(4)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise InvalidManifest("manifest_utf32")
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


def _read_header(text: io.TextIOWrapper) -> Header:
    """Read the first line in the delimiter that gives the most known columns. Raises InvalidManifest."""
    row = 1
    line = text.readline(MAX_HEADER)
    if line.lower().startswith("sep=") and len(line.strip()) == 5:  # a line that Excel writes and obeys
        row, line = 2, text.readline(MAX_HEADER)
    if "\x00" in line:
        raise InvalidManifest("manifest_binary")
    if not line.strip():
        raise InvalidManifest("manifest_no_header")
    readings = []
    for delimiter in DELIMITERS:
        try:
            cells = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            cells = []
        positions: dict[str, int] = {}
        for position, cell in enumerate(cells):
            positions.setdefault(cell.strip().lower(), position)
        readings.append(Header(positions, delimiter, row))
    header = max(readings, key=lambda reading: sum(name in reading.positions for name in MANIFEST_COLUMNS))
    missing = [name for name in REQUIRED_COLUMNS if name not in header.positions]
    if missing:
        found = ", ".join(list(header.positions)[:20])[:200]
        if len(missing) == 1:
            raise InvalidManifest("manifest_no_column", first=missing[0], found=found)
        raise InvalidManifest("manifest_no_columns", first=missing[0], second=missing[1], found=found)
    return header


def _read_row(
    number: int, filled: dict[str, str], latest: dt.datetime | None, doubt: SlashDate | None
) -> Row | BadRow:
    given = filled.pop("filename", "")
    file_name = clean_file_name(given)
    if not file_name:
        return BadRow(number, "", Message("blank_filename"))
    if len(given) > MAX_FILE_NAME:
        return BadRow(number, file_name, Message("long_filename", count=len(given), most=MAX_FILE_NAME))
    if not is_storable(given):
        return BadRow(number, file_name, Message("unreadable_filename"))
    if not filled:
        return BadRow(number, file_name, Message("lonely_filename"))
    given_time = filled.get("call_datetime", "")
    match = SLASH_DATE.match(given_time)
    if doubt and match and int(match["first"]) <= MONTHS:
        shown, other = repr(given_time[:40]), repr(doubt.text[:40])
        if doubt.row == number:
            return BadRow(number, file_name, Message("month_first", value=shown))
        elsewhere = Message("month_first_elsewhere", value=shown, other=other, number=doubt.row)
        return BadRow(number, file_name, elsewhere)
    try:
        values = {name: metadata.read_value(name, text, iso_only=False) for name, text in filled.items()}
        metadata.require_past(values.get("call_datetime", ""), latest)
    except InvalidValue as error:
        return BadRow(number, file_name, error.reason)
    return Row(number, file_name, values)
