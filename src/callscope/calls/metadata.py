"""Read, check and write what clients say about a call. The fields: calls/fields.py.

The last write wins, field by field. Rules: docs/api.md, "Call metadata".
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from callscope.calls import agents
from callscope.calls.fields import CALL_FIELDS, COLUMNS, FIELDS, GIVEN_FIELDS, PLAIN_COLUMNS
from callscope.calls.models import Call
from callscope.calls.moments import FIRST_YEAR, LAST_YEAR, utc_text
from callscope.db.limits import is_storable
from callscope.messages.message import Message, MessageError

# What a change of metadata may write: the fields, the agent they mean, and that an agent was unlinked.
WRITTEN_COLUMNS = (*COLUMNS, "agent_id", "agent_unlinked")
_AGENT_FIELDS = tuple(name for name in GIVEN_FIELDS if FIELDS[name].agent_attribute)
_WRITTEN_TOGETHER = (_AGENT_FIELDS, *((name,) for name in GIVEN_FIELDS if name not in _AGENT_FIELDS))

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
SLASH_DATE = re.compile(r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?:\d{4}|\d{2})(?!\d)", re.ASCII)

Values = dict[str, str | dt.datetime]  # field → checked value; "" clears


class InvalidValue(MessageError):
    """A value cannot be taken. `message` is a sentence, `reason` what follows the number of a row."""

    def __init__(self, reason: Message, sentence: Message) -> None:
        super().__init__(sentence)
        self.reason = reason


class MetadataConflict(Exception):
    """Somebody else changed some fields since they were read; `fields` names them."""

    def __init__(self, fields: list[str]) -> None:
        super().__init__(f"Changed since: {', '.join(fields)}")
        self.fields = fields


class InvalidMetadata(Exception):
    """Some fields cannot be taken; `errors` holds field → one message."""

    def __init__(self, errors: dict[str, list[Message]]) -> None:
        super().__init__("; ".join(f"{name}: {message}" for name, [message] in errors.items()))
        self.errors = errors


def read_form(fields: Mapping[str, Any]) -> Values:
    """Return the metadata in an upload's form: blank fields count as absent. Raises InvalidMetadata."""
    return read_changes({n: v for n, v in fields.items() if not (isinstance(v, str) and not v.strip())})


def read_changes(fields: Mapping[str, Any], *, latest: dt.datetime | None = None) -> Values:
    """Return the metadata in a change: a blank text clears its field. Raises InvalidMetadata.

    `latest` is the last moment that a call may have; None: any moment, as for all that systems send.
    """
    values: Values = {}
    errors: dict[str, list[Message]] = {}
    for name in GIVEN_FIELDS:
        if name not in fields:
            continue
        try:
            values[name] = _read_change(name, fields[name], latest)
        except InvalidValue as error:
            errors[name] = [error.message]
    if errors:
        raise InvalidMetadata(errors)
    return values


def _read_change(name: str, value: Any, latest: dt.datetime | None) -> str | dt.datetime:
    if value is None:
        sentence = Message("null_datetime" if name == "call_datetime" else "null_field", field=name)
        raise InvalidValue(sentence, sentence)
    if isinstance(value, int | float) and not isinstance(value, bool) and FIELDS[name].may_be_number:
        value = str(value)
    if not isinstance(value, str):
        sentence = Message("field_no_text", field=name)
        raise InvalidValue(sentence, sentence)
    if name == "call_datetime" and not value.strip():
        sentence = Message("blank_datetime")
        raise InvalidValue(sentence, sentence)
    checked = read_value(name, value, iso_only=True)
    require_past(checked, latest)
    return checked


def require_past(value: str | dt.datetime, latest: dt.datetime | None) -> None:
    """Raise InvalidValue for a moment after `latest`, the last one that a call may have; None: any."""
    if latest and isinstance(value, dt.datetime) and value > latest:
        given, most = (f"{each.astimezone(server_zone()):%Y-%m-%d %H:%M}" for each in (value, latest))
        sentence = Message("future_datetime", value=given, latest=most)
        raise InvalidValue(sentence, sentence)


def read_value(name: str, text: str, *, iso_only: bool) -> str | dt.datetime:
    """Return the checked value of one field. Raises InvalidValue.

    `iso_only` leaves out the notations of spreadsheets that a manifest may use.
    """
    text = text.strip()
    if not is_storable(text):
        raise InvalidValue(Message("unreadable_field", field=name), Message("unstorable_value", field=name))
    field = FIELDS[name]
    if field.kind == "moment":
        return read_datetime(text, iso_only=iso_only)
    if field.kind == "choice":
        if text and text.lower() not in field.choices:
            allowed = ", ".join(field.choices)
            raise InvalidValue(
                Message("unknown_choice", field=name, value=repr(text[:40])),
                Message("invalid_choice", field=name, value=text[:40], allowed=allowed),
            )
        return text.lower()
    if len(text) > field.max_length:
        raise InvalidValue(
            Message("long_field", field=name, count=len(text), most=field.max_length),
            Message("long_value", field=name, count=len(text), most=field.max_length),
        )
    return text


