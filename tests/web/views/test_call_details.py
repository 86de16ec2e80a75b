"""The page on which a person corrects what is known of a call from outside its audio."""

import datetime as dt

import pytest
from django.test import override_settings
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.accounts.services import create_team
from callscope.calls.models import Agent, Call
from callscope.calls.names import person_key
from callscope.calls.own_calls import link_user
from callscope.pipeline.decisions.team_moves import move_project
from callscope.pipeline.files.intake import describe_call
from callscope.projects.services import share_project
from callscope.reviews.reading import has_read
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(project):
    """A call of Ana Ruiz, whose id is 7; another one is Ben Okafor's, whose id is 8."""
    calls = bring(
        project,
        line(1, agent_id="7", campaign="Spring", caller_number="+34911222333"),
        line(2, agent_id="8", agent_name="Ben Okafor"),
        line(3, agent_id="7"),
    )
    return calls[0]


def address(call):
    return f"/calls/{call.pk}/details/"


def filled(client, call):
    """Return what the form would send if nothing were changed."""
    found = page(client.get(address(call)))
    fields = {each["name"]: each["value"] for each in found.all("input") if "value" in each}
    fields.pop("csrfmiddlewaretoken")
    chosen = [each["value"] for each in found.all("option") if "selected" in each]
    return {**fields, "direction": chosen[0] if chosen else ""}


def send(client, call, **changes):
    return client.post(address(call), filled(client, call) | changes)


def known(call):
    """Return what is known of the call now."""
    call = Call.objects.select_related("agent").get(pk=call.pk)
    agent = (call.agent.external_id, call.agent.name) if call.agent else None
    return agent, call.direction, call.caller_number, call.campaign


def said(client, answer):
    """Return the page that the form leads to, as text."""
    assert answer.status_code == 302, answer.content.decode()
    return page(client.get(answer["Location"])).text


def changed_fields():
    return [each.detail["fields"] for each in AuditEvent.objects.filter(action="call.metadata_changed")]


class TestTheLink:
    def test_stands_by_the_details_and_takes_the_list_along(self, as_alice, call):
        found = page(as_alice.get(f"/calls/{call.pk}/?direction=inbound"))

        assert found.all("a", href=f"/calls/{call.pk}/details/?direction=inbound")

    def test_is_for_writers_alone(self, call, project, bob, carol):
        share_project(project, bob, role="viewer")
        link_user(project, carol.email, call.agent)

        for person in (bob, carol):
            shown = visitor_of(person).get(f"/calls/{call.pk}/")
            assert shown.status_code == 200 and address(call) not in shown.content.decode()

    def test_is_not_on_a_shared_page(self, as_alice, call, visitor):
        made = page(as_alice.post(f"/shares/?call={call.pk}", {"days": "7"}))
        link = next(each["value"] for each in made.all("input") if "/shared/" in each.get("value", ""))

        shown = visitor.get(link[link.index("/shared/") :])

        assert shown.status_code == 200 and "details/" not in shown.content.decode()


class TestTheForm:
    def test_shows_what_is_known_and_whom_to_choose(self, as_alice, call):
        fields = filled(as_alice, call)
        found = page(as_alice.get(address(call)))

        assert fields["agent_id"] == "7" and fields["agent_name"] == "Ana Ruiz"
        assert fields["call_datetime"] == "2026-03-01T10:00" and fields["direction"] == "inbound"
        assert fields["caller_number"] == "+34911222333" and fields["campaign"] == "Spring"
        assert found.all("option", value="Ben Okafor", label="8")
        assert "Time zone: UTC" in found.text

    def test_is_for_who_may_write_the_project(self, call, project, bob, carol, as_carol):
        share_project(project, bob, role="viewer")

        for method in ("get", "post"):
            assert getattr(visitor_of(bob), method)(address(call)).status_code == 403
            assert getattr(as_carol, method)(address(call)).status_code == 404
        link_user(project, carol.email, call.agent)
        for method in ("get", "post"):
            assert getattr(as_carol, method)(address(call)).status_code == 404
        assert as_carol.get(f"/calls/{call.pk}/").status_code == 200

    def test_of_no_call_is_not_there(self, as_alice):
        assert as_alice.get("/calls/99999999999999999999/details/").status_code == 404

    def test_changes_nothing_by_being_read(self, as_alice, call):
        before = known(call)

        as_alice.get(address(call) + "?campaign=Autumn")

        assert known(call) == before and changed_fields() == []

    def test_needs_its_token(self, alice, call):
        fields = filled(visitor_of(alice), call) | {"campaign": "Autumn"}

        assert visitor_of(alice, enforce_csrf_checks=True).post(address(call), fields).status_code == 403
        assert known(call)[3] == "Spring"

    def test_speaks_spanish(self, alice, call):
        client = visitor_of(alice, headers={"accept-language": "es"})

        assert "Corregir los datos" in page(client.get(f"/calls/{call.pk}/")).text
        assert "ID del agente" in page(client.get(address(call))).text
        refused = page(send(client, call, call_datetime="31/02/2026"), 400)
        assert "No se guardó nada." in refused.text and "«31/02/2026» no es una fecha" in refused.text


