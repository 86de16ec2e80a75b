"""The project configuration: one document, checked whole, with the path of each error.

Source: docs/api.md, "Project configuration". parse() is the only door; what it
returns is also what is stored, with every default written out.
"""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

import pydantic
import yaml
from pydantic import AfterValidator, BeforeValidator, Field

MAX_DOCUMENT_BYTES = 1_000_000  # a rubric of 60 criteria with long guidelines is under 60 kB
MAX_CRITERIA = 200
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")

RedactionKind = Literal["cards", "security_codes", "digit_runs", "emails", "phones"]
SpeakerRule = Literal["agent", "customer", "any"]


class WrongConfiguration(Exception):
    """The document breaks its rules; `errors` holds (path, reason) pairs in document order."""

    def __init__(self, errors: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {reason}" if path else reason for path, reason in errors))
        self.errors = errors

    def messages(self) -> list[str]:
        """One sentence an error, as the API and the commands show them."""
        return [f"{path}: {reason}" if path else reason for path, reason in self.errors]


def _unique(values: list[str], what: str) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f'the {what} "{value[:80]}" appears twice')
        seen.add(value)


def _clean_text(value: str) -> str:
    if "\x00" in value:
        raise ValueError("must not hold NUL characters")
    if any(0xD800 <= ord(c) <= 0xDFFF for c in value):
        raise ValueError("must not hold lone surrogates")
    return value.strip()


def _filled(value: str) -> str:
    if not value:
        raise ValueError("must not be blank")
    return value


def _identifier(value: str) -> str:
    if not IDENTIFIER.fullmatch(value):
        raise ValueError(f'"{value[:80]}" must be 1 to 64 letters, digits, "_", "-", "." or ":"')
    return value


def _unique_questions(questions: list[str]) -> list[str]:
    _unique(questions, "custom question")
    return questions


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a number")
    return value


def _up_to_six_decimals(value: Decimal) -> Decimal:
    if value != value.quantize(Decimal("0.000001")):
        raise ValueError("must not have more than 6 decimals")
    return value


Text = Annotated[str, Field(max_length=4000), AfterValidator(_clean_text)]
Name = Annotated[str, Field(max_length=255), AfterValidator(_clean_text), AfterValidator(_filled)]
Phrase = Annotated[str, Field(max_length=500), AfterValidator(_clean_text), AfterValidator(_filled)]
Phrases = Annotated[list[Phrase], Field(max_length=500)]
Questions = Annotated[list[Name], Field(max_length=100), AfterValidator(_unique_questions)]
Identifier = Annotated[str, AfterValidator(_clean_text), AfterValidator(_identifier)]
Points = Annotated[
    Decimal,
    BeforeValidator(_no_bool),
    Field(gt=0, le=1_000_000, allow_inf_nan=False),
    AfterValidator(_up_to_six_decimals),
]
Seconds = Annotated[float, BeforeValidator(_no_bool), Field(gt=0, le=86_400, allow_inf_nan=False)]
Hour = Annotated[int, BeforeValidator(_no_bool), Field(ge=0, le=23)]
Channel = Annotated[int, BeforeValidator(_no_bool), Field(ge=0, le=1)]


class _Part(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=False)


class ShiftHours(_Part):
    """Day is day_start ≤ hour < day_end on the call's local hour, wrapping over midnight."""

    day_start: Hour = 8
    day_end: Hour = 20

    @pydantic.model_validator(mode="after")
    def _two_shifts(self) -> "ShiftHours":
        if self.day_start == self.day_end:
            raise ValueError(f"day_start and day_end are both {self.day_start}; they must differ")
        return self


class Goal(_Part):
    description: Text = "The caller's issue is resolved in this call"
    phrases: Phrases = []


class ReasonCode(_Part):
    code: Name
    description: Text = ""
    phrases: Phrases = []


class ContactReasons(_Part):
    mode: Literal["open_ended", "predefined"] = "open_ended"
    codes: Annotated[list[ReasonCode], Field(max_length=500)] = []

    @pydantic.model_validator(mode="after")
    def _predefined_has_codes(self) -> "ContactReasons":
        if self.mode == "predefined" and not self.codes:
            raise ValueError('mode "predefined" needs at least one code')
        _unique([c.code.casefold() for c in self.codes], "code")
        return self


