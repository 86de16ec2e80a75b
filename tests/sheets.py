"""Read the first sheet of an Excel file as a spreadsheet program does, without one."""

import io
import zipfile
from typing import Any
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_sheet(content: bytes) -> list[list[Any]]:
    """Return the rows: texts, numbers, truth values, and None for empty cells; as wide as the first row."""
    return [[value for value, _look in row] for row in read_cells(content)]


def read_cells(content: bytes) -> list[list[tuple[Any, str]]]:
    """Return the rows of (value, number format), the format "" for cells that have none of their own."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        styles = ElementTree.fromstring(book.read("xl/styles.xml"))
    assert sheet.find(f".//{MAIN}f") is None, "a formula"
    assert sheet.find(f".//{MAIN}hyperlink") is None, "a link"
    codes = {each.get("numFmtId"): each.get("formatCode") for each in styles.iter(f"{MAIN}numFmt")}
    looks = [codes.get(each.get("numFmtId"), "") for each in styles.find(f"{MAIN}cellXfs")]
    rows: list[list[tuple[Any, str]]] = []
    for row in sheet.iter(f"{MAIN}row"):
        cells = {_column(cell): (_value(cell), looks[int(cell.get("s", 0))]) for cell in row}
        width = len(rows[0]) if rows else len(cells)
        rows.append([cells.get(column, (None, "")) for column in range(width)])
    return rows


def _column(cell: ElementTree.Element) -> int:
    number = 0
    for letter in cell.get("r", "").rstrip("0123456789"):
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _value(cell: ElementTree.Element) -> Any:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(each.text or "" for each in cell.iter(f"{MAIN}t"))
    text = cell.findtext(f"{MAIN}v")
    if text is None:
        return None
    return text == "1" if kind == "b" else float(text)
