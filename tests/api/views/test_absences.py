"""What the detail of a call says about criteria that were not met."""

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent
from callscope.calls.own_calls import link_user
from callscope.projects.services import create_project
from tests.web.conftest import bring, give_transcript, line, visitor_of

pytestmark = pytest.mark.django_db
RULE = {"any_of": ["my name is"], "applies_if": ["hello"], "within_seconds": 30}


@pytest.fixture
def call(alice):
    criterion = {"id": "greeting", "name": "Greets", "max_points": 10, "rule": RULE}
    document = {"rubric": {"sections": [{"name": "Opening", "criteria": [criterion]}]}}
    project = create_project(alice, "Service line", document=document)
    (call,) = bring(project, line(1, greeting=0))
    give_transcript(call)
    analysis = CallAnalysis.objects.get(call=call, is_live=True)
    analysis.provenance = {"engine": "rules"}
    analysis.copc["criterion_scores"][0]["answer"] = "not_met"
    analysis.save()
    return call


def read(user, call):
    return visitor_of(user).get(f"/calls/api/calls/{call.pk}/").json()["absences"]


class TestAbsences:
    def test_say_why_it_applied_what_was_looked_for_and_where(self, alice, call):
        assert read(alice, call) == [
            {
                "criterion_id": "greeting",
                "applied": {"text": "Hello?", "start_s": 0.5},
                "looked_for": ["my name is"],
                "speaker": "agent",
                "start": 0.0,
                "end": 6.0,
            }
        ]

    def test_do_not_show_agents_what_rules_look_for(self, carol, call):
        link_user(call.project, carol.email, Agent.objects.get(name="Ana Ruiz"))

        (found,) = read(carol, call)

        assert found["looked_for"] == []
        assert found["applied"]["text"] == "Hello?"

    def test_are_none_where_a_language_model_judged(self, alice, call):
        CallAnalysis.objects.filter(call=call).update(provenance={"engine": "llm"})

        assert read(alice, call) == []

    def test_are_hidden_from_who_rates_the_call(self, alice, bob, call):
        from callscope.projects.services import share_project

        share_project(call.project, bob, role="editor")
        opened = {"call": call.pk, "rater": [alice.email, bob.email], "due": "2100-04-01"}
        address = f"/projects/{call.project_id}/calibrations/"
        assert visitor_of(alice).post(address, opened).status_code == 302

        assert read(alice, call) == []