class TestSaving:
    def test_writes_what_was_changed_and_leads_back(self, as_alice, call):
        changes = {"direction": "outbound", "caller_number": "", "campaign": "Autumn"}
        answer = as_alice.post(address(call) + "?sentiment=neutral", filled(as_alice, call) | changes)

        assert answer["Location"] == f"/calls/{call.pk}/?sentiment=neutral"
        assert "The details were saved." in said(as_alice, answer)
        assert known(call) == (("7", "Ana Ruiz"), "outbound", "", "Autumn")
        assert changed_fields() == [["caller_number", "campaign", "direction"]]

    def test_of_nothing_says_so(self, as_alice, call):
        before = Call.objects.filter(pk=call.pk).values().get()

        assert "Nothing was changed." in said(as_alice, send(as_alice, call))
        assert Call.objects.filter(pk=call.pk).values().get() == before
        assert changed_fields() == []

    def test_moves_the_call_in_the_report(self, as_alice, call, project):
        send(as_alice, call, agent_name="Ben Okafor")

        ben = Agent.objects.get(external_id="8")
        shown = page(as_alice.get(f"/calls/?project_id={project.pk}&agent={ben.pk}"))
        assert shown.all("a", href=f"/calls/{call.pk}/?project_id={project.pk}&agent={ben.pk}")

    def test_takes_a_time_in_the_zone_of_the_reports(self, as_alice, call):
        with override_settings(TIME_ZONE="Europe/Madrid"):
            assert filled(as_alice, call)["call_datetime"] == "2026-03-01T11:00"
            send(as_alice, call, call_datetime="2026-07-01T12:30")

        stored = Call.objects.get(pk=call.pk)
        assert stored.call_datetime == dt.datetime(2026, 7, 1, 10, 30, tzinfo=dt.UTC)
        assert stored.call_datetime_source == "api"

    def test_keeps_the_time_of_the_upload_and_its_fractions_unless_it_is_changed(self, as_alice, call):
        moment = dt.datetime(2026, 3, 1, 10, 0, 0, 250, tzinfo=dt.UTC)
        Call.objects.filter(pk=call.pk).update(call_datetime=moment, call_datetime_source="upload_time")
        assert "so the time of the upload is used" in page(as_alice.get(address(call))).text

        send(as_alice, call, campaign="Autumn", call_datetime="2026-03-01T10:00:00")

        stored = Call.objects.get(pk=call.pk)
        assert (stored.call_datetime, stored.call_datetime_source) == (moment, "upload_time")
        assert stored.campaign == "Autumn"

    def test_refuses_a_time_in_the_future_that_is_not_of_another_time_zone(self, as_alice, call, monkeypatch):
        now = timezone.now()
        monkeypatch.setattr(timezone, "now", lambda: now)  # the hour may end in between
        too_late, late, latest = (now + dt.timedelta(hours=hours) for hours in (25, 23, 24))

        refused = page(send(as_alice, call, call_datetime=f"{too_late:%Y-%m-%dT%H:%M}"), 400)

        assert f"{too_late:%Y-%m-%d %H:%M} is more than a day ahead. Give the time" in refused.text
        assert f"took place, {latest:%Y-%m-%d %H:}" in refused.text
        assert Call.objects.get(pk=call.pk).call_datetime == dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)
        assert send(as_alice, call, call_datetime=f"{late:%Y-%m-%dT%H:%M}").status_code == 302

    def test_leaves_a_time_in_the_future_that_a_system_sent(self, as_alice, alice, call):
        later = timezone.now() + dt.timedelta(days=2000)
        describe_call(call.pk, call.project, {"call_datetime": later.isoformat()}, alice)

        send(as_alice, call, campaign="Autumn")

        stored = Call.objects.get(pk=call.pk)
        assert (stored.call_datetime, stored.campaign) == (later, "Autumn")

    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            (
                "call_datetime",
                "31/02/2026",
                '"31/02/2026" is not a date and time from 1900 to 2100. Use ISO 8601.',
            ),
            ("call_datetime", "", "The time cannot be cleared. Give the time at which the call took place."),
            ("direction", "sideways", '"sideways" is not a Direction. Allowed: inbound, outbound.'),
            ("agent_id", "9" * 65, "ID of the agent must have at most 64 characters, not 65."),
            ("agent_name", "A" * 256, "Agent must have at most 255 characters, not 256."),
            ("caller_number", "1" * 65, "Caller number must have at most 64 characters, not 65."),
            ("campaign", "C" * 256, "Campaign must have at most 255 characters, not 256."),
            ("campaign", "a\0b", "Campaign contains characters that cannot be stored."),
            ("agent_id", "a\0b", "ID of the agent contains characters that cannot be stored."),
        ],
    )
    def test_says_what_cannot_be_taken_and_loses_nothing(self, as_alice, call, field, value, sentence):
        before = known(call)
        typed = {"caller_number": "555", "campaign": "Autumn", "agent_name": "Ben Okafor"} | {field: value}

        refused = page(send(as_alice, call, **typed), 400)

        assert "Nothing was saved." in refused.text and sentence in refused.text
        assert [each["id"] for each in refused.all("p", **{"class": "error"})] == [f"{field}-error"]
        for name, text in typed.items():
            if name != "direction":
                assert refused.all("input", name=name)[0]["value"] == text
        assert known(call) == before and changed_fields() == []


