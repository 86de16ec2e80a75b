"""A model field for JSON that is read by key of its row and never searched."""

import json
from typing import Any

from django.db import models

from callscope.db.compression import compress, decompress


class CompressedJSONField(models.BinaryField):  # type: ignore[type-arg]
    """Any JSON value, stored compressed; NULL stays None."""

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> Any:
        return None if value is None else json.loads(decompress(bytes(value)))

    def get_prep_value(self, value: Any) -> bytes | None:
        if value is None:
            return None
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return compress(text.encode("utf-8", "surrogatepass"))

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        stored = value if prepared else self.get_prep_value(value)
        return None if stored is None else connection.Database.Binary(stored)

    def to_python(self, value: Any) -> Any:
        return value

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj), ensure_ascii=False)
