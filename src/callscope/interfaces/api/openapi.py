"""Parts of the OpenAPI document that several views share."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema_field,
    inline_serializer,
)
from rest_framework import serializers

from callscope.interfaces.api import examples
from callscope.interfaces.api.fields import TextOrNumber

VALIDATION = {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
DETAIL = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}
DETAIL_AND_REASON = {
    "type": "object",
    "properties": {
        "detail": {"type": "string"},
        "reason": {"type": "string", "enum": ["free_trial_exceeded"]},
    },
    "required": ["detail"],
}

_ERRORS: dict[int, tuple[Any, str, Any]] = {
    400: (
        {"oneOf": [VALIDATION, DETAIL]},
        "A field or a parameter is wrong: its name → sentences. A body that cannot be read: detail.",
        {"direction": ['"sideways" is not a direction. Allowed: inbound, outbound.']},
    ),
    401: (DETAIL, "No credentials were sent.", {"detail": "Authentication credentials were not provided."}),
    403: (
        DETAIL_AND_REASON,
        "The credentials are not valid, the role is too weak, or the trial quota is used up (with reason).",
        {"detail": "Your role in this project is viewer. Viewers cannot change anything."},
    ),
    404: (DETAIL, "It does not exist, or is not visible to the caller.", {"detail": "Not found."}),
    406: (DETAIL, "The Accept header names no type that this path has.", {"detail": "Not acceptable."}),
    409: (
        DETAIL,
        "The task has not failed.",
        {"detail": 'The task is "done". Only a failed task can be tried again.'},
    ),
    411: (
        DETAIL,
        "The body came in chunks, without a Content-Length.",
        {"detail": "Send the body with a Content-Length, not in chunks."},
    ),
    413: (
        DETAIL,
        "The upload is too large.",
        {"detail": "The upload is too large. At most 2048 MB are allowed."},
    ),
    415: (
        DETAIL,
        "The body has a type that this path does not read.",
        {"detail": 'Unsupported media type "text/csv".'},
    ),
    416: (
        DETAIL,
        "The file ends before the range begins.",
        {"detail": "The file ends before the range begins."},
    ),
    429: (DETAIL, "The rate limit is exceeded; Retry-After says for how many seconds.", {"detail": "Wait."}),
}
HEADERS = {
    "401": {
        "WWW-Authenticate": {
            "description": "The scheme to use.", "schema": {"type": "string", "const": "Api-Key"},
        }
    },
    "429": {
        "Retry-After": {
            "description": "Seconds until the next request is answered.", "schema": {"type": "integer"},
        }
    },
}  # fmt: skip
ALWAYS = (401, 403, 406, 415, 429)  # what every path can answer
BODY = (400, 411, 413)  # and every path that reads a body


def errors(*codes: int) -> dict[int, OpenApiResponse]:
    """Return the error responses with these status codes, and those that every path can give."""
    return {
        code: OpenApiResponse(
            _ERRORS[code][0],
            _ERRORS[code][1],
            examples=[OpenApiExample(f"{code}", value=_ERRORS[code][2], status_codes=[str(code)])],
        )
        for code in sorted({*codes, *ALWAYS})
    }


def integer(name: str, description: str) -> OpenApiParameter:
    """Return a query parameter that holds an integer."""
    return OpenApiParameter(name, OpenApiTypes.INT, OpenApiParameter.QUERY, description=description)


PAGE = OpenApiParameter(
    "page", OpenApiTypes.STR, OpenApiParameter.QUERY, description='Number of the page from 1, or "last".'
)
RANGE = OpenApiParameter(
    "Range",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='One range of bytes, such as "bytes=0-1023".',
)


def add_what_holds_for_all(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to each operation an example of its answer, and what no view needs to say of itself.

    A blank query parameter counts as absent; some errors come with a header.
    """
    for path in result["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "query":
                    parameter["allowEmptyValue"] = True
            for status, headers in HEADERS.items():
                if status in operation["responses"]:
                    operation["responses"][status]["headers"] = headers
            if operation["operationId"] in examples.ANSWERS:
                status, value = examples.ANSWERS[operation["operationId"]]
                operation["responses"][status]["content"]["application/json"]["example"] = value
    return result


def page_of(item: type[serializers.BaseSerializer[Any]]) -> Any:
    """Return the envelope of a list: count, next, previous, results."""
    return inline_serializer(
        f"PageOf{item.__name__}",
        {
            "count": serializers.IntegerField(),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": item(many=True),
        },
    )


def nullable(serializer: type[serializers.BaseSerializer[Any]]) -> Callable[[Any], Any]:
    """Mark what a method returns as this object or null."""
    return extend_schema_field(serializer(allow_null=True))


class MetadataChange(serializers.Serializer[Any]):
    """The six metadata fields; only those that are sent are changed."""

    call_datetime = serializers.DateTimeField(required=False, help_text="ISO 8601; cannot be cleared.")
    agent_id = TextOrNumber(required=False)
    agent_name = serializers.CharField(required=False, allow_blank=True, max_length=255)
    direction = serializers.ChoiceField(["inbound", "outbound", ""], required=False)
    caller_number = TextOrNumber(required=False)
    campaign = serializers.CharField(required=False, allow_blank=True, max_length=255)


class Upload(MetadataChange):
    """A file and what is known about its call."""

    project = serializers.IntegerField()
    file = serializers.FileField()
    file_type = serializers.ChoiceField(
        ["audio", "srt", "vtt"], required=False, help_text="Told from the content when omitted."
    )


class ManifestUpload(serializers.Serializer[Any]):
    """A CSV with a header row; columns filename, call_datetime and any other metadata field."""

    file = serializers.FileField()


class _ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "callscope.interfaces.api.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Api-Key <prefix>.<secret>`, with exactly one space after `Api-Key`.",
        }


class _SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "callscope.interfaces.api.authentication.SessionAuthentication"
    name = "Session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "callscope_session",
            "description": "The session of the pages. Unsafe methods also need the header X-CSRFToken.",
        }
