"""Split a stream of rows or ids into lists that one statement can take."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def chunked(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`, in order, reading no further than the list it yields."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
