"""Read a part of the settings from a form or a YAML text, and prepare what its form shows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from django.http import QueryDict

from callscope.interfaces.web.settings_parts.catalog import WHOLE
from callscope.interfaces.web.settings_parts.fields import Block, Field, Part
from callscope.messages.message import Message
from callscope.projects import configuration
from callscope.projects.configuration import InvalidConfiguration


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field with what it holds."""

    field: Field
    path: str
    value: str
    chosen: frozenset[str]
    errors: list[str]

    @property
    def id(self) -> str:
        return f"f-{self.path.replace('.', '-')}"


@dataclass(frozen=True, slots=True)
class ShownBlock:
    block: Block
    fields: list[ShownField]
    errors: list[str] = field(default_factory=list)


def read_form(part: Part, sent: QueryDict) -> dict[str, object]:
    """Return the settings that the fields of the part hold; what is no number stays a text to complain of."""
    document: dict[str, object] = {}
    for path, each in part.fields():
        *around, name = path.split(".")
        target: Any = document.setdefault(around[0], {}) if around else document
        text = sent.get(path, "").strip()
        match each.kind:
            case "boolean":
                target[name] = path in sent
            case "set":
                target[name] = sent.getlist(path)
            case "lines":
                target[name] = split_lines(text)
            case "phrases":
                target[name] = [read_phrase(line) for line in split_lines(text)]
            case "number":
                target[name] = read_number(text)
            case "nullable-number":
                target[name] = read_number(text) if text else None
            case _:
                target[name] = text.replace("\r\n", "\n")
    return document


def read_part(text: str, part: Part) -> Mapping[str, Any]:
    """Return the settings that a YAML text names; of the whole document also those that it leaves out.

    Raises InvalidConfiguration.
    """
    if part is WHOLE:
        return configuration.parse_yaml(text).as_document()
    document = configuration.read_yaml(text)
    if not isinstance(document, dict):
        configuration.parse(document)  # says what it is
    refuse_other_settings(document, part)
    return document  # type: ignore[no-any-return]


def write_part(document: Any, part: Part) -> str:
    """Return the settings of a part as YAML; a document that is none as it is."""
    if part is not WHOLE and isinstance(document, dict):
        document = {name: document[name] for name in part.settings() if name in document}
    return yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=110)


def refuse_other_settings(document: Mapping[str, Any], part: Part) -> None:
    """Raise InvalidConfiguration with every name that is no setting of the part."""
    allowed = part.settings()
    foreign = sorted(str(name)[:80] for name in document if name not in allowed)
    if foreign:
        reason = Message("setting_of_other_part", allowed=", ".join(allowed))
        raise InvalidConfiguration([(name, reason) for name in foreign])


def show_fields(part: Part, document: Mapping[str, Any], errors: Mapping[str, list[str]]) -> list[ShownBlock]:
    """Return the blocks of the part with what the document holds and what is wrong with it."""
    shown = []
    for block in part.blocks:
        inside = document.get(block.object) if block.object else document
        held = inside if isinstance(inside, Mapping) else {}  # a YAML text may say anything
        fields = []
        for each in block.fields:
            path = block.path(each)
            value = held.get(each.name)
            wrong = [text for at, texts in errors.items() if is_within(at, path) for text in texts]
            fields.append(ShownField(each, path, write_value(each.kind, value), list_chosen(value), wrong))
        shown.append(ShownBlock(block, fields, errors.get(block.object, []) if block.object else []))
    return shown


def is_within(path: str, around: str) -> bool:
    """Return whether the path of an error is that of the setting, or of something in it."""
    return path == around or path.startswith((f"{around}[", f"{around}."))


def list_chosen(value: Any) -> frozenset[str]:
    """Return the options that are chosen: several of a set, otherwise the value itself."""
    if isinstance(value, list):
        return frozenset(str(each) for each in value)
    return frozenset() if value in (None, False) else frozenset([str(value)])


def write_value(kind: str, value: Any) -> str:
    """Return a value as its field shows it."""
    if kind in ("lines", "phrases") and isinstance(value, list):
        return "\n".join(
            write_phrase(each) if kind == "phrases" else " ".join(str(each).split("\n")) for each in value
        )
    return "" if value is None else str(value)


def split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_number(text: str) -> int | float | str:
    """Return a number as people write it, 2.5 or 2,5; any other text as it is."""
    if not re.fullmatch(r"-?\d{1,15}([.,]\d{1,15})?", text, re.ASCII):
        return text
    number = float(text.replace(",", "."))
    return int(number) if number.is_integer() else number


def read_phrase(line: str) -> str | dict[str, str]:
    """Return a phrase from its line: a pattern stands between slashes, words that do so after a backslash."""
    if re.fullmatch(r"/.+/", line):
        return {"pattern": line[1:-1]}
    return line[1:] if re.fullmatch(r"\\+/.+/", line) else line


def write_phrase(phrase: Any) -> str:
    """Return the line that read_phrase() takes."""
    if isinstance(phrase, dict):
        return f"/{phrase.get('pattern', '')}/".replace("\n", "\\n")
    words = re.sub(r"\s*\n\s*", " ", str(phrase))
    return f"\\{words}" if re.fullmatch(r"\\*/.+/", words) else words
