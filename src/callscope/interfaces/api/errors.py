"""The bodies of errors that views raise.

Validation is a field → list of sentences; everything else is {"detail": sentence},
with a "reason" where a client can act on it. Rules: docs/api.md, "Errors".
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import UnreadablePostError
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

from callscope.db.trouble import passes_by_itself
from callscope.messages.message import Message

logger = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024
LONGEST_SENTENCE = 1000  # characters; some sentences repeat what was sent


class Conflict(APIException):
    """The resource is not in a state in which this can be done."""

    status_code = status.HTTP_409_CONFLICT
    default_detail = "The resource is not in a state in which this can be done."
    default_code = "conflict"


class Gone(APIException):
    """What was there was removed for good."""

    status_code = status.HTTP_410_GONE
    default_detail = "This was removed."
    default_code = "gone"


class TooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."
    default_code = "too_large"


class Unavailable(APIException):
    """The database is busy or away, or the disk is full: nothing was stored, and a later try may succeed."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = "The database or the disk cannot be used now. Nothing was stored. Try again later."
    default_code = "unavailable"
    wait = 5  # seconds, for Retry-After


class TrialExceeded(APIException):
    """The upload would go past the trial quota of the user."""

    status_code = status.HTTP_403_FORBIDDEN
    reason = "free_trial_exceeded"
    default_code = "free_trial_exceeded"


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to an exception of a view; None leaves it to Django's 500."""
    if isinstance(exc, RequestDataTooBig):
        # Django's own sentence names its setting, which no client knows.
        is_djangos = "DATA_UPLOAD_MAX_MEMORY_SIZE" in str(exc)
        limit_mb = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MEGABYTE
        exc = TooLarge(
            f"The body is too large. At most {limit_mb} MB are allowed." if is_djangos else str(exc)
        )
    elif isinstance(exc, UnreadablePostError):
        exc = ParseError("The request ended before its body was complete.")
    elif passes_by_itself(exc):
        logger.warning("Answered 503: %s", exc)
        exc = Unavailable()
    elif isinstance(exc, SuspiciousOperation | BadRequest):
        exc = ParseError(str(exc) or "The request could not be understood.")
    response = exception_handler(exc, context)
    if response is None:
        return None
    if isinstance(exc, ValidationError):
        response.data = group_by_field(exc.detail)
    elif isinstance(exc, TrialExceeded):
        response.data = {"detail": str(exc.detail), "reason": exc.reason}
    return response


def invalid(errors: Mapping[str, Sequence[Message | str]]) -> ValidationError:
    """Return the error to raise for messages by field, in English."""
    return ValidationError({name: [str(message) for message in found] for name, found in errors.items()})


def group_by_field(detail: Any) -> dict[str, list[str]]:
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
