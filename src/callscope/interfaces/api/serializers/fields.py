"""Fields that several resources share."""

import datetime as dt
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from callscope.calls.fields import CallField


class Moment(serializers.DateTimeField):
    """A moment in UTC, ISO 8601."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(default_timezone=dt.UTC, **kwargs)


class Text(serializers.CharField):
    """A text and nothing that would have to be turned into one."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


@extend_schema_field({"type": ["string", "number"], "maxLength": 64})
class TextOrNumber(serializers.CharField):
    """A text that is often a number in the client's own system."""


@extend_schema_field({"type": "number", "nullable": True})
class Seconds(serializers.Field[int, int, float, Any]):
    """Microseconds of the database as seconds."""

    def to_representation(self, value: int) -> float:
        return round(value / 1_000_000, 3)


class Millionths(serializers.FloatField):
    """Millionths of the database, such as microseconds, as a number with `digits` decimals at most."""

    def __init__(self, *, digits: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.digits = digits

    def to_representation(self, value: float) -> Any:
        number = value / 1_000_000
        return number if self.digits is None else round(number, self.digits)


def response_field(field: CallField, **kwargs: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return how the answers of the API describe one field of a call."""
    if field.kind == "moment":
        return Moment(**kwargs)
    if field.kind == "choice":
        return serializers.ChoiceField([*field.choices, *([] if field.is_always_set else [""])], **kwargs)
    return serializers.CharField(**kwargs)


def request_field(field: CallField) -> serializers.Field[Any, Any, Any, Any]:
    """Return how the API describes one field of a call that a client may set."""
    if field.kind == "moment":
        return serializers.DateTimeField(required=False, help_text="ISO 8601; cannot be cleared.")
    if field.kind == "choice":
        return serializers.ChoiceField([*field.choices, ""], required=False)
    if field.may_be_number:
        return TextOrNumber(required=False)
    return serializers.CharField(required=False, allow_blank=True, max_length=field.max_length)
