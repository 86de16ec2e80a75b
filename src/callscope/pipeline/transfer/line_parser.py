"""Read one line of the import format: an analyzed call, checked whole.

Format: docs/api.md, "Import and export". A line that breaks a rule raises
InvalidLine with the value and what is allowed; nothing of it is stored.

No Django here: a process of its own reads the lines of a large file.
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from callscope.calls.fields import CALL_FIELDS, CallDetails, CallField
from callscope.db.limits import is_storable
from callscope.pipeline.transfer import result_validation
from callscope.pipeline.transfer.decision_lines import Decisions, check_decisions
from callscope.pipeline.transfer.insights import check_insights, check_machine_insights
from callscope.pipeline.transfer.result_validation import InvalidLine, check_choice, check_text, refuse
from callscope.pipeline.transfer.schema import (
    JsonObject,
    Marks,
    StoredAnswers,
    StoredCopc,
    StoredInsights,
    StoredNoProtocol,
)
from callscope.reports.store.scores import CallScore, score_call

MAX_FILE_NAME = 255
MAX_REASON = 255
MAX_DURATION_S = 10_000_000  # 115 days: longer than any call, and far inside a BIGINT of microseconds
MICROSECONDS = 1_000_000
# Escapes that JSON allows and a database does not; the rare line that holds one is searched in full.
SUSPICIOUS_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a project and a server say about lines that do not say it themselves."""

    on_critical_error: str
    zone: dt.tzinfo  # of times without an offset
    marks: Marks = field(default_factory=dict)
    redact: tuple[str, ...] = ()  # kinds, as the project redacts transcripts


@dataclass(slots=True)
class ImportedCall:
    """One line, checked. None means that the line does not say; in texts absent and "" are the same."""

    file_name: str
    details: CallDetails
    uploaded_at: dt.datetime | None
    analyzed_at: dt.datetime | None
    duration_us: int | None
    contact_reason: str | None  # "" takes a reason away, None keeps what a grouping gave to the same results
    copc: StoredCopc | None
    no_protocol: StoredNoProtocol | None
    custom_questions: StoredAnswers | None
    insights: StoredInsights | None
    score: CallScore  # of `copc`
    # The machine's own, where a person's answers are in those above.
    machine_copc: StoredCopc | None = None
    machine_no_protocol: StoredNoProtocol | None = None
    machine_insights: StoredInsights | None = None
    decisions: Decisions | None = None

    @property
    def has_decisions(self) -> bool:
        """True if people decided something about the call, or about who its agent is."""
        kept = (self.machine_copc, self.machine_no_protocol, self.machine_insights, self.decisions)
        return any(each is not None for each in kept)

    @property
    def has_results(self) -> bool:
        """True if any analysis has run; a call without stays out of the reports."""
        return not (
            self.copc is None
            and self.no_protocol is None
            and self.custom_questions is None
            and self.insights is None
        )


def parse_line(raw: bytes, rules: Rules) -> ImportedCall:
    """Return the call in one line of JSON. Raises InvalidLine."""
    document = _load_object(raw)
    name = document.get("file_name")
    if not isinstance(name, str) or not name.strip():
        refuse("file_name", name, f"a text of 1 to {MAX_FILE_NAME} characters; it is required")
    if len(name) > MAX_FILE_NAME:
        raise InvalidLine(f"file_name has {len(name)} characters; at most {MAX_FILE_NAME} are allowed")
    try:
        call = build_call(name, document, rules)
        call.copc = result_validation.check_copc(document.get("copc"), rules.on_critical_error, rules.marks)
        call.machine_copc = result_validation.check_copc(
            document.get("machine_copc"), rules.on_critical_error, rules.marks, field="machine_copc"
        )
        if call.machine_copc is not None and call.copc is None:
            raise InvalidLine("copc is missing; machine_copc stands next to the result that counts")
        call.machine_no_protocol = result_validation.check_no_protocol(
            document.get("machine_no_protocol"), field="machine_no_protocol"
        )
        call.machine_insights = check_machine_insights(document.get("machine_insights"))
        call.decisions = check_decisions(document, rules.zone)
    except InvalidLine as error:
        raise InvalidLine(error.reason, file_name=name) from None
    call.score = score_call(call.copc)
    return call


def build_call(file_name: str, document: Mapping[str, object], rules: Rules) -> ImportedCall:
    """Return the call in a line, without its copc result. Raises InvalidLine."""
    get = document.get
    details = CallDetails(*[read(get(name), rules.zone) for name, read in _READERS])
    duration_s, reason = get("duration_seconds"), get("contact_reason")
    if duration_s is not None and (
        isinstance(duration_s, bool)
        or not isinstance(duration_s, int | float)
        or not 0 <= duration_s <= MAX_DURATION_S
    ):
        refuse("duration_seconds", duration_s, f"a number from 0 to {MAX_DURATION_S}")
    return ImportedCall(
        file_name=file_name,
        details=details,
        uploaded_at=result_validation.read_moment(get("uploaded_at"), "uploaded_at", rules.zone),
        analyzed_at=result_validation.read_moment(get("analyzed_at"), "analyzed_at", rules.zone),
        duration_us=None if duration_s is None else round(duration_s * MICROSECONDS),
        contact_reason=None if reason is None else check_text(reason, "contact_reason", MAX_REASON).strip(),
        copc=None,
        no_protocol=result_validation.check_no_protocol(get("no_protocol")),
        custom_questions=result_validation.check_custom_questions(get("custom_questions")),
        insights=check_insights(document),
        score=CallScore(),
    )


def _load_object(raw: bytes) -> JsonObject:
    try:
        document = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise InvalidLine(f"not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise InvalidLine(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise InvalidLine("nested too deeply") from None
    except ValueError:  # an integer of thousands of digits
        raise InvalidLine("a number in it has too many digits") from None
    if not isinstance(document, dict):
        refuse("the line", document, "a JSON object")
    if SUSPICIOUS_ESCAPE.search(raw):
        pending: list[object] = [document]  # keys of objects are texts too
        while pending:
            item = pending.pop()
            if isinstance(item, dict):
                pending += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                pending += item
            elif isinstance(item, str) and not is_storable(item):
                what = "NUL character" if "\x00" in item else "lone surrogate"
                raise InvalidLine(f"a text in it holds a {what}")
    return document


def _refuse_constant(constant: str) -> NoReturn:
    raise InvalidLine(f"{constant} is not a JSON number")


_READ: dict[str, Callable[[CallField, object, dt.tzinfo], Any]] = {
    "moment": lambda call_field, value, zone: result_validation.read_moment(value, call_field.name, zone),
    "choice": lambda call_field, value, _: check_choice(value, call_field.name, call_field.choices),
    "text": lambda call_field, value, _: check_text(value, call_field.name, call_field.max_length).strip(),
}
# Made once: an import of many lines must not look at the definitions for each of them.
_READERS = tuple((each.name, partial(_READ[each.kind], each)) for each in CALL_FIELDS)