class TestTheAgent:
    def test_without_one_is_found_by_its_id_alone(self, as_alice, project):
        [call] = bring(project, line(1, agent_name=""))
        bring(project, line(2, agent_id="8", agent_name="Ben Okafor"))

        send(as_alice, call, agent_id="8")

        assert known(call)[0] == ("8", "Ben Okafor")

    def test_is_chosen_by_the_name_while_the_id_stays_in_its_field(self, as_alice, call):
        send(as_alice, call, agent_name="Ben Okafor")

        assert known(call)[0] == ("8", "Ben Okafor")
        assert changed_fields() == [["agent_name"]]

    def test_is_chosen_by_the_id_while_the_name_stays_in_its_field(self, as_alice, call):
        send(as_alice, call, agent_id="8")

        assert known(call)[0] == ("8", "Ben Okafor")

    def test_with_a_new_id_keeps_the_name_next_to_it(self, as_alice, call):
        send(as_alice, call, agent_id="70", another="70 Ana Ruiz")

        assert known(call)[0] == ("70", "Ana Ruiz")
        assert Agent.objects.filter(external_id="7", name="Ana Ruiz").exists()

    @pytest.mark.parametrize(
        ("typed", "asked"),
        [
            ({"agent_id": "NEW-1", "agent_name": "ben  okafor"}, "ben okafor is known as 8."),
            ({"agent_id": "NEW-1"}, "Ana Ruiz is known as 7."),
        ],
        ids=["name typed", "name left"],
    )
    def test_of_a_known_name_and_a_new_id_is_made_only_once_that_is_confirmed(
        self, as_alice, call, typed, asked
    ):
        before, there = known(call), Agent.objects.count()

        refused = page(send(as_alice, call, **typed), 400)

        assert f"{asked} Make another agent of this name with the ID NEW-1?" in refused.text
        assert [each["id"] for each in refused.all("p", **{"class": "error"})] == ["agent_id-error"]
        assert (known(call), Agent.objects.count()) == (before, there)
        [box] = refused.all("input", name="another")
        assert "checked" not in box
        other_id = page(send(as_alice, call, **typed | {"agent_id": "NEW-2"}, another=box["value"]), 400)
        assert "with the ID NEW-2?" in other_id.text
        send(as_alice, call, **typed, another=box["value"])
        assert known(call)[0][0] == "NEW-1" and Agent.objects.count() == there + 1

    def test_of_a_known_name_in_a_team_or_without_an_id_is_asked_for_likewise(
        self, as_alice, alice, call, project
    ):
        team = create_team("North", admin=alice)
        move_project(project.pk, team.pk, alice)
        in_team = page(send(as_alice, call, agent_id="NEW-1"), 400)
        assert "Ana Ruiz is 7 in this team. Make another agent of this name" in in_team.text
        Agent.objects.filter(external_id="7").update(external_id="")

        nameless = page(send(as_alice, call, agent_id="NEW-1"), 400)

        assert "Ana Ruiz is known without an ID. Make another agent of this name" in nameless.text

    def test_of_a_known_name_that_is_confirmed_stays_confirmed_next_to_another_mistake(self, as_alice, call):
        typed = {"agent_id": "NEW-1", "another": "NEW-1 Ana Ruiz", "direction": "sideways"}

        refused = page(send(as_alice, call, **typed), 400)

        [box] = refused.all("input", name="another")
        assert "checked" in box and "Make another agent of this name" not in refused.text

    def test_of_a_known_name_is_not_asked_for_with_an_id_that_cannot_be_taken(self, as_alice, call):
        refused = page(send(as_alice, call, agent_id="9" * 65), 400)

        assert "ID of the agent must have at most 64 characters" in refused.text
        assert not refused.all("input", name="another")

    def test_of_a_known_name_is_asked_for_in_spanish(self, alice, call):
        client = visitor_of(alice, headers={"accept-language": "es"})

        refused = page(send(client, call, agent_id="NEW-1"), 400)

        assert "Ana Ruiz ya figura como 7. ¿Crear otro agente con este nombre y el ID NEW-1?" in refused.text
        assert "Crear otro agente Ana Ruiz con el ID NEW-1" in refused.text

    def test_known_by_the_id_alone_lends_no_name_to_another_and_gets_one_unasked(self, as_alice, project):
        [call] = bring(project, line(1, agent_id="A-1", agent_name=""))

        send(as_alice, call, agent_id="A-2")
        assert known(call)[0] == ("A-2", "A-2")
        send(as_alice, call, agent_name="Ida")
        assert known(call)[0] == ("A-2", "Ida")

    def test_is_renamed_for_all_calls_only_once_that_is_confirmed(self, as_alice, call):
        asked = page(send(as_alice, call, agent_name="Anna Ruiz"), 400)
        assert "7 is the ID of Ana Ruiz. Clear the ID to give the call to Anna Ruiz" in asked.text
        assert "Rename Ana Ruiz to Anna Ruiz in all calls" in asked.text
        assert known(call)[0] == ("7", "Ana Ruiz")
        [box] = asked.all("input", name="renames")

        again = page(send(as_alice, call, agent_name="Anne Ruiz", renames=box["value"]), 400)
        assert "Rename Ana Ruiz to Anne Ruiz in all calls" in again.text
        send(as_alice, call, agent_name="Anna Ruiz", renames=box["value"])
        assert known(call)[0] == ("7", "Anna Ruiz")
        assert Agent.objects.count() == 2

    def test_that_is_renamed_is_in_the_audit_trail(self, as_alice, call):
        before = len(changed_fields())
        send(as_alice, call, agent_id="A-2", agent_name="Ida", another="A-2 Ida")
        [box] = page(send(as_alice, call, agent_name="Ina"), 400).all("input", name="renames")

        send(as_alice, call, agent_name="Ina", renames=box["value"])

        assert known(call)[0] == ("A-2", "Ina")
        assert changed_fields()[before:] == [["agent_id", "agent_name"]] * 2
        send(as_alice, call, agent_name="Ina")
        assert len(changed_fields()) == before + 2

    @pytest.mark.parametrize("agent_id", ["", None], ids=["ID cleared", "ID left"])
    def test_is_asked_for_by_id_where_several_have_the_name(self, as_alice, call, project, agent_id):
        for external_id in ("B-1", "B-2"):
            key = person_key("Priya Nair")
            Agent.objects.create(
                owner=project.owner, external_id=external_id, name="Priya Nair", name_key=key
            )
        before, agents_there = known(call), Agent.objects.count()
        ids = {} if agent_id is None else {"agent_id": agent_id}

        answer = send(as_alice, call, agent_name="priya  nair", **ids)

        assert answer.status_code == 400
        assert "priya nair is the name of agents with these IDs: B-1, B-2." in page(answer, 400).text
        assert (known(call), Agent.objects.count()) == (before, agents_there)

    def test_that_no_database_stores_is_refused_without_looking_for_it(self, as_alice, call):
        answer = send(as_alice, call, agent_name="Dana\x00Kowalski", agent_id="")

        assert page(answer, 400)

    def test_by_a_new_name_alone_is_a_new_agent(self, as_alice, call):
        send(as_alice, call, agent_name="Cleo", agent_id="")

        assert known(call)[0] == ("", "Cleo")

    def test_is_unlinked_by_clearing_both_and_kept_by_one(self, as_alice, call):
        kept = send(as_alice, call, agent_name="")
        assert "The call keeps its agent, Ana Ruiz." in said(as_alice, kept)
        assert known(call)[0] == ("7", "Ana Ruiz") and changed_fields() == []

        send(as_alice, call, agent_name="", agent_id="")
        assert known(call)[0] is None and Call.objects.get(pk=call.pk).agent_unlinked

    def test_of_a_review_is_replaced_as_the_form_says(self, as_alice, call, project):
        ben = Agent.objects.get(external_id="8")
        answers = {"answer:greeting": "met", "answer:identity": "met", "do": "submit"}
        as_alice.post(f"/calls/{call.pk}/review/", answers | {"place:agent": str(ben.pk)})
        said_of_it = "A review gave this call to Ben Okafor. An agent that you set here replaces what the"
        assert said_of_it in page(as_alice.get(address(call))).text

        send(as_alice, call, agent_name="Cleo", agent_id="")

        assert known(call)[0] == ("", "Cleo")
        assert "A review gave" not in page(as_alice.get(address(call))).text