class Rule(_Part):
    """How the rules analyser decides a criterion."""

    speaker: SpeakerRule = "agent"
    within_seconds: Seconds | None = None
    last_seconds: Seconds | None = None
    any_of: Phrases = []
    none_of: Phrases = []
    applies_if: Phrases = []

    @pydantic.model_validator(mode="after")
    def _one_time_window(self) -> "Rule":
        if self.within_seconds is not None and self.last_seconds is not None:
            raise ValueError("within_seconds and last_seconds exclude each other")
        return self


class Criterion(_Part):
    id: Identifier
    name: Name
    guideline: Text = ""
    max_points: Points
    critical: bool = False
    critical_class: Literal["customer", "business", "compliance"] | None = None
    partial_credit: bool = False
    may_not_apply: bool = False
    applies_when: Text | None = None
    rule: Rule | None = None

    @property
    def can_be_not_applicable(self) -> bool:
        return self.may_not_apply or bool(self.rule and self.rule.applies_if)


class Section(_Part):
    name: Name
    criteria: Annotated[list[Criterion], Field(min_length=1, max_length=MAX_CRITERIA)]


class Rubric(_Part):
    name: Text = "Rubric"
    on_critical_error: Literal["flag", "zero_score"] = "flag"
    sections: Annotated[list[Section], Field(max_length=100)] = []

    @pydantic.model_validator(mode="after")
    def _unique_criteria(self) -> "Rubric":
        criteria = [c for s in self.sections for c in s.criteria]
        if len(criteria) > MAX_CRITERIA:
            raise ValueError(f"has {len(criteria)} criteria; at most {MAX_CRITERIA} are allowed")
        _unique([c.id for c in criteria], "criterion id")
        _unique([s.name for s in self.sections], "section name")
        return self

    def criteria(self) -> list[tuple[Section, Criterion]]:
        """Return (section, criterion) pairs in rubric order."""
        return [(s, c) for s in self.sections for c in s.criteria]

    @property
    def total_points(self) -> Decimal:
        return sum((c.max_points for _, c in self.criteria()), Decimal(0))


class Prompt(_Part):
    """Something the agent has to say; a missed prompt when it is nowhere in the call."""

    id: Identifier
    text: Name
    any_of: Annotated[Phrases, Field(min_length=1)]


class Mistake(_Part):
    id: Identifier
    text: Name
    speaker: SpeakerRule = "agent"
    any_of: Annotated[Phrases, Field(min_length=1)]


class NoProtocol(_Part):
    prompts: Annotated[list[Prompt], Field(max_length=200)] = []
    mistakes: Annotated[list[Mistake], Field(max_length=200)] = []

    @pydantic.model_validator(mode="after")
    def _unique_ids(self) -> "NoProtocol":
        _unique([p.id for p in self.prompts], "prompt id")
        _unique([m.id for m in self.mistakes], "mistake id")
        return self


class Channels(_Part):
    """Which channel of a stereo recording is the agent."""

    agent: Channel = 0


class TranscriptGate(_Part):
    """When a transcript is too poor to judge; `score_poor: false` leaves such calls unscored."""

    min_words: Annotated[int, BeforeValidator(_no_bool), Field(ge=0, le=10_000)] = 10
    min_confidence: Annotated[float, BeforeValidator(_no_bool), Field(ge=0, le=1)] = 0.4
    score_poor: bool = True


class Configuration(_Part):
    """Everything that a project asks of its calls."""

    language: Literal["en", "es", "auto"] = "en"
    shift_hours: ShiftHours = ShiftHours()
    private_transcription: bool = False
    redact: Annotated[list[RedactionKind], Field(max_length=5)] = ["cards", "security_codes"]
    channels: Channels = Channels()
    vocabulary: Annotated[list[Phrase], Field(max_length=1000)] = []
    transcript_gate: TranscriptGate = TranscriptGate()
    goal: Goal = Goal()
    contact_reasons: ContactReasons = ContactReasons()
    rubric: Rubric = Rubric()
    no_protocol: NoProtocol = NoProtocol()
    custom_questions: Questions = []

    def as_document(self) -> dict[str, Any]:
        """Return the document with every default, as JSON values; parse() gives the same back."""
        document: dict[str, Any] = _plain(self.model_dump())
        return document


