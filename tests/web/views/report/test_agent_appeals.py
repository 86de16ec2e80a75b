"""The appeals on the page of an agent: about which criteria of which calls, and what became of them."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.calls.own_calls import link_user
from callscope.projects.services import share_project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from tests.web.conftest import bring, give_transcript, line, page, remove_results, visitor_of

FILED = dt.datetime(2026, 3, 9, 10, tzinfo=dt.UTC)
DECIDED = dt.datetime(2026, 3, 12, 10, tzinfo=dt.UTC)


@pytest.fixture
def calls(project, carol):
    found = bring(project, *(line(number) for number in range(1, 11)))
    link_user(project, carol.email, found[0].agent)
    return found


@pytest.fixture
def address(calls, project):
    return f"/agents/{calls[0].agent_id}/?project_id={project.pk}"


@pytest.fixture
def appeal(carol):
    def file(call, state="open", **fields):
        decided_at = None if state == "open" else DECIDED
        values = {
            "criterion_id": "greeting", "criterion_name": "Greets", "appellant": carol, "judged_at": FILED,
        } | fields  # fmt: skip
        return Appeal.objects.create(
            call=call, project=call.project, state=state, created_at=FILED, decided_at=decided_at, **values
        )

    return file


def list_links(found):
    return [each["href"] for each in found.all("a") if "#appealed-" in each["href"]]


@pytest.mark.django_db
class TestAppealsOfAnAgent:
    def test_name_criterion_call_state_and_day(self, as_alice, calls, address, appeal):
        filed = [
            appeal(calls[0], "accepted", new_answer="met"),
            appeal(calls[1], "refused", criterion_name="Verifies the caller"),
            appeal(calls[2], "withdrawn"),
            appeal(calls[3]),
        ]

        found = page(as_alice.get(address))

        for said in (
            "Greets accepted: met call-1.wav · decided on Mar 12, 2026 10:00",
            "Verifies the caller refused call-2.wav · decided on Mar 12, 2026 10:00",
            "Greets withdrawn call-3.wav · withdrawn on Mar 12, 2026 10:00",
            "Greets waits for a decision call-4.wav · filed on Mar 9, 2026 10:00",
        ):
            assert said in found.text
        # The one that waits comes first, then the newest.
        order = [filed[3], filed[2], filed[1], filed[0]]
        assert list_links(found) == [f"/calls/{each.call_id}/#appealed-{each.pk}" for each in order]
        opened = page(as_alice.get(f"/calls/{calls[3].pk}/"))
        assert opened.all("strong", id=f"appealed-{filed[3].pk}")
        assert found.all("a", href=f"/appeals/?state=open&agent={calls[3].agent_id}")
        assert "All appeals of this agent" in found.text

    def test_are_listed_as_far_as_they_are_few_in_as_many_queries(self, as_alice, calls, address, appeal):
        first = appeal(calls[0])
        as_alice.get(address)
        with CaptureQueriesContext(
            connection,
        ) as few:
            assert len(list_links(page(as_alice.get(address)))) == 1
        for call in calls[1:]:
            appeal(call, "refused")

        with CaptureQueriesContext(connection) as many:
            found = page(as_alice.get(address))

        assert len(many) <= len(few)
        assert "8 of 10 are listed: first those that wait, then the newest." in found.text
        assert len(list_links(found)) == 8
        assert list_links(found)[0] == f"/calls/{calls[0].pk}/#appealed-{first.pk}"

    def test_about_calls_that_wait_for_the_reader_stay_hidden(
        self, as_alice, alice, project, calls, address, appeal
    ):
        appeal(calls[0])
        shown = appeal(calls[1], "refused")
        open_calibration(project, CalibrationPlan([calls[0].pk], [alice.email]), alice)

        found = page(as_alice.get(address))

        assert list_links(found) == [f"/calls/{calls[1].pk}/#appealed-{shown.pk}"]
        assert "1 appeal about a call that waits for your rating or blind review is not counted" in found.text

    def test_are_shown_to_agents_themselves(self, carol, bob, calls, address, appeal):
        own = appeal(calls[0])
        appeal(calls[1], appellant=bob)  # who had the call before

        found = page(visitor_of(carol).get(address))

        assert list_links(found) == [f"/calls/{calls[0].pk}/#appealed-{own.pk}"]
        assert "All your appeals" in found.text

    def test_are_only_counted_for_who_may_not_read_them_at_the_calls(
        self, bob, project, calls, address, appeal
    ):
        share_project(project, bob, role="viewer")
        appeal(calls[0])

        found = page(visitor_of(bob).get(address))

        assert "open 1 accepted 0" in found.text
        assert list_links(found) == []
        assert not found.all("a", href="/appeals/?state=open")

    def test_are_counted_apart_where_they_can_no_longer_be_decided(
        self, as_alice, project, calls, address, appeal
    ):
        for call in calls[:2]:  # which stay with their transcripts
            give_transcript(call)
        filed = [appeal(call) for call in calls[:2]]
        waiting = appeal(calls[2])
        remove_results(project, spares=[calls[2]])

        found = page(as_alice.get(address))

        assert "open 1 accepted 0 refused 0 no longer decidable 2" in found.text
        assert found.text.count("Greets can no longer be decided call-") == 2
        assert found.text.count("Greets waits for a decision call-3.wav") == 1
        counted = as_alice.get(f"/calls/api{address}").json()["appeals"]
        assert counted == {"open": 1, "accepted": 0, "refused": 0, "withdrawn": 0, "undecidable": 2}
        order = [waiting, filed[1], filed[0]]
        assert list_links(found) == [f"/calls/{each.call_id}/#appealed-{each.pk}" for each in order]

    def test_are_said_to_be_about_no_call_of_this_agent(self, as_alice, address):
        assert "No appeal is about a call of this agent." in page(as_alice.get(address)).text