class TestSomebodyElse:
    @pytest.fixture
    def typed(self, as_alice, call):
        return filled(as_alice, call)

    def change(self, call, by, **fields):
        describe_call(call.pk, call.project, fields, by)

    def test_is_not_overwritten_unless_the_form_is_sent_again(self, as_alice, call, alice, typed):
        self.change(call, alice, campaign="Winter", caller_number="000")

        refused = page(as_alice.post(address(call), typed | {"campaign": "Autumn"}), 409)

        assert "Someone else changed these details since you opened the form." in refused.text
        assert "Now: Winter" in refused.text and "Now: 000" not in refused.text
        assert refused.all("input", name="campaign")[0]["value"] == "Autumn"
        assert refused.all("input", name="caller_number")[0]["value"] == "000"
        assert known(call)[3] == "Winter"
        again = {each["name"]: each["value"] for each in refused.all("input") if "value" in each}
        assert as_alice.post(address(call), again | {"direction": "inbound"}).status_code == 302
        assert known(call)[2:] == ("000", "Autumn")

    def test_keeps_what_the_visitor_left_as_it_was(self, as_alice, call, alice, typed):
        self.change(call, alice, campaign="Winter")

        assert as_alice.post(address(call), typed | {"caller_number": "000"}).status_code == 302
        assert known(call)[2:] == ("000", "Winter")

    def test_who_set_another_agent_or_time_is_named(self, as_alice, call, alice, typed):
        self.change(call, alice, agent_id="9", call_datetime="2026-03-01T12:00:00Z")
        changes = {"agent_name": "Ben Okafor", "call_datetime": "2026-03-01T11:00"}

        refused = page(as_alice.post(address(call), typed | changes), 409)

        assert "Now: 9" in refused.text and "Now: 2026-03-01T12:00" in refused.text

    def test_who_said_the_same_is_no_trouble(self, as_alice, call, typed):
        changes = typed | {"agent_name": "Ben Okafor", "campaign": "Autumn"}

        answers = [as_alice.post(address(call), changes).status_code for _ in range(2)]

        assert answers == [302, 302]
        assert changed_fields() == [["agent_name", "campaign"]]


class TestABlindReviewer:
    def test_corrects_details_and_learns_no_result(self, as_alice, alice, call, project):
        collect_sample(project, [call.pk], alice)
        assert page(as_alice.get(f"/calls/{call.pk}/")).all("a", href=address(call))

        shown = page(as_alice.get(address(call)))
        send(as_alice, call, campaign="Autumn")

        for result in ("100", "Greets", "neutral", "reached", "late fee"):
            assert result not in shown.text
        assert known(call)[3] == "Autumn"
        assert not has_read(call.pk, alice)
        assert "You have this call to review." in page(as_alice.get(f"/calls/{call.pk}/")).text

    def test_does_not_learn_what_a_review_says(self, as_alice, alice, bob, call, project):
        share_project(project, bob, role="editor")
        ben = Agent.objects.get(external_id="8")
        answers = {"answer:greeting": "met", "answer:identity": "met", "do": "submit"}
        visitor_of(bob).post(f"/calls/{call.pk}/review/", answers | {"place:agent": str(ben.pk)})
        assert "A review gave" in page(as_alice.get(address(call))).text

        collect_sample(project, [call.pk], alice)

        assert "A review gave" not in page(as_alice.get(address(call))).text
