"""Sums as bytes, the same bytes for the same sums.

Each table that has rows: its number in TABLES (1 byte), the width of a number in
bytes (1), the number of rows (4), then the rows; little-endian throughout.
"""

import struct
from typing import Any

import numpy as np

from callscope.reports.sums import TABLES, IntMatrix, Sums

TABLE_HEAD = struct.Struct("<BBI")
NAMES = tuple(TABLES)
WIDTHS: dict[int, np.dtype[np.signedinteger[Any]]] = {width: np.dtype(f"<i{width}") for width in (1, 2, 4, 8)}


def encode(sums: Sums, tables: tuple[str, ...] = NAMES) -> bytes:
    """Return the named tables of the sums as bytes; b"" when they are empty."""
    parts = []
    for name in tables:
        matrix = sums.table(name)
        if len(matrix):
            width = _width(matrix)
            parts.append(TABLE_HEAD.pack(NAMES.index(name), width, len(matrix)))
            parts.append(matrix.astype(WIDTHS[width]).tobytes())
    return b"".join(parts)


def _width(matrix: IntMatrix) -> int:
    """Return the fewest bytes that hold every number of the matrix."""
    least, most = int(matrix.min()), int(matrix.max())
    return next(width for width in WIDTHS if -(1 << 8 * width - 1) <= least and most < 1 << 8 * width - 1)


def decode(encoded: bytes) -> Sums:
    """Return the sums in these bytes."""
    tables: dict[str, IntMatrix] = {}
    position = 0
    while position < len(encoded):
        number, width, rows = TABLE_HEAD.unpack_from(encoded, position)
        position += TABLE_HEAD.size
        columns = TABLES[NAMES[number]].width
        numbers = np.frombuffer(encoded, WIDTHS[width], rows * columns, position)
        tables[NAMES[number]] = numbers.reshape(rows, columns).astype(np.int64)
        position += rows * columns * width
    return Sums(tables)
