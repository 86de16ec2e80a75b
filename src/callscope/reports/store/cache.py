"""Rollups that this process has read before, by their stamps.

A rollup's stamp is a digest of its content, so what is cached under it can never be
out of date. The sizes keep a process within some tens of megabytes.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from django.db.models import Q

from callscope.db.chunks import chunked
from callscope.reports.models import Rollup
from callscope.reports.store.aggregates import Aggregates, merge
from callscope.reports.store.encoding import decode_tables

Value = TypeVar("Value")
Part = Literal["figures", "listing", "maps"]  # the columns of a rollup that hold tables

ROLLUPS = 512  # one takes about 50 kB
TOTALS = 64
READ_AT_ONCE = 100  # keys in one query


class StampedKey(NamedTuple):
    """A rollup with one content: another content has another stamp."""

    project_id: int
    level: int
    first_day: int
    stamp: int


class LRUCache(Generic[Value]):
    """A bounded dictionary for several threads that drops what was used longest ago."""

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


KEY_COLUMNS = StampedKey._fields
_rollups: LRUCache[Aggregates] = LRUCache(ROLLUPS)
_totals: LRUCache[Aggregates] = LRUCache(TOTALS)


def sum_rollups(keys: Sequence[StampedKey], part: Part, tables: tuple[str, ...]) -> Aggregates:
    """Return these tables, added up over these rollups; what is not cached yet is read."""
    question = (part, tables, tuple(sorted(keys)))
    total = _totals.get(question)
    if total is None:
        total = merge([aggregates for _, aggregates in load_rollups(keys, part)], tables)
        _totals.put(question, total)
    return total


def load_rollups(keys: Sequence[StampedKey], part: Part) -> Iterator[tuple[StampedKey, Aggregates]]:
    """Yield one part of each of these rollups, in any order; what is not cached yet is read."""
    missing = []
    for key in keys:
        aggregates = _rollups.get((part, key))
        if aggregates is None:
            missing.append(key)
        else:
            yield key, aggregates
    for chunk in chunked(missing, READ_AT_ONCE):
        chosen = Q()
        for project, level in {key[:2] for key in chunk}:
            days = [key.first_day for key in chunk if key[:2] == (project, level)]
            chosen |= Q(project=project, level=level, first_day__in=days)
        for *columns, content in Rollup.objects.filter(chosen).values_list(*KEY_COLUMNS, part):
            key = StampedKey._make(columns)
            aggregates = decode_tables(bytes(content))
            _rollups.put((part, key), aggregates)
            yield key, aggregates
