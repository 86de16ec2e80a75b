"""The project configuration: one document, checked whole, with the path of each error.

Source: docs/api.md, "Project configuration". Every document passes parse(); what
it returns is also what is stored, with every default written out.
"""

import json
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal

import pydantic
import yaml
from pydantic import BeforeValidator, Field

from callscope.messages.message import Message, quoted
from callscope.projects.configuration_errors import InvalidValue, explain_error, format_path
from callscope.projects.configuration_fields import (
    MAX_PHRASES,
    Channel,
    Days,
    Hour,
    Identifier,
    Line,
    Name,
    Part,
    Percent,
    Points,
    Questions,
    Text,
    refuse_bool,
    refuse_many_phrases,
    refuse_repeats,
)
from callscope.projects.configuration_rules import (
    MAX_TRACKERS,
    Pattern,
    Phrases,
    Rule,
    SpeakerRule,
    Tracker,
    find_wrong_references,
)

__all__ = ["MAX_PHRASES", "Configuration", "Criterion", "Pattern", "Rule", "Tracker", "parse", "parse_yaml"]

MAX_DOCUMENT_BYTES = 1_000_000  # a rubric of 60 criteria with long guidelines is under 60 kB
MAX_CRITERIA = 200
MAX_CODES = 500  # of contact reasons
TYPE_NAMES = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}

RedactionKind = Literal["cards", "security_codes", "digit_runs", "emails", "phones"]


class InvalidConfiguration(Exception):
    """The document breaks its rules; `errors` holds (path, reason) pairs in document order."""

    def __init__(self, errors: list[tuple[str, Message]]) -> None:
        self.errors = errors
        super().__init__("; ".join(self.messages()))

    def messages(self) -> list[str]:
        """Return one English sentence for each error, as the API and the commands show them."""
        return [f"{path}: {reason}" if path else str(reason) for path, reason in self.errors]


class ShiftHours(Part):
    """Day is day_start ≤ hour < day_end on the call's local hour, wrapping over midnight."""

    day_start: Hour = 8
    day_end: Hour = 20

    @pydantic.model_validator(mode="after")
    def _two_shifts(self) -> "ShiftHours":
        if self.day_start == self.day_end:
            raise InvalidValue("equal_shift_hours", value=self.day_start)
        return self

    def contains(self, hour: int) -> bool:
        """True if a local hour (0 to 23) belongs to the day shift."""
        if self.day_start < self.day_end:
            return self.day_start <= hour < self.day_end
        return hour >= self.day_start or hour < self.day_end

    @property
    def hours_over_midnight(self) -> int | None:
        """Return how many hours a day has that goes on after midnight; None for one that ends by then."""
        return 24 - self.day_start + self.day_end if 0 < self.day_end < self.day_start else None


class Goal(Part):
    description: Text = "The caller's issue is resolved in this call"
    phrases: Phrases = []


class ReasonCode(Part):
    code: Name
    description: Text = ""
    phrases: Phrases = []


class ContactReasons(Part):
    mode: Literal["open_ended", "predefined"] = "open_ended"
    codes: Annotated[list[ReasonCode], Field(max_length=MAX_CODES)] = []

    @pydantic.model_validator(mode="after")
    def _predefined_has_codes(self) -> "ContactReasons":
        if self.mode == "predefined" and not self.codes:
            raise InvalidValue("codes_missing")
        refuse_repeats([c.code.casefold() for c in self.codes], "code_twice")
        return self


class Criterion(Part):
    id: Identifier
    name: Name
    guideline: Text = ""
    max_points: Points
    critical: bool = False
    critical_class: Literal["customer", "business", "compliance"] | None = None
    partial_credit: bool = False
    may_not_apply: bool = False
    applies_when: Text | None = None
    target_pct: Percent | None = None  # of its average
    rule: Rule | None = None

    @property
    def can_be_not_applicable(self) -> bool:
        return self.may_not_apply or bool(self.rule and self.rule.applies_if)


class Section(Part):
    name: Name
    criteria: Annotated[list[Criterion], Field(min_length=1, max_length=MAX_CRITERIA)]


