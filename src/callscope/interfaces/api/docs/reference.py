"""The OpenAPI document as a page reads it: groups of operations, each with all that a caller has to know."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]

#: What stands for a part of a path in an example: the small world of examples.py.
PLACES = {
    "project_id": "3",
    "file_id": "31",
    "call_id": "12",
    "agent_id": "7",
    "task_id": "76401b67-dfb0-4787-bd1c-ae4b0314f3ea",
    "prefix": "aB3dE6gH",
}
JSON_TYPE = "application/json"
FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body."""

    name: str
    place: str  # path, query, header or body
    kind: str  # such as "integer, or null"
    is_required: bool
    meaning: str
    allowed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back with one status code."""

    status: str
    meaning: str
    example: str  # JSON; "" where the answer has no such body

    @property
    def is_error(self) -> bool:
        """Return whether the code is that of a refusal."""
        return int(self.status) >= FIRST_ERROR


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path."""

    name: str  # its operationId, and the fragment of its address
    method: str
    path: str
    summary: str
    description: str
    parameters: list[Field]
    fields: list[Field]  # of its body
    body: str  # an example, as JSON; "" for none
    command: str  # the same with curl
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class Group:
    """The operations of one tag."""

    name: str
    about: str
    operations: list[Operation]

    @property
    def anchor(self) -> str:
        """Return the fragment of its address."""
        return self.name.lower().replace(" ", "-")


def list_groups(document: Schema) -> list[Group]:
    """Return the operations of an OpenAPI document by tag, in the order of its tags."""
    return [
        Group(
            tag["name"],
            tag["description"],
            [
                _read_operation(document, path, method, operation)
                for path, methods in document["paths"].items()
                for method, operation in methods.items()
                if tag["name"] in operation["tags"]
            ],
        )
        for tag in document["tags"]
    ]


def _read_operation(document: Schema, path: str, method: str, operation: Schema) -> Operation:
    content = operation.get("requestBody", {}).get("content", {})
    kind = JSON_TYPE if JSON_TYPE in content else next(iter(content), "")
    example = content.get(kind, {}).get("example")
    body = "" if example is None or kind != JSON_TYPE else json.dumps(example, indent=2, ensure_ascii=False)
    return Operation(
        operation["operationId"],
        method.upper(),
        path,
        operation["summary"],
        operation.get("description", ""),
        [
            Field(
                each["name"],
                each["in"],
                name_kind(document, each["schema"]),
                bool(each.get("required")),
                each.get("description", ""),
                list_allowed(document, each["schema"]),
            )
            for each in operation.get("parameters", [])
        ],
        list(_list_fields(document, content[kind]["schema"])) if kind else [],
        body,
        write_command(method, path, kind, example),
        [
            Answer(status, each.get("description", ""), _write_example(each))
            for status, each in operation["responses"].items()
        ],
    )


def _list_fields(document: Schema, schema: Schema) -> Iterator[Field]:
    whole = resolve(document, schema)
    for name, each in whole.get("properties", {}).items():
        meaning = each.get("description", "") or resolve(document, each).get("description", "")
        required = name in whole.get("required", ())
        kind = name_kind(document, each)
        yield Field(name, "body", kind, required, meaning, list_allowed(document, each))


def _write_example(response: Schema) -> str:
    content = response.get("content", {}).get(JSON_TYPE, {})
    examples = [each["value"] for each in content.get("examples", {}).values()]
    found = [content["example"]] if "example" in content else examples
    return json.dumps(found[0], indent=2, ensure_ascii=False) if found else ""


def resolve(document: Schema, schema: Schema) -> Schema:
    """Return the schema that a reference, or a single one with a remark, leads to."""
    while "$ref" in schema or len(schema.get("allOf", ())) == 1:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        else:
            schema = schema["allOf"][0]
    return schema


#: What the words of OpenAPI for texts are called.
FORMATS = {"date-time": "date and time", "binary": "file"}


def name_kind(document: Schema, schema: Schema) -> str:
    """Return which values are taken, in words such as "list of integer" or "date, or null"."""
    whole = resolve(document, schema)
    if "oneOf" in whole:
        kinds = [name_kind(document, each) for each in whole["oneOf"]]
    else:
        found = whole.get("type", "any")
        kinds = [found] if isinstance(found, str) else list(found)
    named = []
    for kind in dict.fromkeys(kinds):
        if kind == "array":
            named.append(f"list of {name_kind(document, whole['items'])}")
        elif kind == "string":
            form: str = whole.get("format", "text")
            named.append(FORMATS.get(form, form))
        else:
            named.append(kind)
    named = list(dict.fromkeys(named))
    return f"{', '.join(named[:-1])}, or {named[-1]}" if len(named) > 1 else named[0]


def list_allowed(document: Schema, schema: Schema) -> list[str]:
    """Return the values that alone are taken; [] where there are no such."""
    whole = resolve(document, schema)
    parts = [resolve(document, each) for each in whole.get("oneOf", ())] or [whole]
    return [str(value) for part in parts for value in part.get("enum", ()) if value not in ("", None)]


def write_command(method: str, path: str, kind: str, example: Any) -> str:
    """Return the request as a curl command, as docs/api.md writes them."""
    for name, value in PLACES.items():
        path = path.replace(f"{{{name}}}", value)
    while "{" in path:
        path = path[: path.index("{")] + "5" + path[path.index("}") + 1 :]
    lines = ["curl"] if method == "get" else [f"curl -X {method.upper()}"]
    lines[0] += ' -H "Authorization: Api-Key $CALLSCOPE_API_KEY"'
    if kind == JSON_TYPE:
        lines.append(f'-H "Content-Type: {JSON_TYPE}"')
        lines.append(f"-d {shlex.quote(json.dumps(example, ensure_ascii=False))}")
    elif kind:
        lines += [f"-F {name}={value}" for name, value in (example or {}).items()]
    return " \\\n  ".join([*lines, f'"$CALLSCOPE_URL{path}"'])
