"""Links to the pages of a list."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pager:
    """Which rows a page shows, counted from 1, and where its links lead; "" for links that are not shown."""

    first: int
    last: int
    previous_url: str
    next_url: str
    first_url: str
    last_url: str


def build_pager(
    *, number: int, pages: int, count: int, shown: int, page_size: int, url_of: Callable[[int], str]
) -> Pager:
    """Return the pager of page `number`, which shows so many of the `count` rows."""
    first = (number - 1) * page_size + 1
    return Pager(
        first=first if count else 0,
        last=first + shown - 1 if count else 0,
        previous_url=url_of(number - 1) if number > 1 else "",
        next_url=url_of(number + 1) if number < pages else "",
        # Next to the first or last page this link would repeat the one before or after it.
        first_url=url_of(1) if number > 2 else "",
        last_url=url_of(pages) if pages - number > 1 else "",
    )
