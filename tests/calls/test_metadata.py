"""What is given about a call from outside its audio."""

import datetime as dt

import pytest
from django.test import override_settings
from django.utils import timezone

from callscope.calls import agents, metadata
from callscope.calls.metadata import InvalidMetadata, InvalidValue
from callscope.calls.models import Agent, Call
from callscope.calls.names import stem


def utc(*parts):
    return dt.datetime(*parts, tzinfo=dt.UTC)


def read(text, *, iso_only=False, zone="UTC"):
    with override_settings(TIME_ZONE=zone):
        return metadata.read_datetime(text, iso_only=iso_only)


class TestReadingATime:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2026-01-05T10:00:00Z", utc(2026, 1, 5, 10)),
            ("2026-01-05t10:00:00z", utc(2026, 1, 5, 10)),
            ("2026-01-05T10:00:00+02:00", utc(2026, 1, 5, 8)),
            ("2026-01-05T10:00:00-0530", utc(2026, 1, 5, 15, 30)),
            ("2026-01-05 10:00+02", utc(2026, 1, 5, 8)),
            ("2026-01-05T10:00", utc(2026, 1, 5, 10)),
            ("2026-01-05T10:00:00.250Z", utc(2026, 1, 5, 10, 0, 0, 250000)),
            ("2026-01-05T10:00:00,5Z", utc(2026, 1, 5, 10, 0, 0, 500000)),
            ("20260105T100000Z", utc(2026, 1, 5, 10)),
            ("2026-01-05 10:00", utc(2026, 1, 5, 10)),
            ("2026-01-05 10:00:07", utc(2026, 1, 5, 10, 0, 7)),
            ("2024-02-29 10:00", utc(2024, 2, 29, 10)),
        ],
    )
    def test_takes_iso_8601(self, text, expected):
        assert read(text, iso_only=True) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("05/01/2026 10:00", utc(2026, 1, 5, 10)),
            ("05/01/2026 10:00:07", utc(2026, 1, 5, 10, 0, 7)),
            ("5/1/2026 9:05", utc(2026, 1, 5, 9, 5)),
            ("2026-01-05 9:05", utc(2026, 1, 5, 9, 5)),
        ],
    )
    def test_takes_the_notations_of_spreadsheets_in_manifests_only(self, text, expected):
        assert read(text) == expected
        with pytest.raises(InvalidValue):
            read(text, iso_only=True)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "soon",
            "2026-01-05",
            "31/02/2026 10:00",
            "13/13/2026 10:00",
            "2026-13-05 10:00",
            "2026-01-05 24:00",
            "2026-01-05T10:00:60Z",
            "2026-01-05T10:00+25:00",
            "0001-01-01T00:00:00+14:00",
            "9999-12-31T23:59:59-14:00",
            "05/01/26 10:00",
            "1767607200",
            "２０２６-01-05 10:00",
        ],
    )
    def test_refuses_the_rest(self, text):
        with pytest.raises(InvalidValue):
            read(text)

    @pytest.mark.parametrize(
        ("zone", "text", "expected"),
        [
            ("Europe/Madrid", "2026-01-05 10:00", utc(2026, 1, 5, 9)),
            ("Europe/Madrid", "2026-07-05 10:00", utc(2026, 7, 5, 8)),
            ("Europe/Madrid", "2026-03-29 02:30", utc(2026, 3, 29, 1, 30)),  # skipped: becomes 03:30 +02:00
            ("Europe/Madrid", "2026-10-25 02:30", utc(2026, 10, 25, 0, 30)),  # twice: the first, +02:00
            ("America/New_York", "2026-03-08 02:30", utc(2026, 3, 8, 7, 30)),
            ("America/New_York", "2026-11-01 01:30", utc(2026, 11, 1, 5, 30)),
            ("Australia/Lord_Howe", "2026-10-04 02:15", utc(2026, 10, 3, 15, 45)),  # a gap of half an hour
            ("Australia/Lord_Howe", "2026-04-05 01:45", utc(2026, 4, 4, 14, 45)),
        ],
    )
    def test_reads_local_times_in_the_servers_zone_also_around_its_changes(self, zone, text, expected):
        assert read(text, zone=zone) == expected


