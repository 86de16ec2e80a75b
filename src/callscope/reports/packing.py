"""The criteria of a call in thirteen bytes each."""

import numpy as np

EVALUATED, NOT_APPLICABLE, CRITICAL_ERROR = 1, 2, 4

# Little-endian on every machine: criterion (id of CriterionSeen), points in millionths, the flags above.
ENTRY = np.dtype([("criterion", "<u4"), ("points", "<i8"), ("flags", "u1")])

Entries = np.ndarray[tuple[int], np.dtype[np.void]]


def pack(entries: list[tuple[int, int, int]]) -> bytes:
    """Return (criterion, points, flags) entries as bytes, ordered by criterion."""
    return np.array(sorted(entries), dtype=ENTRY).tobytes()


def unpack(packed: bytes) -> Entries:
    """Return the entries of one pack, or of many packs joined."""
    return np.frombuffer(packed, dtype=ENTRY)
