"""Read one line of the import format: an analysed call, checked whole.

Format: docs/api.md, "Import and export". A line that breaks a rule raises
WrongLine with the value and what is allowed; nothing of it is stored.

No Django here: a process of its own reads the lines of a large file.
"""

import datetime as dt
import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from callscope.calls.moments import FIRST_YEAR, LAST_YEAR
from callscope.pipeline import import_parts
from callscope.pipeline.import_parts import WrongLine, choice, refuse, text
from callscope.reports.scores import CallScore, score_call

MAX_FILE_NAME = 255
MAX_DURATION_S = 10_000_000  # 115 days: longer than any call, and far inside a BIGINT of microseconds
MICROSECONDS = 1_000_000
# Escapes that JSON allows and a database does not; the rare line that holds one is searched in full.
SUSPICIOUS_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a project and a server say about lines that do not say it themselves."""

    on_critical_error: str
    zone: dt.tzinfo  # of times without an offset
    marks: import_parts.Marks = field(default_factory=dict)


@dataclass(slots=True)
class ImportedCall:
    """One line, checked. None means that the line does not say; in texts absent and "" are the same."""

    file_name: str
    call_datetime: dt.datetime | None
    call_datetime_source: str  # "" unless the line says
    uploaded_at: dt.datetime | None
    analyzed_at: dt.datetime | None
    duration_us: int | None
    agent_id: str
    agent_name: str
    agent_source: str
    direction: str
    caller_number: str
    campaign: str
    contact_reason: str | None  # "" takes a reason away, None keeps what a grouping gave to the same results
    copc: dict[str, Any] | None
    no_protocol: dict[str, Any] | None
    custom_questions: dict[str, Any] | None
    insights: dict[str, Any] | None
    score: CallScore  # of `copc`

    @property
    def has_results(self) -> bool:
        """Whether any analysis has run; a call without stays out of the reports."""
        return not (
            self.copc is None
            and self.no_protocol is None
            and self.custom_questions is None
            and self.insights is None
        )


def parse_line(raw: bytes, rules: Rules) -> ImportedCall:
    """Return the call in one line of JSON. Raises WrongLine."""
    document = _load(raw)
    name = document.get("file_name")
    if not isinstance(name, str) or not name.strip():
        refuse("file_name", name, f"a text of 1 to {MAX_FILE_NAME} characters; it is required")
    if len(name) > MAX_FILE_NAME:
        raise WrongLine(f"file_name has {len(name)} characters; at most {MAX_FILE_NAME} are allowed")
    try:
        call = checked_call(document, rules)
        call.copc = import_parts.copc(document.get("copc"), rules.on_critical_error, rules.marks)
    except WrongLine as error:
        raise WrongLine(error.reason, file_name=name) from None
    call.score = score_call(call.copc)
    return call


def checked_call(document: dict[str, Any], rules: Rules) -> ImportedCall:
    """Return the call in a line, without its copc result; its name is checked already. Raises WrongLine."""
    get = document.get
    reason = get("contact_reason")
    return ImportedCall(
        file_name=document["file_name"],
        call_datetime=_moment(get("call_datetime"), "call_datetime", rules.zone),
        call_datetime_source=choice(
            get("call_datetime_source"), "call_datetime_source", ("api", "manifest", "upload_time")
        ),
        uploaded_at=_moment(get("uploaded_at"), "uploaded_at", rules.zone),
        analyzed_at=_moment(get("analyzed_at"), "analyzed_at", rules.zone),
        duration_us=_duration_us(get("duration_seconds")),
        agent_id=text(get("agent_id"), "agent_id", 64).strip(),
        agent_name=text(get("agent_name"), "agent_name", 255).strip(),
        agent_source=choice(get("agent_source"), "agent_source", ("api", "manifest", "llm")),
        direction=choice(get("direction"), "direction", ("inbound", "outbound")),
        caller_number=text(get("caller_number"), "caller_number", 64).strip(),
        campaign=text(get("campaign"), "campaign", 255).strip(),
        contact_reason=None if reason is None else text(reason, "contact_reason", 255).strip(),
        copc=None,
        no_protocol=import_parts.no_protocol(get("no_protocol")),
        custom_questions=import_parts.custom_questions(get("custom_questions")),
        insights=import_parts.insights(document),
        score=CallScore(),
    )


def _load(raw: bytes) -> dict[str, Any]:
    try:
        line = raw.decode("utf-8")
        document = json.loads(line, parse_constant=_not_json)
    except UnicodeDecodeError as error:
        raise WrongLine(f"not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise WrongLine(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise WrongLine("nested too deeply") from None
    except ValueError:  # an integer of thousands of digits
        raise WrongLine("a number in it has too many digits") from None
    if not isinstance(document, dict):
        refuse("the line", document, "a JSON object")
    if SUSPICIOUS_ESCAPE.search(raw):
        _refuse_unstorable(document)
    return document


def _not_json(constant: str) -> NoReturn:
    raise WrongLine(f"{constant} is not a JSON number")


def _refuse_unstorable(value: Any) -> None:
    """Raise WrongLine for a NUL or a lone surrogate in any text, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.keys()
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str):
            if "\x00" in item:
                raise WrongLine("a text in it holds a NUL character")
            if any(0xD800 <= ord(c) <= 0xDFFF for c in item):
                raise WrongLine("a text in it holds a lone surrogate")


def _moment(value: Any, field: str, zone: dt.tzinfo) -> dt.datetime | None:
    """Return the moment in UTC. Without an offset it is the server's time; a skipped hour moves forward."""
    if value is None or value == "":
        return None
    try:
        if not isinstance(value, str) or len(value) < len("2026-01-05"):
            raise ValueError
        moment = dt.datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
        if not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise ValueError
        return moment.astimezone(dt.UTC)
    except ValueError:
        years = f"from {FIRST_YEAR} to {LAST_YEAR}"
        refuse(field, value, f"an ISO 8601 time such as 2026-01-05T10:00:00+00:00, {years}")


def _duration_us(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_DURATION_S:
        refuse("duration_seconds", value, f"a number from 0 to {MAX_DURATION_S}")
    return round(value * MICROSECONDS)