class Rubric(Part):
    name: Text = "Rubric"
    on_critical_error: Literal["flag", "zero_score"] = "flag"
    on_unverified: Literal["refuse", "count"] = "refuse"
    sections: Annotated[list[Section], Field(max_length=100)] = []

    @pydantic.model_validator(mode="after")
    def _unique_criteria(self, info: pydantic.ValidationInfo) -> "Rubric":
        criteria = [c for s in self.sections for c in s.criteria]
        if len(criteria) > MAX_CRITERIA:
            raise InvalidValue("too_many_criteria", count=len(criteria), most=MAX_CRITERIA)
        rules = [c.rule for c in criteria if c.rule]
        refuse_many_phrases(sum(len(phrases) for r in rules for phrases in r.phrase_lists()), info)
        refuse_repeats([c.id for c in criteria], "criterion_twice")
        refuse_repeats([s.name for s in self.sections], "section_twice")
        return self

    def criteria(self) -> list[tuple[Section, Criterion]]:
        """Return (section, criterion) pairs in rubric order."""
        return [(s, c) for s in self.sections for c in s.criteria]

    @property
    def total_points(self) -> Decimal:
        return sum((c.max_points for _, c in self.criteria()), Decimal(0))


class Prompt(Part):
    """Something the agent has to say; a missed prompt when it is nowhere in the call."""

    id: Identifier
    text: Name
    any_of: Annotated[Phrases, Field(min_length=1)]


class Mistake(Part):
    id: Identifier
    text: Name
    speaker: SpeakerRule = "agent"
    any_of: Annotated[Phrases, Field(min_length=1)]


class NoProtocol(Part):
    prompts: Annotated[list[Prompt], Field(max_length=200)] = []
    mistakes: Annotated[list[Mistake], Field(max_length=200)] = []

    @pydantic.model_validator(mode="after")
    def _unique_ids(self, info: pydantic.ValidationInfo) -> "NoProtocol":
        refuse_repeats([p.id for p in self.prompts], "prompt_twice")
        refuse_repeats([m.id for m in self.mistakes], "mistake_twice")
        lists = [p.any_of for p in self.prompts] + [m.any_of for m in self.mistakes]
        refuse_many_phrases(sum(map(len, lists)), info)
        return self


class Channels(Part):
    """Which channel of a stereo recording is the agent."""

    agent: Channel = 0


class TranscriptGate(Part):
    """When a transcript is too poor to judge; `score_poor: false` leaves such calls unscored.

    Below `min_confidence` or `min_known_words` a call is half heard: what was said is not known.
    """

    min_words: Annotated[int, BeforeValidator(refuse_bool), Field(ge=0, le=10_000)] = 10
    min_confidence: Annotated[float, BeforeValidator(refuse_bool), Field(ge=0, le=1)] = 0.5
    min_known_words: Annotated[float, BeforeValidator(refuse_bool), Field(ge=0, le=1)] = 0.7
    score_poor: bool = True


class Retention(Part):
    """Days after the upload at which each is removed; None keeps it."""

    recordings_days: Days | None = None
    transcripts_days: Days | None = None
    results_days: Days | None = None

    @property
    def is_set(self) -> bool:
        return any((self.recordings_days, self.transcripts_days, self.results_days))


class Reviews(Part):
    """What the reviews of people change."""

    counts: Literal["final", "machine"] = "final"  # whose answers are the result of a reviewed call
    weak_criteria: Literal["count", "ask_a_person"] = "count"
    appeal_days: Days = 14


class Targets(Part):
    """What the figures of the report should be, percent; None: no target."""

    average_score: Percent | None = None
    critical_error_pct: Percent | None = None
    negative_sentiment_pct: Percent | None = None
    goal_reached_pct: Percent | None = None


class Configuration(Part):
    """Everything that a project asks of its calls."""

    language: Literal["en", "es", "auto"] = "en"
    shift_hours: ShiftHours = ShiftHours()
    private_transcription: bool = False
    redact: Annotated[list[RedactionKind], Field(max_length=5)] = ["cards", "security_codes"]
    channels: Channels = Channels()
    vocabulary: Annotated[list[Line], Field(max_length=1000)] = []
    transcript_gate: TranscriptGate = TranscriptGate()
    goal: Goal = Goal()
    contact_reasons: ContactReasons = ContactReasons()
    rubric: Rubric = Rubric()
    no_protocol: NoProtocol = NoProtocol()
    custom_questions: Questions = []
    trackers: Annotated[list[Tracker], Field(max_length=MAX_TRACKERS)] = []

    @pydantic.field_validator("trackers")
    @classmethod
    def _unique_trackers(cls, trackers: list[Tracker]) -> list[Tracker]:
        refuse_repeats([t.id for t in trackers], "tracker_twice")
        return trackers

    targets: Targets = Targets()
    reviews: Reviews = Reviews()
    retention: Retention = Retention()

    def as_document(self) -> dict[str, Any]:
        """Return the document with every default, as JSON values; parse() gives the same back."""
        document: dict[str, Any] = _to_json_values(self.model_dump())
        return document


