"""The bodies of errors that views raise.

Validation is a field → list of sentences; everything else is {"detail": sentence},
with a "reason" where a client can act on it. Rules: docs/api.md, "Errors".
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import UnreadablePostError
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

MEGABYTE = 1024 * 1024
LONGEST_SENTENCE = 1000  # characters; some sentences repeat what was sent


class Conflict(APIException):
    """The resource is not in a state in which this can be done."""

    status_code = status.HTTP_409_CONFLICT
    default_detail = "The resource is not in a state in which this can be done."
    default_code = "conflict"


class TooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."
    default_code = "too_large"


class TrialExceeded(APIException):
    """The upload would go past the trial quota of the user."""

    status_code = status.HTTP_403_FORBIDDEN
    reason = "free_trial_exceeded"
    default_code = "free_trial_exceeded"


class Unavailable(APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = "The service is not available now. Try again later."
    default_code = "unavailable"


def handle(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer to an exception of a view; None leaves it to Django's 500."""
    if isinstance(exc, RequestDataTooBig):
        exc = TooLarge(_size_told(exc))
    elif isinstance(exc, UnreadablePostError):
        exc = ParseError("The request ended before its body was complete.")
    elif isinstance(exc, SuspiciousOperation | BadRequest):
        exc = ParseError(str(exc) or "The request could not be understood.")
    response = exception_handler(exc, context)
    if response is None:
        return None
    if isinstance(exc, ValidationError):
        response.data = by_field(exc.detail)
    elif isinstance(exc, TrialExceeded):
        response.data = {"detail": str(exc.detail), "reason": exc.reason}
    return response


def _size_told(exc: RequestDataTooBig) -> str:
    """Return the sentence of an upload, or one in place of Django's, which names its own setting."""
    if "DATA_UPLOAD_MAX_MEMORY_SIZE" not in str(exc):
        return str(exc)
    return (
        f"The body is too large. At most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MEGABYTE} MB are allowed."
    )


def by_field(detail: Any) -> dict[str, list[str]]:
    """Return validation errors as field → sentences, whatever their nesting."""
    if not isinstance(detail, dict):
        return {str(api_settings.NON_FIELD_ERRORS_KEY): _sentences(detail)}
    return {_sentences(name)[0]: _sentences(value) for name, value in detail.items()}


def _sentences(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        return [s for name, inner in value.items() for s in _sentences(inner, f"{path}{name}: ")]
    if isinstance(value, list | tuple):
        return [s for inner in value for s in _sentences(inner, path)]
    # What was sent may hold half a surrogate pair, which no answer can.
    sentence = f"{path}{value}".encode("utf-8", "replace").decode()
    return [sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:LONGEST_SENTENCE]}…"]