def read_datetime(text: str, *, iso_only: bool) -> dt.datetime:
    """Return the moment in UTC; without a time zone it is read in the server's. Raises InvalidValue.

    A local time that the zone skips moves forward by the gap; one that happens
    twice means the first.
    """
    local = _parse_datetime(text, iso_only=iso_only)
    if local is None or not FIRST_YEAR <= local.year <= LAST_YEAR:
        others = "" if iso_only else ", YYYY-MM-DD HH:MM[:SS] or DD/MM/YYYY HH:MM[:SS]"
        raise InvalidValue(
            Message("unreadable_datetime", value=repr(text[:40])),
            Message("invalid_datetime", value=text[:40], first=FIRST_YEAR, last=LAST_YEAR, others=others),
        )
    if local.tzinfo is None:
        # The first of two readings (fold 0) also carries a skipped time over its gap.
        local = local.replace(tzinfo=server_zone(), fold=0)
    return local.astimezone(dt.UTC)


def server_zone() -> zoneinfo.ZoneInfo:
    """Return the time zone of CALLSCOPE_TIME_ZONE."""
    return zoneinfo.ZoneInfo(str(timezone.get_default_timezone()))


def _parse_datetime(text: str, *, iso_only: bool) -> dt.datetime | None:
    try:
        if match := _ISO.fullmatch(text):
            time, zone = match["time"].replace(",", "."), (match["zone"] or "").upper()
            return dt.datetime.fromisoformat(f"{match['date']}T{time}{zone}")
        if not iso_only and (match := _SPREADSHEET.fullmatch(text)):
            year, month, day = (int(match[n] or match[f"{n}2"]) for n in ("year", "month", "day"))
            hour, minute, second = (int(match[n] or 0) for n in ("hour", "minute", "second"))
            return dt.datetime(year, month, day, hour, minute, second)
    except ValueError:  # such as the 31st of February
        pass
    return None


def says_agent(call: Call, values: Values) -> bool:
    """Return whether the values say who the agent of the call is, or that it has none."""
    return bool(values.get("agent_id") or values.get("agent_name")) or _clears_agent(call, values)


def apply_values(
    call: Call, values: Values, *, source: str, resolver: agents.AgentResolver | None = None
) -> bool:
    """Write the values into the call, unsaved; return whether anything changed.

    `source` is Call.DatetimeSource.API or MANIFEST. `resolver` saves reading
    the agents again when many calls are written.
    """
    before = _state(call)
    when = values.get("call_datetime")
    if isinstance(when, dt.datetime):
        call.call_datetime, call.call_datetime_source = when, source
    for name in PLAIN_COLUMNS:
        if name in values:
            setattr(call, name, values[name])
    if "agent_id" in values or "agent_name" in values:
        _apply_agent(call, values, source, resolver)
    return _state(call) != before


def _apply_agent(call: Call, values: Values, source: str, resolver: agents.AgentResolver | None) -> None:
    agent_id, name = str(values.get("agent_id", "")), str(values.get("agent_name", ""))
    if agent_id or name:
        resolver = resolver or agents.AgentResolver(call.project)
        call.agent = resolver.resolve(agent_id, name, current=call.agent)
        call.agent_source = source
        call.agent_unlinked = False
        return
    if _clears_agent(call, values):
        call.agent, call.agent_source, call.agent_unlinked = None, "", True


def _clears_agent(call: Call, values: Values) -> bool:
    if values.get("agent_id") or values.get("agent_name"):
        return False
    # Clearing one of the two keeps the agent that the other identifies.
    identifiers = {"agent_id", "agent_name"}
    if call.agent and not call.agent.external_id:
        identifiers = {"agent_name"}
    elif call.agent and call.agent.name == call.agent.external_id:
        identifiers = {"agent_id"}  # an id that is shown for want of a name is no name
    return identifiers <= values.keys()


def reject_overtaken(call: Call, values: Values, seen: Mapping[str, str]) -> None:
    """Raise MetadataConflict where what the values replace is no longer as it was `seen`.

    `seen` holds texts as write_texts() returns them. The two fields of the agent belong together. What
    says the same as the values is no conflict: a form may be sent twice.
    """
    current, given = write_texts(call), {name: _as_text(value) for name, value in values.items()}
    overtaken: list[str] = []
    for group in _WRITTEN_TOGETHER:
        said = [name for name in group if name in given]
        if any(given[name] != current[name] for name in said):
            overtaken += [name for name in group if seen.get(name, "") != current[name]]
    if overtaken:
        raise MetadataConflict(overtaken)


def write_texts(call: Call) -> dict[str, str]:
    """Return the fields that clients may give as texts, the moment in UTC; "" where nothing is known."""
    known = call_metadata(call)
    return {name: _as_text(known[name]) for name in GIVEN_FIELDS}


def _as_text(value: str | dt.datetime) -> str:
    return utc_text(value) if isinstance(value, dt.datetime) else value


def _state(call: Call) -> tuple[Any, ...]:
    return tuple(getattr(call, name) for name in WRITTEN_COLUMNS)


def call_metadata(call: Call) -> dict[str, str | dt.datetime]:
    """Return the call_metadata of a call: every field, "" where nothing is known."""
    values: dict[str, str | dt.datetime] = {}
    for field in CALL_FIELDS:
        if not field.agent_attribute:
            values[field.name] = getattr(call, field.name)
        else:
            values[field.name] = getattr(call.agent, field.agent_attribute) if call.agent else ""
    return values