class TestReadingValues:
    def test_tells_all_fields_that_are_wrong(self):
        with pytest.raises(InvalidMetadata) as error:
            metadata.read_changes(
                {"direction": "sideways", "agent_id": "x" * 65, "campaign": None, "caller_number": "1"}
            )

        assert set(error.value.errors) == {"direction", "agent_id", "campaign"}
        [message] = error.value.errors["direction"]
        assert str(message) == '"sideways" is not a direction. Allowed: inbound, outbound.'

    @pytest.mark.parametrize(
        ("field", "longest"),
        [("agent_id", 64), ("caller_number", 64), ("agent_name", 255), ("campaign", 255)],
    )
    def test_takes_texts_up_to_their_limit(self, field, longest):
        assert metadata.read_changes({field: "é" * longest}) == {field: "é" * longest}
        with pytest.raises(InvalidMetadata):
            metadata.read_changes({field: "é" * (longest + 1)})

    def test_takes_a_number_as_agent_id(self):
        assert metadata.read_changes({"agent_id": 7}) == {"agent_id": "7"}

    def test_of_a_form_counts_blank_as_absent(self):
        assert metadata.read_form({"campaign": " ", "direction": "", "agent_id": "7", "other": "x"}) == {
            "agent_id": "7"
        }


@pytest.fixture
def make_call(project):
    def make(name="call.wav", **fields):
        now = timezone.now()
        return Call.objects.create(
            project=project,
            file_name=name,
            name_stem=stem(name),
            call_datetime=now,
            uploaded_at=now,
            **fields,
        )

    return make


def tell(call, source="api", **fields):
    metadata.apply_values(call, metadata.read_changes(fields), source=source)
    call.save()
    return call


class TestAgents:
    def test_are_made_once_for_an_id(self, make_call):
        first = tell(make_call("a.wav"), agent_id="7", agent_name="Ana")
        second = tell(make_call("b.wav"), agent_id="7")

        assert first.agent == second.agent
        assert second.agent.name == "Ana"

    def test_are_renamed_by_a_name_next_to_their_id(self, make_call):
        first = tell(make_call("a.wav"), agent_id="7", agent_name="Ana")
        tell(make_call("b.wav"), agent_id="7", agent_name="Ana María")

        first.refresh_from_db()
        assert first.agent.name == "Ana María"
        assert Agent.objects.count() == 1

    def test_known_by_id_alone_show_it_as_name(self, make_call):
        assert tell(make_call(), agent_id="7").agent.name == "7"

    def test_are_found_by_a_name_alone_whatever_its_case_and_spaces(self, make_call):
        first = tell(make_call("a.wav"), agent_id="7", agent_name="Ana Ruiz")
        second = tell(make_call("b.wav"), agent_name="  ANA   ruiz ")

        assert second.agent == first.agent

    def test_are_made_for_a_name_that_several_people_with_ids_share(self, make_call):
        tell(make_call("a.wav"), agent_id="7", agent_name="Ana")
        tell(make_call("b.wav"), agent_id="8", agent_name="Ana")

        third = tell(make_call("c.wav"), agent_name="Ana")
        fourth = tell(make_call("d.wav"), agent_name="Ana")

        assert third.agent.external_id == ""
        assert fourth.agent == third.agent

    def test_stay_when_a_call_is_given_the_name_of_its_agent(self, make_call):
        """A client that sends back what it read must not lose the agent_id."""
        call = tell(make_call("a.wav"), agent_id="7", agent_name="Ana Ruiz")
        tell(make_call("b.wav"), agent_id="8", agent_name="Ana Ruiz")
        tell(make_call("c.wav"), agent_name="Ana Ruiz")

        for resolver in (None, agents.AgentResolver(call.project)):
            metadata.apply_values(call, {"agent_name": "ana  RUIZ"}, source="manifest", resolver=resolver)

            assert (call.agent.external_id, call.agent.name) == ("7", "Ana Ruiz")
            assert call.agent_source == "manifest"

    def test_change_when_their_name_went_to_another(self, make_call):
        call = tell(make_call("a.wav"), agent_id="7", agent_name="Ana")
        resolver = agents.AgentResolver(call.project)
        resolver.resolve("7", "Bea")

        metadata.apply_values(call, {"agent_name": "Ana"}, source="manifest", resolver=resolver)

        assert (call.agent.external_id, call.agent.name) == ("", "Ana")

    def test_of_another_owner_are_other_people(self, make_call, bob):
        from callscope.projects.models import Project

        Agent.objects.create(owner=bob, name="Ana", name_key="ana")

        call = tell(make_call(), agent_name="Ana")

        assert call.agent.owner_id == call.project.owner_id
        other = Project.objects.create(name="Bob's", owner=bob)
        assert agents.AgentResolver(other).resolve("", "Ana").owner == bob

    def test_belong_to_the_team_of_the_project(self, make_call, project):
        from callscope.accounts.models import Team

        project.team = Team.objects.create(name="Team")
        project.save()

        assert tell(make_call(), agent_name="Ana").agent.team == project.team

    def test_can_have_names_that_grow_when_folded(self, make_call):
        assert tell(make_call(), agent_name="ΐ" * 255).agent is not None

    def test_in_bulk_are_the_same_as_one_by_one(self, project):
        pairs = [("7", "Ana"), ("", "ana"), ("8", ""), ("7", "Ana M"), ("", "Ana"), ("", "Bo"), ("", "bo")]
        resolver = agents.AgentResolver(project)
        resolver.preload(pairs)

        found = [resolver.resolve(*pair).pk for pair in pairs]

        assert found[0] == found[1] == found[3]
        assert found[5] == found[6]
        assert len(set(found)) == 4
        assert Agent.objects.count() == 4


