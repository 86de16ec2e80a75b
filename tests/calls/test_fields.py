"""One definition of the fields of a call: the lists each is in, held against the interface."""

import re
from pathlib import Path

import pytest
from django.db.models import CharField, DateTimeField

from callscope.calls import fields, metadata
from callscope.calls.fields import CALL_FIELDS, FIELDS, CallDetails
from callscope.calls.models import Agent, Call
from callscope.reports.call_list.call_rows import COLUMNS, CallItem, CallRow

# Field → given by clients, required in the manifest, shown by the list, added by the detail.
LISTS = {
    "call_datetime": (True, True, True, False),
    "call_datetime_source": (False, False, False, True),
    "agent_id": (True, False, False, False),
    "agent_name": (True, False, False, False),
    "agent_source": (False, False, False, False),
    "direction": (True, False, True, False),
    "caller_number": (True, False, False, True),
    "campaign": (True, False, True, False),
}
TEXTS = {"agent_id": 64, "agent_name": 255, "caller_number": 64, "campaign": 255}
CHOICES = {
    "call_datetime_source": ("api", "manifest", "upload_time"),
    "agent_source": ("api", "manifest", "llm"),
    "direction": ("inbound", "outbound"),
}
GUIDE = Path(__file__).parents[2] / "docs" / "api.md"


class TestEachField:
    def test_is_in_the_lists_that_the_interface_names(self):
        listed = CallItem.__struct_fields__
        given = {f.name: (f.is_given, f.is_required, f.name in listed, f.in_record) for f in CALL_FIELDS}

        assert given == LISTS
        assert list(given) == list(LISTS)  # also the order of call_metadata

    def test_takes_the_values_that_the_interface_names(self):
        assert {f.name: f.max_length for f in CALL_FIELDS if f.kind == "text"} == TEXTS
        assert {f.name: f.choices for f in CALL_FIELDS if f.kind == "choice"} == CHOICES
        assert [f.name for f in CALL_FIELDS if f.kind == "moment"] == ["call_datetime"]

    def test_has_an_attribute_for_lines_of_an_import(self):
        assert CallDetails.__struct_fields__ == tuple(FIELDS)

    def test_has_a_column_that_holds_its_longest_value(self):
        for field in CALL_FIELDS:
            model = Agent if field.agent_attribute else Call
            column = model._meta.get_field(field.agent_attribute or field.name)
            if field.kind == "moment":
                assert isinstance(column, DateTimeField)
                continue
            assert isinstance(column, CharField)
            longest = field.max_length or max(map(len, field.choices))
            if field.kind == "text":
                assert column.max_length == longest
            assert column.max_length >= longest

    def test_is_explained_in_the_guide(self):
        guide = GUIDE.read_text()

        assert [name for name in FIELDS if f"`{name}`" not in guide] == []


class TestTheLists:
    def test_agree_with_the_definition(self):
        six = ("call_datetime", "agent_id", "agent_name", "direction", "caller_number", "campaign")

        assert six == fields.GIVEN_FIELDS
        assert ("filename", *six) == fields.MANIFEST_COLUMNS
        assert fields.REQUIRED_COLUMNS == ("filename", "call_datetime")
        assert fields.PLAIN_COLUMNS == ("direction", "caller_number", "campaign")

    def test_write_every_column_that_a_field_changes(self):
        columns = {column.attname for column in Call._meta.concrete_fields}

        assert set(metadata.WRITTEN_COLUMNS) <= columns
        assert set(metadata.WRITTEN_COLUMNS) == {*fields.COLUMNS, "agent_id", "agent_unlinked"}

    def test_name_the_columns_of_the_manifest_in_the_guide(self):
        (header,) = re.findall(r"^filename,.*$", GUIDE.read_text(), re.MULTILINE)

        assert tuple(header.split(",")) == fields.MANIFEST_COLUMNS

    def test_give_the_call_list_its_columns(self):
        columns = dict(zip(CallRow._fields, re.split(r", (?![^()]*\))", COLUMNS), strict=True))

        assert columns["direction"] == "c.direction"
        assert (columns["campaign"], columns["agent"]) == ("c.campaign", "a.name")
        assert (columns["file_id"], columns["at_us"]) == ("c.newest_file_id", "f.at_us")


class TestCallMetadata:
    @pytest.mark.parametrize("agent", [None, Agent(external_id="7", name="Ana")])
    def test_shows_every_field(self, agent):
        call = Call(agent=agent, agent_source="api" if agent else "", campaign="Spring")

        shown = metadata.call_metadata(call)

        assert list(shown) == list(FIELDS)
        assert (shown["agent_id"], shown["agent_name"]) == (("7", "Ana") if agent else ("", ""))
        assert shown["campaign"] == "Spring"