def parse(document: Any, *, is_stored: bool = False) -> Configuration:
    """Return the checked configuration; None and {} mean all defaults.

    A document that `is_stored` may hold more phrases than a new one: it was stored before that limit.
    Raises InvalidConfiguration with every error, each with its path such as
    `rubric.sections[0].criteria[2].max_points`.
    """
    if document is None:
        document = {}
    if not isinstance(document, dict):
        kind = TYPE_NAMES.get(type(document), "this")
        raise InvalidConfiguration([("", Message("root_not_mapping", kind=kind))])
    try:
        config = Configuration.model_validate(document, context={"is_stored": is_stored})
    except pydantic.ValidationError as error:
        raise InvalidConfiguration(
            [(format_path(e["loc"]), explain_error(e)) for e in error.errors()]
        ) from None
    except RecursionError:
        raise InvalidConfiguration([("", Message("root_too_deep"))]) from None
    if wrong := find_wrong_references(config, is_stored=is_stored):
        raise InvalidConfiguration(wrong)
    return config


def parse_stored(document: Any) -> Configuration:
    """Return the configuration of a stored document. Raises InvalidConfiguration.

    Each content is parsed once and its result shared: pages read the same few documents again and again.
    """
    return parse_stored_text(json.dumps(document))


@lru_cache(maxsize=256)
def parse_stored_text(text: str) -> Configuration:
    return parse(json.loads(text), is_stored=True)


def parse_yaml(text: str | bytes) -> Configuration:
    """Return the configuration in a YAML (or JSON) text. Raises InvalidConfiguration."""
    return parse_sent(read_yaml(text))


def parse_sent(document: Any) -> Configuration:
    """Return the configuration that somebody sends. Raises InvalidConfiguration.

    Without a language it is "auto": nobody said that the calls are English.
    """
    return parse({"language": "auto", **document} if isinstance(document, dict) else document)


def read_yaml(text: str | bytes) -> Any:
    """Return the document in a YAML (or JSON) text, not checked. Raises InvalidConfiguration."""
    if len(text) > MAX_DOCUMENT_BYTES:
        raise InvalidConfiguration([("", Message("document_too_large", count=f"{MAX_DOCUMENT_BYTES:,}"))])
    try:
        document = yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a subclass of SafeLoader
    except yaml.YAMLError as error:
        raise InvalidConfiguration([("", _explain_yaml_error(error))]) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # Some of them come from a tag on a text that it does not fit, such as `!!int ""`.
        problem = quoted(" ".join(str(error).split())[:200])
        raise InvalidConfiguration([("", Message("unreadable_yaml", problem=problem))]) from None
    if document is None:  # a file cut to nothing must not take a rubric with it
        raise InvalidConfiguration([("", Message("document_empty"))])
    return document


def to_yaml(config: Configuration) -> str:
    """Return the document as YAML, in the order of the documentation."""
    return yaml.safe_dump(config.as_document(), allow_unicode=True, sort_keys=False, width=110)


class _YamlRefused(yaml.MarkedYAMLError):
    """YAML that is valid but not accepted."""

    def __init__(self, message: Message, mark: yaml.Mark) -> None:
        super().__init__(problem=str(message), problem_mark=mark)
        self.message = message


class _StrictLoader(yaml.SafeLoader):
    """Refuse duplicate keys and aliases."""

    # YAML keeps the last of two equal keys and says nothing; nested aliases can expand to any size.

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise _YamlRefused(Message("yaml_alias"), event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str | int | float | bool) or key in seen:
                is_text = isinstance(key, str)
                problem = Message("yaml_key_twice", value=key) if is_text else Message("yaml_key_no_text")
                raise _YamlRefused(problem, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def _to_json_values(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _to_json_values(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_to_json_values(v) for v in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _explain_yaml_error(error: yaml.YAMLError) -> Message:
    text = getattr(error, "problem", None) or str(error).splitlines()[0]
    problem = error.message if isinstance(error, _YamlRefused) else quoted(text)
    if "<" in text:  # the parser's names of what it read: '<stream end>'
        problem = Message("yaml_out_of_place")
    if where := getattr(error, "problem_mark", None):
        return Message("unreadable_yaml_at", line=where.line + 1, column=where.column + 1, problem=problem)
    return Message("unreadable_yaml", problem=problem)
