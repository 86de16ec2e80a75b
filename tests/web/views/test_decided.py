"""Pins on the waveform and marks in the transcript: where in a call something was decided."""

import pytest

from tests.web.conftest import bring, give_transcript, line, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(project):
    rude = {"id": "rude", "description": "Is rude", "quote": "[00:01] Hello?"}
    (call,) = bring(project, line(1, no_protocol={"mistakes": [rude], "missing_prompts": []}))
    give_transcript(call)
    return call


def read(client, call):
    answer = client.get(f"/calls/{call.pk}/")
    found = page(answer)
    html = answer.content.decode()
    pins = [(a["x"], a["data-at"], a["class"]) for a in found.all("svg") if "data-at" in a]
    return pins, html


class TestPins:
    def test_stand_where_their_quotes_begin(self, as_alice, call):
        pins, _ = read(as_alice, call)

        # The recording has 60 seconds; "[00:01]" and "[00:03]" were quoted.
        assert pins == [("1.667%", "1", "bad"), ("5%", "3", "good")]

    def test_of_one_second_are_one_with_the_gravest_tone(self, as_alice, project, call):
        rude = {"id": "rude", "description": "Is rude", "quote": "[00:03] good morning"}
        (other,) = bring(project, line(2, no_protocol={"mistakes": [rude], "missing_prompts": []}))
        give_transcript(other)

        pins, html = read(as_alice, other)

        assert [(at, tone) for _x, at, tone in pins] == [("3", "bad")]
        assert "0:03 · Greets: met\n0:03 · Is rude: mistake" in html

    def test_stand_within_a_recording_whose_length_is_not_known(self, as_alice, call):
        type(call.newest_file).objects.filter(pk=call.newest_file_id).update(duration_us=None)

        pins, _ = read(as_alice, call)

        assert {x for x, _at, _tone in pins} == {"0%"}


class TestMarks:
    def test_stand_in_the_segment_that_is_quoted(self, as_alice, call):
        _, html = read(as_alice, call)

        first, second = html.split('data-start="0.5"')[1].split('data-start="3"')
        assert "Is rude: mistake" in first
        assert "Greets: met" in second.split("</ol>")[0]
        assert "Greets: met" not in first

    def test_are_not_in_the_form_of_a_review(self, as_alice, call):
        form = as_alice.get(f"/calls/{call.pk}/review/").content.decode()

        assert 'class="decided"' not in form
        assert 'class="pins"' not in form

    def test_are_hidden_from_who_rates_the_call(self, as_alice, alice, bob, project, call):
        from callscope.projects.services import share_project

        share_project(project, bob, role="editor")
        opened = {"call": call.pk, "rater": [alice.email, bob.email]}
        assert as_alice.post(f"/projects/{project.pk}/calibrations/", opened).status_code == 302

        pins, html = read(as_alice, call)

        assert pins == []
        assert 'class="decided"' not in html
