"""The six things told about a call from outside the audio: read, check, write.

Whoever writes last wins, field by field. Rules: docs/api.md, "Call metadata".
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from callscope.calls import agents
from callscope.calls.models import Agent, Call, Direction, UploadedFile
from callscope.calls.moments import FIRST_YEAR, LAST_YEAR
from callscope.calls.names import holds_unstorable

MAX_LENGTHS = {"agent_id": 64, "agent_name": 255, "caller_number": 64, "campaign": 255}
FIELDS = ("call_datetime", "agent_id", "agent_name", "direction", "caller_number", "campaign")
OFTEN_NUMBERS = ("agent_id", "caller_number")  # in the client's own system; taken as their text

_ISO = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2}|\d{8})[Tt ](?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?|\d{4}(?:\d{2})?)"
    r" ?(?P<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?",
    re.ASCII,
)
_SPREADSHEET = re.compile(
    r"(?:(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})|(?P<day2>\d{1,2})/(?P<month2>\d{1,2})/(?P<year2>\d{4}))"
    r"[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?",
    re.ASCII,
)

Values = dict[str, str | dt.datetime]  # field → checked value; "" clears


class WrongValue(Exception):
    """A value cannot be taken. `reason` fits behind a row number, `sentence` stands alone."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


class WrongMetadata(Exception):
    """Some fields cannot be taken; `errors` holds field → sentences."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__("; ".join(f"{name}: {' '.join(texts)}" for name, texts in errors.items()))
        self.errors = errors


def read_form(fields: Mapping[str, Any]) -> Values:
    """Return the metadata in an upload's form: blank fields count as absent. Raises WrongMetadata."""
    given = {n: v for n, v in fields.items() if n in FIELDS and not (isinstance(v, str) and not v.strip())}
    return read_changes(given)


def read_changes(fields: Mapping[str, Any]) -> Values:
    """Return the metadata in a change: a blank text clears its field. Raises WrongMetadata."""
    values: Values = {}
    errors: dict[str, list[str]] = {}
    for name in FIELDS:
        if name not in fields:
            continue
        try:
            values[name] = _read_change(name, fields[name])
        except WrongValue as error:
            errors[name] = [error.sentence]
    if errors:
        raise WrongMetadata(errors)
    return values


def _read_change(name: str, value: Any) -> str | dt.datetime:
    if value is None:
        cure = "Send a new value or omit it." if name == "call_datetime" else 'Send "" to clear it.'
        raise WrongValue("null", f"{name} must not be null. {cure}")
    if isinstance(value, int | float) and not isinstance(value, bool) and name in OFTEN_NUMBERS:
        value = str(value)
    if not isinstance(value, str):
        raise WrongValue("no text", f"{name} must be a text.")
    if name == "call_datetime" and not value.strip():
        raise WrongValue("blank", "call_datetime cannot be cleared. Send a new value or omit it.")
    return read_value(name, value, iso_only=True)


def read_value(name: str, text: str, *, iso_only: bool) -> str | dt.datetime:
    """Return the checked value of one field. Raises WrongValue.

    `iso_only` leaves out the notations of spreadsheets that a manifest may use.
    """
    text = text.strip()
    if holds_unstorable(text):
        raise WrongValue(
            f"{name} holds unreadable characters", f"{name} holds characters that cannot be stored."
        )
    if name == "call_datetime":
        return read_datetime(text, iso_only=iso_only)
    if name == "direction":
        if text and text.lower() not in Direction.values:
            allowed = ", ".join(Direction.values)
            raise WrongValue(
                f"unknown direction {text[:40]!r}", f'"{text[:40]}" is not a direction. Allowed: {allowed}.'
            )
        return text.lower()
    longest = MAX_LENGTHS[name]
    if len(text) > longest:
        raise WrongValue(
            f"{name} has {len(text)} characters, at most {longest} are allowed",
            f"{name} must have at most {longest} characters, not {len(text)}.",
        )
    return text


