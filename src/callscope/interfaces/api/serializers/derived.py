"""Make a serializer from the dataclass or named tuple that the answer is made of.

So a figure is named and typed once, in the room that computes it, and the
OpenAPI document follows.
"""

import copy
import datetime as dt
from collections.abc import Collection, Mapping
from typing import Any, get_args, get_origin, get_type_hints

from rest_framework import serializers

Field = serializers.Field[Any, Any, Any, Any]

FIELD_CLASSES: dict[type, type[Any]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    str: serializers.CharField,
    dt.date: serializers.DateField,
    dt.datetime: serializers.DateTimeField,
}


def serializer_for(
    row: type, name: str, *, without: Collection[str] = (), fields: Mapping[str, Field] | None = None
) -> type[serializers.Serializer[Any]]:
    """Return a serializer called `name` with the fields of `row`, in its order.

    `X | None` becomes a nullable field. `fields` replace those of the row or
    come after them; the names in `without` are left out.
    """
    given = dict(fields or {})
    declared: dict[str, Field] = {}
    for field, hint in get_type_hints(row).items():
        if field in given:
            # A copy is younger than the fields before it; DRF orders fields by age.
            declared[field] = copy.deepcopy(given.pop(field))
        elif field not in without:
            types = [part for part in get_args(hint) or (hint,) if part is not type(None)]
            is_nullable = len(get_args(hint)) > len(types)
            nullable: dict[str, Any] = {"allow_null": True} if is_nullable else {}
            if get_origin(types[0]) is tuple:  # numbers of one kind, as many as the type has
                child, size = FIELD_CLASSES[get_args(types[0])[0]](), len(get_args(types[0]))
                declared[field] = serializers.ListField(
                    child=child, min_length=size, max_length=size, **nullable
                )
            else:
                declared[field] = FIELD_CLASSES[types[0]](**nullable)
    declared |= {field: copy.deepcopy(added) for field, added in given.items()}
    return type(name, (serializers.Serializer,), declared)
