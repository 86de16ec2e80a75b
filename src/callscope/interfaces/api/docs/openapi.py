"""Parts of the OpenAPI document that several views share."""

import inspect
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    inline_serializer,
)
from rest_framework import serializers

from callscope.interfaces.api.docs import examples, request_examples, rubric_examples

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
        "The credentials are invalid, the role does not allow it, or the trial quota is used up.",
        {"detail": "Your role in this project is viewer. Viewers cannot change anything."},
    ),
    404: (DETAIL, "It does not exist, or is not visible to the caller.", {"detail": "Not found."}),
    406: (
        DETAIL,
        "The Accept header names no type that this path can return.",
        {"detail": "Not acceptable."},
    ),
    409: (
        DETAIL,
        "The task has not failed, or the file is not redacted yet.",
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
        "The body has a content type that this path does not accept.",
        {"detail": 'Unsupported media type "text/csv".'},
    ),
    410: (
        DETAIL,
        "The project's retention period removed it.",
        {"detail": "The retention of the project removed it on 2026-03-01 (UTC)."},
    ),
    416: (
        DETAIL,
        "The range starts after the end of the file.",
        {"detail": "The range starts after the end of the file."},
    ),
    429: (DETAIL, "The rate limit is exceeded; Retry-After says for how many seconds.", {"detail": "Wait."}),
}
TAGS = {  # what each group of operations is about, in the order in which they are read
    "Reports": "What the calls of a period say together, as JSON and as PDF.",
    "Calls": "Single calls, all that was found in them, and the progress of analyses.",
    "Files": "Recordings and transcripts: upload, metadata, retries.",
    "Projects": "Projects, their configuration and manifests.",
    "Contact reasons": "Why callers call: name, merge, split and undo.",
    "Reviews": "What people judge: reviews, samples, calibrations, appeals, notes.",
    "Rubrics": "Check, replay, probe and restore a rubric before it counts.",
    "Access": "Keys, invitations, and users who see their own calls.",
    "Usage": "What engines were used for, and what it cost.",
    "Audit": "Who did what, and when.",
}
HEADERS = {
    "401": {
        "WWW-Authenticate": {
            "description": "The scheme to use.", "schema": {"type": "string", "const": "Api-Key"},
        }
    },
    "429": {
        "Retry-After": {
            "description": "Seconds to wait before the next request.", "schema": {"type": "integer"},
        }
    },
}  # fmt: skip
ALWAYS = (401, 403, 406, 415, 429)  # what every path can answer
BODY = (400, 411, 413)  # and every path that reads a body


def error_responses(*codes: int) -> dict[int, OpenApiResponse]:
    """Return the error responses with these status codes, and those that every path can give."""
    return {
        code: OpenApiResponse(
            _ERRORS[code][0],
            _ERRORS[code][1],
            examples=[OpenApiExample(f"{code}", value=_ERRORS[code][2], status_codes=[str(code)])],
        )
        for code in sorted({*codes, *ALWAYS})
    }


def integer_parameter(name: str, description: str) -> OpenApiParameter:
    """Return a query parameter that holds an integer."""
    return OpenApiParameter(name, OpenApiTypes.INT, OpenApiParameter.QUERY, description=description)


def text_parameter(name: str, description: str) -> OpenApiParameter:
    """Return a query parameter that holds a text."""
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.QUERY, description=description)


PAGE = OpenApiParameter(
    "page", OpenApiTypes.STR, OpenApiParameter.QUERY, description='Page number, from 1, or "last".'
)
RANGE = OpenApiParameter(
    "Range",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='One range of bytes, such as "bytes=0-1023".',
)


def add_shared_parts(result: dict[str, Any], generator: Any, **_: Any) -> dict[str, Any]:
    """Add to each operation examples of its body and answer, and what no view needs to say of itself.

    A blank query parameter counts as absent; some errors come with a header.
    """
    class_docs = _list_class_docs(generator)
    result["tags"] = [{"name": name, "description": about} for name, about in TAGS.items()]
    for path in result["paths"].values():
        for operation in path.values():
            _summarize(operation, class_docs)
            for content in operation.get("requestBody", {}).get("content", {}).values():
                content["example"] = request_examples.BODIES[operation["operationId"]]
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


def _summarize(operation: dict[str, Any], class_docs: set[str]) -> None:
    """Let the first sentence of an operation be its summary, and what follows its description.

    The docstring of a class says nothing of an operation: it is for those who change the class.
    """
    description = "" if operation.get("description") in class_docs else operation.get("description", "")
    if "summary" not in operation:
        first, _, rest = description.partition(". ")
        line, _, paragraphs = first.partition("\n\n")
        operation["summary"] = line.removesuffix(".").replace("\n", " ")
        description = "\n\n".join(filter(None, (paragraphs, rest))).strip()
    operation["description"] = description


def _list_class_docs(generator: Any) -> set[str]:
    views = {callback.cls for _path, _pattern, _method, callback in generator.endpoints}
    return {inspect.getdoc(each) or "" for view in views for each in view.__mro__}


def estimated(item: type[serializers.BaseSerializer[Any]]) -> OpenApiResponse:
    """Return the answer to who asked what something will cost, and did not start it."""
    value = {"id": None, "estimate": rubric_examples.ESTIMATE}
    return OpenApiResponse(item, "Nothing was queued.", [OpenApiExample("The estimate alone", value=value)])


def paginated(item: type[serializers.BaseSerializer[Any]]) -> Any:
    """Return the envelope of a list: count, next, previous, results."""
    return inline_serializer(
        f"PageOf{item.__name__.removesuffix('Serializer')}",
        {
            "count": serializers.IntegerField(),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": item(many=True),
        },
    )


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
            "description": "The session of the pages; over HTTPS its name begins with `__Host-`. "
            "Unsafe methods also need the header X-CSRFToken.",
        }
