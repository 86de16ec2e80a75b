"""Queries that Django writes once: for what every page asks, writing it takes longer than running it.

The SQL is compiled over stand-ins, which are replaced by what is asked for when it runs:

    @lru_cache(maxsize=64)
    def compile_large(count: int) -> CompiledQuery:
        return compile_query(Call.objects.filter(pk__in=stand_ins(count), size__gt=10).values_list("pk"))

    rows = compile_large(len(ids)).fetch(ids)

For results of numbers and texts: values come as the driver gives them, truth as 0 and 1 on SQLite.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

from callscope.db import raw_sql

FIRST_STAND_IN = -1_000_000_000  # no row has it as its id, and no query asks for it


def stand_ins(count: int) -> list[int]:
    """Return numbers to compile a query with in place of so many ids; as many ids have to be given."""
    return list(range(FIRST_STAND_IN, FIRST_STAND_IN - count, -1))


class CompiledQuery(NamedTuple):
    """The SQL of a query, and its parameters with the stand-ins among them."""

    sql: str
    parameters: tuple[Any, ...]
    ids: int  # how many have to be given

    def fetch(self, ids: Sequence[int], others: Mapping[Any, Any] | None = None) -> list[tuple[Any, ...]]:
        """Return all rows, with the ids in place of stand_ins() and `others` by what stands in for them."""
        values = {**(others or {}), **dict(zip(stand_ins(self.ids), ids, strict=True))}
        return raw_sql.fetch_rows(self.sql, [values.get(each, each) for each in self.parameters])


def compile_query(queryset: "QuerySet[Any, Any]") -> CompiledQuery:
    """Return the query as the database takes it; keep it, by what its text depends on."""
    sql, parameters = queryset.query.sql_with_params()
    ids = {each for each in parameters if isinstance(each, int) and each <= FIRST_STAND_IN}
    return CompiledQuery(sql, tuple(parameters), len(ids))


def adapt_moment(moment: dt.datetime) -> object:
    """Return a moment as the parameters of a compiled query have it: a text on SQLite."""
    return connection.ops.adapt_datetimefield_value(moment)
