"""A list by time of the calls that say some words, with no other filter.

The index counts them. Words that many calls say are met among the first calls of the list, whose
texts are read; where few say them, all that do are sorted. A phrase reads the text of each call that
says its words, so the first pages come with the count.
"""

from collections.abc import Sequence
from functools import cached_property

from callscope.db import raw_sql
from callscope.db.index_scans import prefer_indexes
from callscope.reports.call_list.call_rows import CallRow, read_rows
from callscope.reports.call_list.conditions import Where
from callscope.reports.call_list.page_ranges import CallRange, moments_condition
from callscope.reports.search import spoken_words
from callscope.reports.window import Window

MANY = 20_000  # calls that take longer to sort than a few hundred texts to read
SPARE = 3  # so many times the calls that are wanted are looked at
MOST_READ = 1000  # texts
HEAD = 100  # calls that come with the count of a phrase


class SpokenListing:
    """The calls of these projects and this window that say the words and phrases of `text`."""

    def __init__(self, project_ids: Sequence[int], window: Window, text: str, *, descending: bool) -> None:
        self.project_ids = project_ids
        self.query = spoken_words.parse_spoken_query(text)
        self.descending = descending
        self.moments = moments_condition(window)
        self.said: Where | None = None  # None: nothing can be found
        if project_ids and self.query.words:
            places = ", ".join(["%s"] * len(project_ids))
            of_projects = Where(f" AND c.project_id IN ({places})", tuple(project_ids))
            self.said = Where(*spoken_words.select_spoken_calls(self.query)) + of_projects + self.moments

    def count(self) -> int:
        return self._count_and_head[0]

    def rows(self, start: int, size: int) -> list[CallRow]:
        count, head = self._count_and_head
        size = max(0, min(size, count - start))
        if not size:
            return []
        if start + size <= len(head):
            return read_rows(head[start : start + size])
        read = SPARE * (start + size)
        if count >= MANY and read <= MOST_READ:
            rows = self._find_among_first(read)[start : start + size]
            if len(rows) == size:
                return rows
        return read_rows([row[0] for row in self._sort("c.call_id", start, size)])

    @cached_property
    def _count_and_head(self) -> tuple[int, list[int]]:
        """Return how many calls there are, and the first of them where they were found with it."""
        if self.said is None:
            return 0, []
        if self.query.phrases:
            found = self._sort("c.call_id, COUNT(*) OVER ()", 0, HEAD)
            return (found[0][1] if found else 0), [row[0] for row in found]
        with prefer_indexes():
            [(count,)] = raw_sql.fetch_rows(f"SELECT COUNT(*){self.said.sql}", self.said.parameters)
        return count, []

    def _sort(self, columns: str, start: int, size: int) -> list[tuple[int, ...]]:
        assert self.said is not None  # there are calls
        direction = "DESC" if self.descending else "ASC"
        statement = (
            f"SELECT {columns}{self.said.sql} ORDER BY c.at_us {direction}, c.call_id DESC LIMIT %s OFFSET %s"
        )
        with prefer_indexes():
            return raw_sql.fetch_rows(statement, (*self.said.parameters, size, start))

    def _find_among_first(self, read: int) -> list[CallRow]:
        """Return which of the first calls of the list say it, in order."""
        calls = dict.fromkeys(self.project_ids, read)
        first = CallRange(calls, self.moments, "at_us", self.descending).rows(0, read)
        saying = spoken_words.find_saying_among([row.id for row in first], self.query)
        return [row for row in first if row.id in saying]
