"""The page of an agent: decisions of people, and which calls stand for what to talk about."""

import pytest

from callscope.calls.own_calls import link_user
from callscope.pipeline.decisions.review_edits import create_review
from callscope.projects import services
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from callscope.reviews.findings import GivenFinding
from callscope.reviews.revisions import GivenReview
from tests.web.conftest import bring, give_transcript, line, page, visitor_of

pytestmark = pytest.mark.django_db

WRITTEN = "She greets nobody: this is the voice of the queue."


def mistake(name, **fields):
    return {"id": name, "description": name.capitalize(), "quote": "", **fields}


def with_mistakes(number, *names, **fields):
    brought = line(number, **fields)
    brought["no_protocol"] = {"mistakes": [mistake(name) for name in names], "missing_prompts": []}
    return brought


def read_section(client, agent, title, after):
    text = page(client.get(f"/agents/{agent}/")).text
    return text.split(title, 1)[1].split(after, 1)[0]


@pytest.fixture
def to_talk_about():
    return lambda client, agent: read_section(client, agent, "What to talk about", "What went well")


@pytest.fixture
def reviewed(project, alice):
    """A function that reviews the first of two calls, and returns its agent."""
    calls = bring(
        project, line(1, no_protocol={"mistakes": [mistake("tone")], "missing_prompts": []}), line(2)
    )
    give_transcript(calls[0])

    def review(*answers, findings=()):
        given = GivenReview(answers, submits=True, is_partial=True, findings=findings)
        create_review(calls[0].pk, given, alice)
        return calls[0].agent

    return review


class TestDecisionsOfPeople:
    def test_are_shown_with_their_reason_next_to_the_words(self, as_alice, reviewed, to_talk_about):
        agent = reviewed(
            GivenAnswer("greeting", "not_met", comment=WRITTEN, quote="Good morning, Ana here."),
            findings=[GivenFinding("mistake", "tone", "made", comment="She sighs.", quote="Ana here.")],
        )

        text = to_talk_about(as_alice, agent.pk)

        assert f"Greets not met in 1 of 2 calls Good morning, Ana here. By a person: {WRITTEN}" in text
        assert "Tone in 1 of 2 calls Good morning, Ana here. By a person: She sighs." in text

    def test_are_read_by_the_agent_as_on_the_page_of_the_call(self, project, carol, reviewed, to_talk_about):
        agent = reviewed(GivenAnswer("greeting", "not_met", comment=WRITTEN))
        link_user(project, carol.email, agent)
        call = agent.calls.order_by("call_datetime").first()

        assert WRITTEN in page(visitor_of(carol).get(f"/calls/{call.pk}/")).text
        assert f"Looked for: The agent greets. By a person: {WRITTEN}" in to_talk_about(
            visitor_of(carol), agent.pk
        )

    def test_are_hidden_where_the_call_waits_for_a_rating(self, project, alice, bob, reviewed, to_talk_about):
        agent = reviewed(GivenAnswer("greeting", "not_met", comment=WRITTEN))
        services.share_project(project, bob, role="editor")
        call = agent.calls.order_by("call_datetime").first()
        open_calibration(project, CalibrationPlan([call.pk], [bob.email]), alice)

        assert WRITTEN not in page(visitor_of(bob).get(f"/agents/{agent.pk}/")).text

    def test_without_a_reason_are_marked_where_the_machine_decided_otherwise(
        self, as_alice, project, alice, reviewed, to_talk_about
    ):
        agent = reviewed(GivenAnswer("greeting", "not_met"))
        [agreed] = bring(project, line(3, agent_name="Ben Okafor", greeting=0))
        give_transcript(agreed)
        create_review(
            agreed.pk,
            GivenReview([GivenAnswer("greeting", "not_met")], submits=True, is_partial=True),
            alice,
        )

        assert "Looked for: The agent greets. call-1.wav · by a person" in to_talk_about(as_alice, agent.pk)
        of_machine = to_talk_about(as_alice, agreed.agent_id)
        assert "Greets not met in 1 of 1 call" in of_machine
        assert "person" not in of_machine


class TestCallsToTalkAbout:
    def test_are_different_ones_where_that_can_be(self, as_alice, project, to_talk_about):
        calls = bring(project, line(1), line(2, greeting=0), with_mistakes(3, "rude", greeting=0))

        text = to_talk_about(as_alice, calls[0].agent_id)

        assert "Greets not met in 2 of 3 calls Looked for: The agent greets. call-2.wav" in text
        assert "Rude in 1 of 3 calls call-3.wav" in text

    def test_are_named_equally_often_where_there_are_too_few(self, as_alice, project, to_talk_about):
        names = ("a", "b", "c", "d")
        calls = bring(project, with_mistakes(1, *names), with_mistakes(2, *names))

        text = to_talk_about(as_alice, calls[0].agent_id)

        assert text.count("call-1.wav") == text.count("call-2.wav") == 2
