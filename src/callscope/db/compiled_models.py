"""Rows as objects, by SQL that Django writes once: see compiled.py, which gives numbers and texts.

    @lru_cache(maxsize=1)
    def compile_file() -> CompiledModels[UploadedFile]:
        [pk] = stand_ins(1)
        return compile_models(UploadedFile.objects.filter(pk=pk), "call")

    file = compile_file().first([7])

The object has each relation that was named, read by the same statement.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Field, Model, QuerySet
from django.db.models.expressions import Col

from callscope.db.compiled import CompiledQuery, compile_query

M = TypeVar("M", bound=Model)
Converter = Callable[[Any, Any, Any], Any]


class _Part(NamedTuple):
    """The columns of one model in a row."""

    relation: str  # of the first model; "" for that itself
    model: type[Model]
    names: list[str]
    start: int
    key: int  # the place of its primary key


class CompiledModels(NamedTuple, Generic[M]):
    """The SQL of a query, and how its rows become objects."""

    query: CompiledQuery
    parts: list[_Part]
    conversions: list[tuple[int, Col, list[Converter]]]  # place, expression and what makes its value

    def first(self, ids: Sequence[int]) -> M | None:
        """Return the first object that is found, with its relations."""
        rows = self.query.fetch(ids)
        return self._build(list(rows[0])) if rows else None

    def _build(self, row: list[Any]) -> M:
        for place, expression, converters in self.conversions:
            for convert in converters:
                row[place] = convert(row[place], expression, connection)
        found: Any = None
        for part in self.parts:
            values = row[part.start : part.start + len(part.names)]
            if row[part.key] is None:  # there is none, as the id in the first model says
                continue
            built = part.model.from_db(DEFAULT_DB_ALIAS, part.names, values)
            if part.relation:
                setattr(found, part.relation, built)
            else:
                found = built
        result: M = found
        return result


def compile_models(queryset: "QuerySet[M]", *relations: str) -> CompiledModels[M]:
    """Return the query for whole objects, each with these relations; keep it, by what its text depends on."""
    parts: list[_Part] = []
    paths: list[str] = []
    conversions = []
    for relation in ("", *relations):
        field: Any = queryset.model._meta.get_field(relation) if relation else None
        model = field.related_model if field else queryset.model
        names = []
        for column in model._meta.concrete_fields:
            place = len(paths)
            names.append(column.attname)
            paths.append(f"{relation}__{column.attname}" if relation else column.attname)
            if converters := _find_converters(column):
                conversions.append((place, _column_of(column), converters))
        key = len(paths) - len(names) + names.index(model._meta.pk.attname)
        parts.append(_Part(relation, model, names, len(paths) - len(names), key))
    query: Any = queryset.values_list(*paths)
    return CompiledModels(compile_query(query), parts, conversions)


def _column_of(field: "Field[Any, Any]") -> Col:
    return Col(field.model._meta.db_table, field)


def _find_converters(field: "Field[Any, Any]") -> list[Converter]:
    """Return what Django does to a value of a column of this database."""
    expression = _column_of(field)
    found: list[Converter] = connection.ops.get_db_converters(expression)
    return [*found, *expression.get_db_converters(connection)]
