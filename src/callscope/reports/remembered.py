"""Rollups that this process has read before, by their stamps.

A rollup's stamp is a digest of its content, so what is remembered under it can
never be out of date. The sizes keep a process within some tens of megabytes.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, TypeVar

from django.db.models import Q

from callscope.reports.encoding import decode
from callscope.reports.models import Rollup
from callscope.reports.sums import Sums, total

Key = tuple[int, int, int, int]  # project, level, first day, stamp
Value = TypeVar("Value")

ROLLUPS = 512  # one takes about 50 kB
TOTALS = 64
READ_AT_ONCE = 100  # keys in one query


class Memory(Generic[Value]):
    """A bounded dictionary for several threads that forgets what was used longest ago."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._values[key] = value
            while len(self._values) > self.size:
                self._values.popitem(last=False)


_rollups: Memory[Sums] = Memory(ROLLUPS)
_totals: Memory[Sums] = Memory(TOTALS)


def total_of(keys: Sequence[Key], column: str, tables: tuple[str, ...]) -> Sums:
    """Return the total of these rollups' `figures` or `listing`, reading those that are not known yet."""
    together = (column, tables, tuple(sorted(keys)))
    known = _totals.get(together)
    if known is None:
        known = total([sums for _, sums in each(keys, column)], tables)
        _totals.put(together, known)
    return known


def each(keys: Sequence[Key], column: str) -> Iterator[tuple[Key, Sums]]:
    """Yield these rollups' `figures` or `listing`, in any order, reading those that are not known yet."""
    missing = []
    for key in keys:
        sums = _rollups.get((column, key))
        if sums is None:
            missing.append(key)
        else:
            yield key, sums
    for start in range(0, len(missing), READ_AT_ONCE):
        yield from _read(missing[start : start + READ_AT_ONCE], column)


def _read(keys: Sequence[Key], column: str) -> Iterator[tuple[Key, Sums]]:
    wanted = Q()
    for project, level in {key[:2] for key in keys}:
        days = [key[2] for key in keys if key[:2] == (project, level)]
        wanted |= Q(project=project, level=level, first_day__in=days)
    rows = Rollup.objects.filter(wanted).values_list("project_id", "level", "first_day", "stamp", column)
    for project, level, first_day, stamp, content in rows:
        key = (project, level, first_day, stamp)
        sums = decode(bytes(content))
        _rollups.put((column, key), sums)
        yield key, sums
