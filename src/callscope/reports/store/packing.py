"""The criteria of a call in thirteen bytes each."""

import struct
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

EVALUATED, NOT_APPLICABLE, CRITICAL_ERROR = 1, 2, 4

# Little-endian on every machine: criterion (id of CriterionSeen), points in millionths, the flags above.
ENTRY = np.dtype([("criterion", "<u4"), ("points", "<i8"), ("flags", "u1")])

PACKED = struct.Struct("<IqB")  # one ENTRY

Entries = np.ndarray[tuple[int], np.dtype[np.void]]


def pack_entries(entries: list[tuple[int, int, int]]) -> bytes:
    """Return (criterion, points, flags) entries as bytes, ordered by criterion."""
    return pack_entries_unsorted(sorted(entries))


def pack_entries_unsorted(entries: list[tuple[int, int, int]]) -> bytes:
    """Return (criterion, points, flags) entries as bytes, in the order given."""
    return b"".join([PACKED.pack(*entry) for entry in entries])


def unpack_entries(packed: bytes | bytearray) -> Entries:
    """Return the entries of one pack, or of many packs joined."""
    return np.frombuffer(packed, dtype=ENTRY)


def split_into_packs(packed: bytes, lengths: Sequence[int], ids: Sequence[int]) -> list[bytes]:
    """Return a pack for each of several calls; `packed` holds their entries, with places in `ids` for ids.

    `lengths` are the numbers of entries of the calls.
    """
    entries = unpack_entries(packed).copy()
    entries["criterion"] = np.asarray(ids, ENTRY["criterion"])[entries["criterion"]]
    calls = np.repeat(np.arange(len(lengths)), lengths)
    ordered = entries[np.lexsort((entries["criterion"], calls))].tobytes()
    ends = [0, *accumulate(length * ENTRY.itemsize for length in lengths)]
    return [ordered[start:end] for start, end in pairwise(ends)]
