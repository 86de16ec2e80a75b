"""Prompts and mistakes of which nobody can tell, on the page of a call."""

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.projects import configuration
from callscope.reports.models import CallFact
from tests.web.conftest import bring, give_transcript, line, page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ALL_WELL = "No mistakes and no missed prompts."
NOT_SURE = "No mistakes and no missed prompts were found, but not everything could be evaluated."
LOOKED_FOR = {
    "prompts": [
        {"id": "recording", "text": "Says it is recorded", "any_of": ["recorded"]},
        {"id": "farewell", "text": "Says goodbye", "any_of": ["goodbye"]},
    ],
    "mistakes": [{"id": "rude", "text": "Is rude", "any_of": ["calm down"]}],
}
SAID = [
    {"id": "recording", "description": "Says it is recorded", "quote": ""},
    {"id": "farewell", "description": "Says goodbye", "quote": ""},
]


@pytest.fixture
def judged(project):
    """A call that rules judged: both prompts were said, no mistake was made."""
    project.config = configuration.parse({**project.config, "no_protocol": LOOKED_FOR}).as_document()
    project.save()
    [call] = bring(project, line(1))
    give_transcript(call, audio=False)
    analysis = CallAnalysis.objects.get(call=call)
    analysis.no_protocol = {"mistakes": [], "missing_prompts": [], "prompts": list(SAID)}
    analysis.provenance = {"engine": "rules"}
    analysis.config_version = project.config_version
    analysis.save()
    return analysis


def shown(client, analysis, **headers):
    return page(client.get(f"/calls/{analysis.call_id}/", headers=headers)).text


def test_all_is_well_where_everything_was_decided(as_alice, judged):
    text = shown(as_alice, judged)

    assert ALL_WELL in text
    assert "not evaluated" not in text


def test_a_prompt_that_is_neither_said_nor_missed_was_not_evaluated(as_alice, judged):
    judged.no_protocol["prompts"] = SAID[:1]
    judged.save()

    text = shown(as_alice, judged)

    assert "Says goodbye prompt not evaluated Something near to it may have been said" in text
    assert NOT_SURE in text
    assert ALL_WELL not in text


def test_of_an_unreliable_transcript_nothing_says_what_was_not_said(as_alice, judged):
    judged.no_protocol["prompts"] = SAID[:1]
    judged.save()
    CallFact.objects.filter(call=judged.call_id).update(half_heard=True)

    text = shown(as_alice, judged)

    for kind, name in (("prompt", "Says goodbye"), ("mistake", "Is rude")):
        assert f"{name} {kind} not evaluated" in text
    assert "Says it is recorded prompt not evaluated" not in text
    assert ALL_WELL not in text


def test_one_reason_for_all_is_said_once(as_alice, judged):
    reason = "The transcript is unreliable: what was said may be missing from it."
    judged.no_protocol["prompts"] = SAID[:1]
    judged.save()
    CallFact.objects.filter(call=judged.call_id).update(half_heard=True)

    text = shown(as_alice, judged)

    assert f"Not evaluated: 2. {reason}" in text
    assert "Show the 2 that were not evaluated" in text  # folded
    assert text.count(reason) == 1
    spanish = shown(as_alice, judged, **{"Accept-Language": "es"})
    assert "Sin evaluar: 2. La transcripción es poco fiable" in spanish


def test_several_reasons_stand_with_what_they_explain(as_alice, judged):
    judged.no_protocol["prompts"] = SAID[:1]
    judged.save()
    transcript = judged.file.transcript
    transcript.segments = [{**each, "speaker": None} for each in transcript.segments]
    transcript.save()

    text = shown(as_alice, judged)

    assert "Says goodbye prompt not evaluated Something near to it may have been said" in text
    assert "Is rude mistake not evaluated It is not known who speaks." in text
    assert "Not evaluated: 2." not in text


def test_no_words_decide_nothing(as_alice, judged):
    judged.no_protocol["prompts"] = []
    judged.save()
    transcript = judged.file.transcript
    transcript.segments = []
    transcript.save()

    text = shown(as_alice, judged)

    assert "Not evaluated: 3. No words were heard in the call." in text
    assert text.count("No words were heard in the call.") == 1
    assert ALL_WELL not in text


def test_a_mistake_of_a_speaker_needs_to_know_who_speaks(as_alice, judged):
    transcript = judged.file.transcript
    transcript.segments = [{**each, "speaker": None} for each in transcript.segments]
    transcript.save()

    text = shown(as_alice, judged)

    assert "Is rude mistake not evaluated It is not known who speaks." in text
    assert ALL_WELL not in text


def test_a_person_who_says_that_a_mistake_was_not_made_decides_it(as_alice, alice, judged):
    from django.utils import timezone

    from callscope.reviews.models import Review, ReviewFinding

    CallFact.objects.filter(call=judged.call_id).update(half_heard=True)
    assert "mistake not evaluated" in shown(as_alice, judged)
    review = Review.objects.create(
        call=judged.call, project=judged.project, file=judged.file, reviewer=alice, revision=1,
        created_at=timezone.now(), submitted_at=timezone.now(), changed_at=timezone.now(),
        is_current=True, criteria=[], state="submitted",
    )  # fmt: skip
    ReviewFinding.objects.create(
        review=review, position=0, kind="mistake", item_id="rude", description="Is rude",
        answer="not_made", machine_answer="not_made",
    )  # fmt: skip
    judged.machine_no_protocol = judged.no_protocol
    judged.save()

    assert "mistake not evaluated" not in shown(as_alice, judged)


def test_settings_that_are_gone_leave_nothing_decided(as_alice, judged):
    judged.config_version = 99
    judged.save()

    assert ALL_WELL not in shown(as_alice, judged)


def test_an_imported_result_without_prompts_names_all_that_were_missed(as_alice, judged):
    judged.no_protocol = {"mistakes": [], "missing_prompts": []}
    judged.config_version = judged.provenance = None
    judged.save()

    assert ALL_WELL in shown(as_alice, judged)


def test_is_said_in_spanish(as_alice, judged):
    judged.no_protocol["prompts"] = SAID[:1]
    judged.save()

    text = shown(as_alice, judged, **{"Accept-Language": "es"})

    assert "Says goodbye frase sin evaluar" in text
    assert "pero no se pudo evaluar todo" in text