def parse(document: Any) -> Configuration:
    """Return the checked configuration; None and {} mean all defaults.

    Raises WrongConfiguration with every error, each with its path such as
    `rubric.sections[0].criteria[2].max_points`.
    """
    if document is None:
        document = {}
    if not isinstance(document, dict):
        raise WrongConfiguration([("", f"the configuration must be a mapping, not {_kind(document)}")])
    try:
        return Configuration.model_validate(document)
    except pydantic.ValidationError as error:
        raise WrongConfiguration([(_path(e["loc"]), _reason(e)) for e in error.errors()]) from None
    except RecursionError:
        raise WrongConfiguration([("", "the configuration is nested too deeply")]) from None


def parse_yaml(text: str | bytes) -> Configuration:
    """Return the configuration in a YAML (or JSON) text. Raises WrongConfiguration."""
    if len(text) > MAX_DOCUMENT_BYTES:
        raise WrongConfiguration([("", f"the document is larger than {MAX_DOCUMENT_BYTES:,} bytes")])
    try:
        document = yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a subclass of SafeLoader
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        place = f"line {where.line + 1}, column {where.column + 1}: " if where else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise WrongConfiguration([("", f"not readable as YAML: {place}{problem}")]) from None
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise WrongConfiguration(
            [("", f"not readable as YAML: {str(error).splitlines()[0][:200]}")]
        ) from None
    if document is None:  # a file cut to nothing must not take a rubric with it
        raise WrongConfiguration([("", "the document is empty; {} asks for all defaults")])
    return parse(document)


def to_yaml(config: Configuration) -> str:
    """Return the document as YAML, in the order of the documentation."""
    return yaml.safe_dump(config.as_document(), allow_unicode=True, sort_keys=False, width=110)


class _StrictLoader(yaml.SafeLoader):
    """Refuses doubled keys and anchors: the first lose data in silence, the second can grow without end."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str | int | float | bool) or key in seen:
                problem = f'the key "{key}" appears twice' if isinstance(key, str) else "keys must be texts"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "this")


def _reason(error: Any) -> str:
    """Return pydantic's error in our words: what is wrong, the value, what is allowed."""
    context = error.get("ctx", {})
    shown = _shown(error.get("input"))
    match error["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "is not a known setting"
        case "invalid_key":
            return "is not a known setting; names are texts"
        case "string_unicode":
            return "must not hold lone surrogates"
        case "greater_than":
            return f"must be above {context['gt']}{shown}"
        case "greater_than_equal":
            return f"must be at least {context['ge']}{shown}"
        case "less_than_equal":
            return f"must be at most {context['le']}{shown}"
        case "literal_error":
            return f"must be {context['expected'].replace(chr(39), '')}{shown}"
        case "string_type":
            return f"must be a text{shown}"
        case "bool_type" | "bool_parsing":
            return f"must be true or false{shown}"
        case "list_type":
            return f"must be a list{shown}"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"must be a mapping{shown}"
        case "int_type" | "int_parsing" | "int_from_float" | "int_parsing_size":
            return f"must be a whole number{shown}"
        case "decimal_type" | "decimal_parsing" | "float_type" | "float_parsing" | "finite_number":
            return f"must be a number{shown}"
        case "string_too_long":
            return f"must have at most {context['max_length']} characters"
        case "too_short":
            return f"must have at least {context['min_length']} entry"
        case "too_long":
            return f"must have at most {context['max_length']} entries"
        case "value_error":
            return str(context["error"])
        case _:
            return str(error["msg"])


def _shown(value: Any) -> str:
    if isinstance(value, str | int | float | bool) or value is None:
        text = (
            repr(value)
            if not isinstance(value, bool | None)
            else {True: "true", False: "false", None: "null"}[value]
        )
        return f", not {text[:80]}"
    return ""
