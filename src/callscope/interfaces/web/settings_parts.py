"""The parts of a project's settings: what each holds, its address, and its fields as a form sends them.

A part is made of whole settings of the document. What lists need (the rubric, codes, prompts, trackers) is
in templates of their own; the fields of the others stand here, so that they work without scripts too.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from callscope.interfaces.web.templatetags.setup import REDACTIONS
from callscope.messages.message import Message
from callscope.projects import configuration
from callscope.projects.configuration import Configuration, InvalidConfiguration

Label = str | Promise
Choices = tuple[tuple[str, Label], ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One setting of a form; `kind` is how document.js and read_form() read it."""

    name: str
    label: Label
    kind: str = ""
    choices: Choices = ()
    aside: Label = ""
    unit: Label = ""
    rows: int = 0  # of a text area
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Fields that stand together; those of one object of the document, where it is named."""

    fields: tuple[Field, ...]
    object: str = ""
    title: Label = ""
    hint: Label = ""
    columns: str = ""

    def path(self, field: Field) -> str:
        return f"{self.object}.{field.name}" if self.object else field.name


@dataclass(frozen=True, slots=True)
class Part:
    """Settings with an address of their own."""

    slug: str
    title: Label
    keys: tuple[str, ...] = ()  # of the document
    blocks: tuple[Block, ...] = ()
    hint: Label = ""
    aside: Label = ""
    template: str = ""  # of the fields, where they are lists
    judges: bool = False  # can be tried on calls before it is saved
    is_protecting: bool = False  # for managers alone to change

    def settings(self) -> tuple[str, ...]:
        """Return the names of its settings: all of the document where it is the whole of it."""
        return self.keys or tuple(Configuration.model_fields)

    def fields(self) -> Iterator[tuple[str, Field]]:
        """Yield path and field of every setting in the form."""
        for block in self.blocks:
            for each in block.fields:
                yield block.path(each), each


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


GROUPS: tuple[tuple[Label, tuple[Part, ...]], ...] = (
    (
        _("Judging"),
        (
            Part("rubric", _("Rubric"), ("rubric",), template="web/settings/rubric.html", judges=True),
            Part(
                "reasons",
                _("Contact reasons"),
                ("contact_reasons",),
                template="web/settings/reasons.html",
                judges=True,
            ),
            Part(
                "goal",
                _("Goal of the caller"),
                ("goal",),
                (
                    Block(
                        (
                            Field("description", _("Reached when"), rows=4),
                            Field("phrases", _("Phrases that show it, one per line"), "phrases", rows=4),
                        ),
                        "goal",
                        columns="halves",
                    ),
                ),
                judges=True,
            ),
            Part(
                "protocol",
                _("Prompts and mistakes"),
                ("no_protocol",),
                template="web/settings/protocol.html",
                judges=True,
            ),
            Part(
                "questions",
                _("Questions"),
                ("custom_questions",),
                (
                    Block(
                        (
                            Field(
                                "custom_questions",
                                _("Asked about every call, one per line"),
                                "lines",
                                rows=8,
                            ),
                        ),
                        columns="one-column",
                    ),
                ),
                judges=True,
            ),
            Part(
                "trackers",
                _("Trackers"),
                ("trackers",),
                hint=_("Rules for all calls that do not earn points; a call shows where they match."),
                template="web/settings/trackers.html",
                judges=True,
            ),
        ),
    ),
    (
        _("Calls and report"),
        (
            Part(
                "calls",
                _("Language and shifts"),
                ("language", "shift_hours"),
                (
                    Block(
                        (
                            Field(
                                "language",
                                _("Language of the calls"),
                                choices=(
                                    ("en", _("English")),
                                    ("es", _("Spanish")),
                                    ("auto", _("detected in each call")),
                                ),
                            ),
                        ),
                    ),
                    Block(
                        (
                            Field("day_start", _("Day shift starts at (hour)"), "number"),
                            Field("day_end", _("and ends before hour"), "number"),
                        ),
                        "shift_hours",
                    ),
                ),
            ),
            Part(
                "targets",
                _("Targets of the report"),
                ("targets",),
                (
                    Block(
                        (
                            Field("average_score", _("Average score, at least"), "nullable-number", unit="%"),
                            Field(
                                "goal_reached_pct", _("Goal reached, at least"), "nullable-number", unit="%"
                            ),
                            Field(
                                "critical_error_pct",
                                _("Critical errors, at most"),
                                "nullable-number",
                                unit="%",
                            ),
                            Field(
                                "negative_sentiment_pct",
                                _("Negative sentiment, at most"),
                                "nullable-number",
                                unit="%",
                            ),
                        ),
                        "targets",
                    ),
                ),
                hint=_("In percent; leave empty for none. Criteria have theirs in the rubric."),
            ),
            Part(
                "reviews",
                _("Reviews by people"),
                ("reviews",),
                (
                    Block(
                        (
                            Field(
                                "counts",
                                _("Result of a reviewed call"),
                                choices=(
                                    ("final", _("the answers of the person")),
                                    ("machine", _("the answers of the machine")),
                                ),
                            ),
                            Field(
                                "weak_criteria",
                                _("Criteria on which machine and people disagree"),
                                choices=(
                                    ("count", _("count as they are")),
                                    ("ask_a_person", _("wait for a person")),
                                ),
                            ),
                            Field("appeal_days", _("Days to appeal"), "number"),
                        ),
                        "reviews",
                    ),
                ),
                aside=_(
                    "A criterion waits for a person when the kappa of the machine and people is certainly "
                    "below 0.6, over 20 blind answers or more. The machine’s answers to it do not count "
                    "until a person reviews the call; a worker updates all calls."
                ),
            ),
        ),
    ),
    (
        _("Data"),
        (
            Part(
                "transcription",
                _("Transcription"),
                ("channels", "vocabulary", "transcript_gate"),
                (
                    Block(
                        (
                            Field(
                                "agent",
                                _("Agent's channel in stereo recordings"),
                                "number",
                                choices=(("0", _("left")), ("1", _("right"))),
                            ),
                        ),
                        "channels",
                    ),
                    Block(
                        (
                            Field(
                                "vocabulary",
                                _("Names and terms from your industry, one per line"),
                                "lines",
                                rows=5,
                            ),
                        ),
                        columns="one-column",
                    ),
                    Block(
                        (
                            Field("min_words", _("Fewer words than"), "number"),
                            Field("min_confidence", _("Confidence below (0 to 1)"), "number"),
                            Field("min_known_words", _("Share of known words below (0 to 1)"), "number"),
                            Field(
                                "score_poor",
                                _("Score these calls anyway, with a warning"),
                                "boolean",
                                wide=True,
                            ),
                        ),
                        "transcript_gate",
                        _("When a transcript is too poor to judge"),
                    ),
                ),
            ),
            Part(
                "privacy",
                _("Privacy"),
                ("private_transcription", "redact"),
                (
                    Block(
                        (
                            Field(
                                "private_transcription",
                                _("Private transcription: recordings never go to another company's service"),
                                "boolean",
                                aside=_(
                                    "Calls that came in while this was on stay private "
                                    "after it is turned off."
                                ),
                            ),
                            Field(
                                "redact",
                                _("Redact in transcripts and recordings"),
                                "set",
                                choices=tuple(REDACTIONS.items()),
                            ),
                        ),
                        columns="one-column",
                    ),
                ),
                is_protecting=True,
            ),
            Part(
                "retention",
                _("Retention"),
                ("retention",),
                (
                    Block(
                        (
                            Field("recordings_days", _("Recordings"), "nullable-number", unit=_("days")),
                            Field(
                                "transcripts_days",
                                _("Transcripts and quotes"),
                                "nullable-number",
                                unit=_("days"),
                            ),
                            Field(
                                "results_days", _("Results and figures"), "nullable-number", unit=_("days")
                            ),
                        ),
                        "retention",
                        _("Days after which data is removed"),
                        _("Counted from the upload. Without a number, it is kept."),
                    ),
                ),
                is_protecting=True,
            ),
        ),
    ),
    (
        _("Project"),
        (
            Part("general", _("Name, team, deletion")),
            Part("yaml", _("All settings as YAML")),
        ),
    ),
)
PARTS = {part.slug: part for _title, parts in GROUPS for part in parts}
WHOLE = PARTS["yaml"]
#: What decides nothing where transcripts are not judged.
OF_CALLS = frozenset(
    part.slug for part in PARTS.values() if part.judges or part.slug in ("targets", "reviews")
)


def list_groups(*, is_judged: bool) -> list[tuple[Label, list[Part]]]:
    """Return the parts of a project in their groups; fewer where calls are not judged."""
    shown = [
        (title, [part for part in parts if is_judged or part.slug not in OF_CALLS]) for title, parts in GROUPS
    ]
    return [(title, parts) for title, parts in shown if parts]


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
        fields = []
        for each in block.fields:
            path = block.path(each)
            value = (document.get(block.object) or {}).get(each.name) if block.object else document.get(path)
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
