"""Fields that several resources share."""

import datetime as dt
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


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
