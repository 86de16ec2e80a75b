"""Taking back what a person corrected in the details of a call."""

import datetime as dt
import time

import pytest
from django.core import signing

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Agent, Call
from callscope.calls.names import person_key
from callscope.pipeline.files.intake import describe_call
from callscope.projects.services import share_project
from callscope.reviews.models import Review
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import bring, line, page, visitor_of
from tests.web.views.test_call_details import address, changed_fields, filled, known, said, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(project):
    """A call of Ana Ruiz, whose id is 7; another one is Ben Okafor's, whose id is 8."""
    calls = bring(
        project,
        line(1, agent_id="7", campaign="Spring", caller_number="+34911222333"),
        line(2, agent_id="8", agent_name="Ben Okafor"),
    )
    return calls[0]


class TestUndo:
    """The toast that says what was saved offers to take it back."""

    def save(self, client, call, **changes):
        """Save, and return what "Undo" sends."""
        shown = page(client.get(send(client, call, **changes)["Location"]))
        [button] = shown.all("button", name="undo")
        assert shown.all("form", id=button["form"], action=address(call), method="post")
        return button["value"]

    def undo(self, client, call, sent):
        return said(client, client.post(address(call), {"undo": sent}))

    def stored(self, call):
        return Call.objects.filter(pk=call.pk).values().get()

    def test_restores_all_that_was_saved_with_its_sources(self, as_alice, call):
        moment = dt.datetime(2026, 3, 1, 10, 0, 0, 250, tzinfo=dt.UTC)
        Call.objects.filter(pk=call.pk).update(
            call_datetime=moment, call_datetime_source="upload_time", agent_source="llm"
        )
        before = self.stored(call)
        sent = self.save(
            as_alice,
            call,
            agent_name="Ben Okafor",
            call_datetime="2026-03-02T11:00",
            direction="outbound",
            caller_number="",
            campaign="Autumn",
        )
        assert known(call) == (("8", "Ben Okafor"), "outbound", "", "Autumn")

        assert "The details are as they were before." in self.undo(as_alice, call, sent)

        assert self.stored(call) == before
        everything = ["agent_id", "agent_name", "call_datetime", "caller_number", "campaign", "direction"]
        assert changed_fields()[1:] == [everything]
        shown = page(as_alice.get(f"/calls/?project_id={call.project_id}&agent={before['agent_id']}"))
        assert [each["href"] for each in shown.all("a") if f"/calls/{call.pk}/" in each.get("href", "")]

    def test_holds_no_value_in_the_audit_trail(self, as_alice, call):
        self.undo(as_alice, call, self.save(as_alice, call, caller_number="555", agent_name="Ben Okafor"))

        for event in AuditEvent.objects.filter(action="call.metadata_changed"):
            assert set(event.detail) <= {"fields", "project"}

    def test_asked_twice_is_done_once(self, as_alice, call):
        sent = self.save(as_alice, call, campaign="Autumn")

        for _ in range(2):
            assert "The details are as they were before." in self.undo(as_alice, call, sent)

        assert len(changed_fields()) == 2

    def test_leads_back_to_the_list(self, as_alice, call):
        sent = self.save(as_alice, call, campaign="Autumn")

        answer = as_alice.post(address(call) + "?direction=inbound", {"undo": sent})

        assert answer["Location"] == f"/calls/{call.pk}/?direction=inbound"

    def test_brings_back_a_call_without_an_agent_and_takes_away_the_agent_that_it_made(
        self, as_alice, call, project
    ):
        [call] = bring(project, line(4, agent_name=""))
        Call.objects.filter(pk=call.pk).update(agent_unlinked=True)
        before, agents = self.stored(call), Agent.objects.count()

        sent = self.save(as_alice, call, agent_name="Cleo")
        assert Agent.objects.filter(name="Cleo").exists()
        self.undo(as_alice, call, sent)

        assert self.stored(call) == before and Agent.objects.count() == agents

    def test_leaves_a_new_agent_who_has_another_call_by_now(self, as_alice, alice, call, project):
        sent = self.save(as_alice, call, agent_name="Cleo", agent_id="")
        other = Call.objects.filter(project=project).exclude(pk=call.pk).first()
        describe_call(other.pk, project, {"agent_name": "Cleo"}, alice)

        self.undo(as_alice, call, sent)

        assert known(call)[0] == ("7", "Ana Ruiz") and known(other)[0] == ("", "Cleo")

    def test_links_an_agent_again_who_was_unlinked(self, as_alice, call):
        before = self.stored(call)

        self.undo(as_alice, call, self.save(as_alice, call, agent_name="", agent_id=""))

        assert self.stored(call) == before

    def test_takes_back_another_name_of_an_agent(self, as_alice, call):
        [box] = page(send(as_alice, call, agent_name="Anna Ruiz"), 400).all("input", name="renames")
        sent = self.save(as_alice, call, agent_name="Anna Ruiz", renames=box["value"])
        assert known(call)[0] == ("7", "Anna Ruiz")

        self.undo(as_alice, call, sent)

        assert known(call)[0] == ("7", "Ana Ruiz")
        assert Agent.objects.get(external_id="7").name_key == person_key("Ana Ruiz")

    def test_leaves_a_name_that_was_changed_since(self, as_alice, alice, call):
        [box] = page(send(as_alice, call, agent_name="Anna Ruiz"), 400).all("input", name="renames")
        sent = self.save(as_alice, call, agent_name="Anna Ruiz", renames=box["value"])
        describe_call(call.pk, call.project, {"agent_id": "7", "agent_name": "Anne Ruiz"}, alice)

        assert "someone has changed the same details since" in self.undo(as_alice, call, sent)
        assert known(call)[0] == ("7", "Anne Ruiz")

    def test_keeps_what_somebody_changed_since_elsewhere(self, as_alice, alice, call):
        sent = self.save(as_alice, call, campaign="Autumn")
        describe_call(call.pk, call.project, {"caller_number": "000"}, alice)

        self.undo(as_alice, call, sent)

        assert known(call)[2:] == ("000", "Spring")

    def test_overwrites_nothing_that_somebody_changed_since(self, as_alice, alice, call):
        sent = self.save(as_alice, call, campaign="Autumn", caller_number="555")
        describe_call(call.pk, call.project, {"campaign": "Winter"}, alice)

        refused = self.undo(as_alice, call, sent)

        assert "Nothing was undone: someone has changed the same details since." in refused
        assert known(call)[2:] == ("555", "Winter")

    def test_makes_no_agent_again_who_was_erased(self, as_alice, call):
        sent = self.save(as_alice, call, agent_name="Ben Okafor")
        Agent.objects.filter(external_id="7").delete()

        assert "the earlier agent is no longer there" in self.undo(as_alice, call, sent)
        assert known(call)[0] == ("8", "Ben Okafor")

    def test_is_for_an_hour(self, as_alice, call, monkeypatch):
        sent = self.save(as_alice, call, campaign="Autumn")
        later = time.time() + 3601
        monkeypatch.setattr(time, "time", lambda: later)

        assert "this was saved more than an hour ago" in self.undo(as_alice, call, sent)
        assert known(call)[3] == "Autumn"

    def test_writes_nothing_but_what_was_signed_for_this_call_and_visitor(self, as_alice, bob, call, project):
        sent = self.save(as_alice, call, campaign="Autumn")
        other = Call.objects.filter(project=project).exclude(pk=call.pk).first()
        share_project(project, bob, role="editor")
        before = Call.objects.order_by("pk").values()

        for client, of, text in (
            (as_alice, call, sent[:-1] + ("A" if sent[-1] != "A" else "B")),
            (as_alice, call, ""),
            (as_alice, call, "nonsense\x00"),
            (as_alice, other, sent),
            (visitor_of(bob), call, sent),
        ):
            assert "you can only undo what you saved for this call yourself" in self.undo(client, of, text)
        assert list(Call.objects.order_by("pk").values()) == list(before)

    def test_is_for_who_may_write_the_project_and_needs_its_token(self, as_alice, alice, call, project, bob):
        share_project(project, bob, role="editor")
        sent = self.save(visitor_of(bob), call, campaign="Autumn")
        share_project(project, bob, role="viewer")

        assert visitor_of(bob).post(address(call), {"undo": sent}).status_code == 403
        mine = self.save(as_alice, call, campaign="Winter")
        strict = visitor_of(alice, enforce_csrf_checks=True)
        assert strict.post(address(call), {"undo": mine}).status_code == 403
        assert known(call)[3] == "Winter"

    def test_is_not_offered_where_nothing_was_replaced(self, as_alice, call):
        typed = filled(as_alice, call) | {"campaign": "Autumn"}
        as_alice.get(as_alice.post(address(call), typed)["Location"])

        shown = page(as_alice.get(as_alice.post(address(call), typed)["Location"]))

        assert "The details were saved." in shown.text and not shown.all("button", name="undo")

    def test_stands_on_the_page_of_this_call_alone(self, as_alice, call, project):
        other = Call.objects.filter(project=project).exclude(pk=call.pk).first()
        for elsewhere in (f"/calls/{other.pk}/", f"/calls/?project_id={project.pk}"):
            send(as_alice, call, campaign=elsewhere)

            shown = page(as_alice.get(elsewhere))

            assert "The details were saved." in shown.text and not shown.all("button", name="undo")

    def test_speaks_spanish(self, alice, call):
        client = visitor_of(alice, headers={"accept-language": "es"})

        done = self.undo(client, call, self.save(client, call, campaign="Autumn"))

        assert "Los datos vuelven a ser los de antes." in done