def read_datetime(text: str, *, iso_only: bool) -> dt.datetime:
    """Return the moment in UTC; without a time zone it is read in the server's. Raises WrongValue.

    A local time that the zone skips moves forward by the gap; one that happens
    twice means the first.
    """
    local = _parse_iso(text)
    if local is None and not iso_only:
        local = _parse_spreadsheet(text)
    if local is None or not FIRST_YEAR <= local.year <= LAST_YEAR:
        others = "" if iso_only else ", YYYY-MM-DD HH:MM[:SS] or DD/MM/YYYY HH:MM[:SS]"
        raise WrongValue(
            f"unreadable call_datetime {text[:40]!r}",
            f'"{text[:40]}" is not a date and time from {FIRST_YEAR} to {LAST_YEAR}. Use ISO 8601{others}.',
        )
    if local.tzinfo is None:
        # The first of two readings (fold 0) also carries a skipped time over its gap.
        local = local.replace(tzinfo=server_zone(), fold=0)
    return local.astimezone(dt.UTC)


def server_zone() -> zoneinfo.ZoneInfo:
    """Return the time zone of CALLSCOPE_TIME_ZONE."""
    return zoneinfo.ZoneInfo(str(timezone.get_default_timezone()))


def _parse_iso(text: str) -> dt.datetime | None:
    match = _ISO.fullmatch(text)
    if not match:
        return None
    zone = (match["zone"] or "").upper()
    time = match["time"].replace(",", ".")
    try:
        return dt.datetime.fromisoformat(f"{match['date']}T{time}{zone}")
    except ValueError:
        return None


def _parse_spreadsheet(text: str) -> dt.datetime | None:
    match = _SPREADSHEET.fullmatch(text)
    if not match:
        return None
    year, month, day = (match[n] or match[f"{n}2"] for n in ("year", "month", "day"))
    clock = (int(match["hour"]), int(match["minute"]), int(match["second"] or 0))
    try:
        return dt.datetime(int(year), int(month), int(day), *clock)
    except ValueError:
        return None


def apply(call: Call, values: Values, *, source: str, directory: agents.Directory | None = None) -> bool:
    """Write the values into the call, unsaved; return whether anything changed.

    `source` is Call.DatetimeSource.API or MANIFEST. `directory` saves reading
    the agents again when many calls are written.
    """
    before = _state(call)
    when = values.get("call_datetime")
    if isinstance(when, dt.datetime):
        call.call_datetime, call.call_datetime_source = when, source
    for name in ("direction", "caller_number", "campaign"):
        if name in values:
            setattr(call, name, values[name])
    if "agent_id" in values or "agent_name" in values:
        _apply_agent(call, values, source, directory)
    return _state(call) != before


def _apply_agent(call: Call, values: Values, source: str, directory: agents.Directory | None) -> None:
    agent_id, name = str(values.get("agent_id", "")), str(values.get("agent_name", ""))
    if agent_id or name:
        known = directory or agents.Directory(call.project)
        call.agent = known.find(agent_id, name, current=call.agent)
        call.agent_source = source
        call.agent_unlinked = False
        return
    # Clearing one of the two keeps the agent that the other identifies.
    left = _identifiers(call.agent) if call.agent else {"agent_id", "agent_name"}
    if not left - values.keys():
        call.agent, call.agent_source, call.agent_unlinked = None, "", True


def _identifiers(agent: Agent) -> set[str]:
    """Return which of the two fields the agent is known by; an id shown for want of a name is no name."""
    known = {"agent_id"} if agent.external_id else set()
    return known | {"agent_name"} if agent.name != agent.external_id else known


def _state(call: Call) -> tuple[Any, ...]:
    return tuple(getattr(call, name) for name in WRITTEN_COLUMNS)


WRITTEN_COLUMNS = (
    "call_datetime",
    "call_datetime_source",
    "agent_id",
    "agent_source",
    "agent_unlinked",
    "direction",
    "caller_number",
    "campaign",
)


def shown(file: UploadedFile) -> dict[str, Any] | None:
    """Return the call_metadata object of a file; None where the file has no call."""
    call = file.call
    if call is None:
        return None
    return {
        "call_datetime": call.call_datetime,
        "call_datetime_source": call.call_datetime_source,
        "agent_id": call.agent.external_id if call.agent else "",
        "agent_name": call.agent.name if call.agent else "",
        "agent_source": call.agent_source,
        "direction": call.direction,
        "caller_number": call.caller_number,
        "campaign": call.campaign,
    }
