"""What a search found is marked in the list of calls, and in the transcript of a call opened from it."""

import pytest

from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.reports.search.spoken_words import index_transcript
from callscope.reports.store import facts
from tests.web.conftest import bring, give_transcript, line, page

HOSTILE = "<script>alert(1)</script>"


def say(call, *texts, language="en"):
    """Let the call say these texts, one after the other."""
    segments = [
        {"start": 5.0 * n, "end": 5.0 * n + 4, "speaker": "customer", "text": text, "confidence": None}
        for n, text in enumerate(texts)
    ]
    index_transcript(give_transcript(call, segments=segments, language=language))
    facts.refresh([call.pk])


@pytest.mark.django_db
class TestListOfCalls:
    def shown(self, visitor, address):
        answer = visitor.get(address)
        assert answer.status_code == 200
        return answer.content.decode()

    def test_marks_what_was_said_in_any_form(self, as_alice, world):
        say(world[0], "Two refunds & one refunded invoice")

        shown = self.shown(as_alice, "/calls/?transcript=refund")

        assert "<q>Two <mark>refunds</mark> &amp; one <mark>refunded</mark> invoice</q>" in shown

    def test_leads_from_the_second_to_the_call_there(self, as_alice, world):
        say(world[0], "Hello", "A refund")

        found = page(as_alice.get("/calls/?transcript=refund"))

        [link] = found.all("a", **{"class": "at"})
        assert link["href"].startswith(f"/calls/{world[0].pk}/?")
        assert link["href"].endswith("#t=5")

    def test_marks_nothing_else(self, as_alice, world):
        assert "<mark>" not in self.shown(as_alice, "/calls/?project_id=")

    def test_escapes_what_was_said_and_what_was_asked(self, as_alice, world):
        say(world[0], f"say {HOSTILE}")

        shown = self.shown(as_alice, f"/calls/?transcript={HOSTILE}")

        assert "&lt;<mark>script</mark>&gt;<mark>alert</mark>(<mark>1</mark>)&lt;/<mark>script" in shown
        assert HOSTILE not in shown

    def test_marks_parts_of_names(self, as_alice, project):
        bring(project, line(1, topic="Late & <b>fee", campaign="refees", caller_number="+34 911 fee"))

        shown = self.shown(as_alice, "/calls/?search=FEE")

        assert "Late &amp; &lt;b&gt;<mark>fee</mark>" in shown
        assert "re<mark>fee</mark>s" in shown
        assert "+34 911 <mark>fee</mark>" in shown

    def test_shows_a_topic_behind_a_contact_reason_where_it_was_found(self, as_alice, project):
        [call] = bring(project, line(1, topic="Refund of a <deposit>"))
        reason = ContactReason.objects.create(project=project, name="Money back")
        CallReason.objects.update_or_create(call=call, defaults={"project": project, "reason": reason})
        facts.refresh([call.pk])

        shown = self.shown(as_alice, "/calls/?search=refund")

        assert "Money back" in shown
        assert "Topic: <mark>Refund</mark> of a &lt;deposit&gt;" in shown
        assert "Topic:" not in self.shown(as_alice, "/calls/?search=money")
        assert "Topic:" not in self.shown(as_alice, "/calls/?search=call-1")

    def test_names_the_caller_only_where_the_number_was_looked_for(self, as_alice, project):
        bring(project, line(1, topic="late fee", caller_number="+34 911"))

        assert "+34 911" not in self.shown(as_alice, "/calls/?search=fee")
        assert "+34 <mark>91</mark>1" in self.shown(as_alice, "/calls/?search=91")


@pytest.mark.django_db
class TestCallFromTheList:
    def test_finds_in_its_transcript_what_the_list_was_searched_for(self, as_alice, world):
        say(world[0], "Two refunds", "bye", 'a "refunded" sum')
        listed = page(as_alice.get("/calls/?transcript=%22refund%22"))
        [link] = listed.all("a", **{"class": "name"})

        opened = as_alice.get(link["href"])

        assert page(opened).all("input", id="find-said", value='"refund"')
        shown = opened.content.decode()
        assert "<p>Two <mark>refunds</mark></p>" in shown
        assert "<p>a &quot;<mark>refunded</mark>&quot; sum</p>" in shown

    def test_escapes_it(self, as_alice, world):
        say(world[0], f"say {HOSTILE}")

        opened = as_alice.get(f"/calls/{world[0].pk}/", {"transcript": f'"><b>{HOSTILE}'})

        shown = opened.content.decode()
        assert HOSTILE not in shown
        assert "&lt;<mark>script</mark>&gt;<mark>alert</mark>" in shown
        assert page(opened).all("input", id="find-said", value=f'"><b>{HOSTILE}')

    def test_is_not_searched_without_a_list(self, as_alice, world):
        say(world[0], "Two refunds")

        opened = as_alice.get(f"/calls/{world[0].pk}/?search=refund")

        assert page(opened).all("input", id="find-said", value="")
        assert "<mark>" not in opened.content.decode()
