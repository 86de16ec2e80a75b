"""Read what the modules and forms of the pages send."""

import json
from typing import Any

from django.http import HttpRequest
from django.http.request import RawPostDataException

NO_ID = -1  # no row has it


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the object in the body; an empty one when there is none, or a form instead."""
    try:
        document = json.loads(request.body)
    except (ValueError, RecursionError, RawPostDataException):
        return {}
    return document if isinstance(document, dict) else {}


def parse_id(text: str) -> int:
    """Return the id, or NO_ID for a text that is not a number of at most 18 digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else NO_ID
