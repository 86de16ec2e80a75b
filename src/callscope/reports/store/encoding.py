"""Aggregates as bytes, the same bytes for the same aggregates.

Each table that has rows: its number in TABLES (1 byte), the width of a number in
bytes (1), the number of rows (4), then the rows; little-endian throughout.
"""

import struct
from typing import Any

import numpy as np

from callscope.reports.store.aggregates import TABLES, Aggregates, IntMatrix

TABLE_HEAD = struct.Struct("<BBI")
NAMES = tuple(TABLES)
WIDTHS: dict[int, np.dtype[np.signedinteger[Any]]] = {width: np.dtype(f"<i{width}") for width in (1, 2, 4, 8)}


def encode_tables(aggregates: Aggregates, tables: tuple[str, ...] = NAMES) -> bytes:
    """Return the named tables as bytes; b"" when they are empty."""
    parts = []
    for name in tables:
        matrix = aggregates.table(name)
        if len(matrix):
            least, most = int(matrix.min()), int(matrix.max())
            # The fewest bytes that hold every number of the table.
            width = next(w for w in WIDTHS if -(1 << 8 * w - 1) <= least and most < 1 << 8 * w - 1)
            parts.append(TABLE_HEAD.pack(NAMES.index(name), width, len(matrix)))
            parts.append(matrix.astype(WIDTHS[width]).tobytes())
    return b"".join(parts)


def decode_tables(encoded: bytes) -> Aggregates:
    """Return the aggregates in these bytes."""
    tables: dict[str, IntMatrix] = {}
    position = 0
    while position < len(encoded):
        number, width, rows = TABLE_HEAD.unpack_from(encoded, position)
        position += TABLE_HEAD.size
        columns = TABLES[NAMES[number]].width
        numbers = np.frombuffer(encoded, WIDTHS[width], rows * columns, position)
        tables[NAMES[number]] = numbers.reshape(rows, columns).astype(np.int64)
        position += rows * columns * width
    return Aggregates(tables)
