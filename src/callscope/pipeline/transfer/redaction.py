"""Redact the texts of an imported line as the project redacts its transcripts.

Nearly all lines hold nothing that is redacted. One search over their long texts tells; of texts that
repeat from line to line (agent, campaign, topic, reason) the verdict is kept. What looks suspicious is
redacted, and only a line of which that changes something is read and checked again.
"""

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from callscope.calls.fields import FREE_TEXTS
from callscope.pipeline.transfer.decision_lines import FIELDS
from callscope.pipeline.transfer.line_parser import ImportedCall, Rules, parse_line
from callscope.pipeline.transfer.schema import JsonObject
from callscope.transcription.redaction.redaction import redact_text
from callscope.transcription.redaction.screening import may_need_redaction

LEAST_CARD_DIGITS = 13
NUMBER_KINDS = frozenset(("cards", "security_codes"))  # a caller number is a phone number, and kept as such
# Names, times and ids by which results are found again, and choices out of closed sets.
KEPT = frozenset(
    (
        "file_name", "call_datetime", "call_datetime_source", "uploaded_at", "analyzed_at", "direction",
        "sentiment", "agent_id", "agent_source", "criterion_id", "id", "applicability", "critical_class",
    )
)  # fmt: skip
# The same in what people decided; elsewhere a text of such a name is redacted.
KEPT_OF_DECISIONS = KEPT | {
    "reviewer", "withdrawn_by", "appellant", "decided_by", "user", "state", "answer", "transcript_digest",
    "created_at", "changed_at", "submitted_at", "withdrawn_at", "judged_at", "decided_at", "at",
    "outdated_criteria", "allowed", "kind", "id", "machine_answer", "machine_agent_id",
}  # fmt: skip
_TIME_PREFIX = re.compile(r"^\s*\[(?:\d+:)?\d{1,3}:\d{2}\]\s*")


def parse_redacted(
    raw: bytes, rules: Rules, parse: Callable[[bytes, Rules], ImportedCall] = parse_line
) -> ImportedCall:
    """Return the call in a line, its texts redacted as the project asks. Raises InvalidLine."""
    call = parse(raw, rules)
    if not rules.redact or not _is_changed_by_redaction(call, tuple(rules.redact)):
        return call
    redacted = _redact(json.loads(raw.decode("utf-8")), rules.redact)
    return parse_line(json.dumps(redacted, ensure_ascii=False).encode(), rules)


def _is_changed_by_redaction(call: ImportedCall, kinds: tuple[str, ...]) -> bool:
    number = call.details.caller_number or ""
    if sum(character.isdigit() for character in number) >= LEAST_CARD_DIGITS:
        return True
    # "Agent 012" looks suspicious, and is the same in thousands of lines: to redact it takes 0.4 ms.
    if any(_is_changed(text, kinds) for text in _repeated_texts(call)):
        return True
    texts = _list_texts(call)
    return may_need_redaction("\n".join(texts)) and any(
        may_need_redaction(text) and _redact_text(text, kinds) != text for text in texts
    )


@functools.lru_cache(maxsize=4096)
def _is_changed(text: str, kinds: tuple[str, ...]) -> bool:
    return may_need_redaction(text) and _redact_text(text, kinds) != text


def _repeated_texts(call: ImportedCall) -> Iterator[str]:
    """Yield what many lines have in common."""
    yield call.contact_reason or ""
    for name in FREE_TEXTS:
        yield getattr(call.details, name) or ""
    if call.insights:
        yield call.insights["topic"]


def _list_texts(call: ImportedCall) -> list[str]:
    """Return the other texts."""
    texts: list[str] = []
    rows: Sequence[Any] = call.copc["criterion_scores"] if call.copc else ()
    for row in rows:
        # A row of the fast parser is a struct, that of any other line an object.
        if isinstance(row, dict):
            _collect_texts(row, texts)
        else:
            texts.append(row.justification)
            texts.append(row.quote)
    more: list[object] = [call.copc["not_evaluated"]] if call.copc else []
    more += [call.machine_copc, call.machine_no_protocol, call.machine_insights, *(call.decisions or ())]
    for part in (*more, call.no_protocol, call.custom_questions):
        _collect_texts(part, texts)
    if call.insights:
        _collect_texts({key: item for key, item in call.insights.items() if key != "topic"}, texts)
    return texts


def _collect_texts(value: object, texts: list[str]) -> None:
    """Add the texts in a value, however deep."""
    # Most items are texts or numbers: a call for each of them would take longer than to look at them here.
    items: Iterable[object] = ()
    if isinstance(value, dict):
        items = [item for key, item in value.items() if item is not None and key not in KEPT]
    elif isinstance(value, list | tuple):
        items = value
    elif isinstance(value, str):
        texts.append(value)
    for item in items:
        if type(item) is str:
            texts.append(item)
        elif isinstance(item, dict | list | tuple | str):
            _collect_texts(item, texts)


def _redact(document: JsonObject, kinds: Sequence[str]) -> JsonObject:
    redacted = {
        key: item
        if key == "agent_users"
        else _redact_value(key, item, kinds, KEPT_OF_DECISIONS if key in FIELDS else KEPT)
        for key, item in document.items()
    }
    if isinstance(number := document.get("caller_number"), str):
        redacted["caller_number"] = redact_text(number, NUMBER_KINDS.intersection(kinds))
    return redacted


def _redact_value(key: str, value: object, kinds: Sequence[str], kept: frozenset[str]) -> object:
    if key in kept:
        return value
    if isinstance(value, str):
        return _redact_text(value, kinds)
    if isinstance(value, dict):
        return {name: _redact_value(name, item, kinds, kept) for name, item in value.items()}
    if isinstance(value, list):
        return [_redact_value("", item, kinds, kept) for item in value]
    return value


def _redact_text(text: str, kinds: Sequence[str]) -> str:
    """Return a text redacted; the time in front of a quote is no number."""
    prefix = _TIME_PREFIX.match(text)
    start = prefix.end() if prefix else 0
    return text[:start] + redact_text(text[start:], kinds)
