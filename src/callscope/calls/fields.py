"""What a client may say about a call, each field defined once.

Forms, PATCH, the manifest, `call_metadata`, import and export, and the schema of the API
take their lists of fields from CALL_FIELDS. A new one is a line here with an attribute of
CallDetails, a column of models.Call, its place in reports/call_list/call_rows.py, an example in
interfaces/api/docs/examples.py, and a line of the call's page. No Django here: the process that
reads the lines of an import imports this module too.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class CallField:
    """One field, in the lists that hold it; all are in `call_metadata` and in lines of import and export."""

    name: str  # the same in every list; the heading of its column in the manifest
    kind: Literal["moment", "choice", "text"]
    choices: tuple[str, ...] = ()  # of a choice; "" is one as well
    max_length: int = 0  # characters of a text
    is_given: bool = True  # by upload, PATCH and manifest; False where the service fills it in
    is_required: bool = False  # as a column of the manifest
    may_be_number: bool = False  # clients keep ids as numbers; their decimal text is taken
    agent_attribute: str = ""  # of models.Agent, for what belongs to the call's agent; else a column of Call
    is_always_set: bool = False  # never ""
    in_record: bool = False  # added by the detail of a call to the item that the call list shows


CALL_FIELDS = (
    CallField(name="call_datetime", kind="moment", is_required=True, is_always_set=True),
    CallField(
        name="call_datetime_source",
        kind="choice",
        choices=("api", "manifest", "upload_time"),
        is_given=False,
        is_always_set=True,
        in_record=True,
    ),
    CallField(name="agent_id", kind="text", max_length=64, may_be_number=True, agent_attribute="external_id"),
    CallField(name="agent_name", kind="text", max_length=255, agent_attribute="name"),
    CallField(name="agent_source", kind="choice", choices=("api", "manifest", "llm"), is_given=False),
    CallField(name="direction", kind="choice", choices=("inbound", "outbound")),
    CallField(name="caller_number", kind="text", max_length=64, may_be_number=True, in_record=True),
    CallField(name="campaign", kind="text", max_length=255),
)
FIELDS = {field.name: field for field in CALL_FIELDS}

GIVEN_FIELDS = tuple(field.name for field in CALL_FIELDS if field.is_given)
MANIFEST_COLUMNS = ("filename", *GIVEN_FIELDS)
REQUIRED_COLUMNS = ("filename", *(field.name for field in CALL_FIELDS if field.is_required))
COLUMNS = tuple(field.name for field in CALL_FIELDS if not field.agent_attribute)
# Written as they come: the moment also sets its source, and the agent's fields find or make an agent.
PLAIN_COLUMNS = tuple(name for name in COLUMNS if FIELDS[name].is_given and FIELDS[name].kind != "moment")
# Words of people: an import redacts them. Ids and numbers are redacted by rules of their own, or kept.
FREE_TEXTS = tuple(field.name for field in CALL_FIELDS if field.kind == "text" and not field.may_be_number)


class CallDetails(msgspec.Struct, array_like=True, gc=False):
    """What one import line says, in the order of CALL_FIELDS; "" and None where it says nothing."""

    call_datetime: dt.datetime | None  # in UTC
    call_datetime_source: str
    agent_id: str  # the client's own, not a primary key
    agent_name: str
    agent_source: str
    direction: str
    caller_number: str
    campaign: str