class TestUndoAfterAReview:
    @pytest.fixture
    def placed(self, as_alice, call):
        """The call, which a review gave to Ben Okafor."""
        ben = Agent.objects.get(external_id="8")
        answers = {"answer:greeting": "met", "answer:identity": "met", "do": "submit"}
        as_alice.post(f"/calls/{call.pk}/review/", answers | {"place:agent": str(ben.pk)})
        return call

    def undo(self, client, call):
        shown = page(client.get(send(client, call, agent_name="Cleo", agent_id="")["Location"]))
        [button] = shown.all("button", name="undo")
        return button["value"]

    def test_lets_the_review_count_again(self, as_alice, placed):
        sent = self.undo(as_alice, placed)
        assert "A review gave" not in page(as_alice.get(address(placed))).text

        as_alice.post(address(placed), {"undo": sent})

        assert known(placed)[0] == ("8", "Ben Okafor")
        assert "A review gave this call to Ben Okafor." in page(as_alice.get(address(placed))).text
        as_alice.post(
            f"/calls/{placed.pk}/review/", {"do": "withdraw", "review": Review.objects.get(call=placed).pk}
        )
        assert known(placed)[0] == ("7", "Ana Ruiz")

    def test_leaves_a_later_review(self, as_alice, placed):
        sent = self.undo(as_alice, placed)
        answers = {"answer:greeting": "met", "answer:identity": "not_met", "do": "submit"}
        as_alice.post(f"/calls/{placed.pk}/review/", answers)

        refused = said(as_alice, as_alice.post(address(placed), {"undo": sent}))

        assert "someone has changed the same details since" in refused
        assert known(placed)[0] == ("", "Cleo")

    def test_does_not_hold_what_a_review_says_where_that_is_hidden(
        self, as_alice, bob, placed, project, alice
    ):
        share_project(project, bob, role="editor")
        collect_sample(project, [placed.pk], bob)
        hidden = visitor_of(bob)
        sent = self.undo(hidden, placed)

        held = signing.loads(sent, salt="callscope.details")
        assert held[2][-1] is None
        hidden.post(address(placed), {"undo": sent})
        assert known(placed)[0] == ("8", "Ben Okafor")