class TestAgentFromTheAnalysis:
    def test_is_linked_where_nobody_said_who(self, make_call):
        call = make_call()

        assert agents.link_extracted(call, "Ana")
        assert (call.agent.name, call.agent_source) == ("Ana", "llm")

    def test_never_replaces_what_came_by_api_or_manifest(self, make_call):
        call = tell(make_call(), source="manifest", agent_name="Bea")

        assert not agents.link_extracted(call, "Ana")
        assert call.agent.name == "Bea"

    def test_is_not_linked_after_an_explicit_unlink(self, make_call):
        call = tell(make_call(), agent_id="", agent_name="")

        assert not agents.link_extracted(call, "Ana")
        assert call.agent is None

    def test_is_taken_back_when_a_later_analysis_hears_none(self, make_call):
        call = make_call()
        agents.link_extracted(call, "Ana")

        assert agents.link_extracted(call, "")
        assert (call.agent, call.agent_source) == (None, "")


class TestAFirstNameAlone:
    """What an agent says of themselves: "this is Dana"."""

    def test_is_not_taken_for_somebody_of_that_first_name(self, make_call):
        tell(make_call("a.wav"), agent_id="7", agent_name="Dana Kowalski")
        call = make_call("c.wav")

        agents.link_extracted(call, "Dana")

        assert (call.agent.name, Agent.objects.count()) == ("Dana", 2)


class TestStem:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("call-1.wav", "CALL-1.SRT"),
            ("call-1", "call-1.mp3"),
            ("a.b.wav", "a.b.mp3"),
            ("Año.wav", "AN\u0303O.srt"),
            ("call 1.2.wav", "call 1.2"),
        ],
    )
    def test_is_shared_by_names_that_differ_in_case_or_extension(self, one, other):
        assert stem(one) == stem(other)

    @pytest.mark.parametrize(
        ("one", "other"), [("call-1.wav", "call-11.wav"), ("call 1.2", "call 1.3"), (".wav", ".mp3")]
    )
    def test_differs_otherwise(self, one, other):
        assert stem(one) != stem(other)


@pytest.mark.django_db
class TestRejectingWhatWasOvertaken:
    @pytest.fixture
    def call(self, make_call):
        return make_call()

    @pytest.fixture
    def seen(self, call):
        self.write(call, agent_id="7", agent_name="Ana", campaign="Spring")
        return metadata.write_texts(call)

    def write(self, call, **fields):
        metadata.apply_values(call, metadata.read_changes(fields), source=Call.DatetimeSource.API)
        call.save()

    def overtaken(self, call, seen, **fields):
        try:
            metadata.reject_overtaken(call, metadata.read_changes(fields), seen)
        except metadata.MetadataConflict as error:
            return error.fields
        return []

    def test_names_what_was_changed_since_and_would_be_replaced(self, call, seen):
        self.write(call, campaign="Winter", caller_number="1", call_datetime="2026-03-01T10:00:00Z")

        assert self.overtaken(call, seen, campaign="Autumn", direction="inbound") == ["campaign"]
        assert self.overtaken(call, seen, call_datetime="2026-03-01T11:00:00Z") == ["call_datetime"]
        assert self.overtaken(call, seen, direction="inbound") == []

    def test_takes_both_fields_of_the_agent_for_one(self, call, seen):
        self.write(call, agent_id="8", agent_name="Ana")

        assert self.overtaken(call, seen, agent_name="Ben") == ["agent_id"]

    def test_lets_pass_who_says_the_same(self, call, seen):
        self.write(call, agent_id="8", agent_name="Ben", call_datetime="2026-03-01T10:00:00Z")

        assert self.overtaken(call, seen, agent_id="8", call_datetime="2026-03-01T11:00:00+01:00") == []
