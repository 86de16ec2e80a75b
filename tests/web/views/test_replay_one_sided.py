"""A replay of a draft that adds or removes criteria, or changes what a critical error does to the score."""

import pytest
from django.utils import timezone

from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.pipeline.rubric_changes.replays.quotes import load_changes
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project
from callscope.projects.versions import name_criteria
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db

SAME = "The same answers, with other points or weights"


def judged(score, *, critical=False, **criteria):
    return {"score": score, "has_critical_error": critical, "criteria": criteria}


def add_replay(project, *sides, **rubric):
    """Return a replay of a draft that asks for a farewell and no longer for the identity."""
    document = parse(project.config).as_document()
    sections = document["rubric"]["sections"]
    farewell = {**sections[0]["criteria"][0], "id": "farewell", "name": "Says goodbye"}
    for section in sections:
        section["criteria"] = [each for each in section["criteria"] if each["id"] != "identity"]
    document["rubric"]["sections"] = [each for each in sections if each["criteria"]]
    document["rubric"]["sections"][0]["criteria"].append(farewell)
    document["rubric"].update(rubric)
    calls = bring(project, *(line(number) for number in range(1, len(sides) + 1)))
    rows = [
        (call.pk, {"before": before, "after": after, "is_judged_again": True})
        for call, (before, after) in zip(calls, sides, strict=True)
    ]
    replay = Replay.objects.create(
        project=project,
        config=parse(document).as_document(),
        config_version=project.config_version,
        completed_at=timezone.now(),
        outcome=compare_answers(rows),
    )
    ReplayedCall.objects.bulk_create(ReplayedCall(replay=replay, call_id=pk, answers=row) for pk, row in rows)
    return replay


def show(client, replay):
    return page(client.get(f"/projects/{replay.project_id}/replays/{replay.pk}/"))


def test_names_the_criteria_of_one_side_and_how_they_were_answered(as_alice, project):
    old = judged(50.0, greeting="met", identity="not_met")
    replay = add_replay(
        project,
        (old, judged(100.0, greeting="met", farewell="met")),
        (old, judged(60.0, greeting="met", farewell="not_met")),
        (old, judged(70.0, greeting="met", farewell="not_met")),
    )

    shown = show(as_alice, replay)

    assert "Says goodbye added not met: 2 · met: 1" in shown.text
    name = name_criteria(project.config)["identity"]
    assert f"{name} removed not met: 3" in shown.text
    assert "Says goodbye: not asked → met" in shown.text
    assert f"{name}: not met → not asked" in shown.text
    assert SAME not in shown.text
    # The API lists the answers that moved, of criteria that both sides have.
    assert load_changes(replay, [row.call_id for row in ReplayedCall.objects.all()])
    assert not any(load_changes(replay, [row.call_id for row in ReplayedCall.objects.all()]).values())


def test_leaves_out_answers_of_one_side_that_move_no_score(as_alice, project):
    both = judged(50.0, greeting="met", identity="not_applicable")
    replay = add_replay(project, (both, judged(40.0, greeting="met", farewell="not_evaluated")))

    shown = show(as_alice, replay)

    assert "not asked" not in shown.text
    assert SAME in shown.text


def test_says_what_a_critical_error_does_to_the_score(as_alice, project):
    document = parse(project.config).as_document()
    document["rubric"]["on_critical_error"] = "zero_score"
    configure_project(project, document)
    answers = {"greeting": "met"}
    replay = add_replay(
        project,
        (judged(0.0, critical=True, **answers), judged(52.0, critical=True, **answers)),
        (judged(90.0, **answers), judged(80.0, critical=True, **answers)),
        (judged(0.0, critical=True, **answers), judged(70.0, **answers)),
        (judged(60.0, **answers), judged(61.0, **answers)),
        on_critical_error="flag",
    )

    shown = show(as_alice, replay)

    assert shown.text.count("The critical error does not set the score to 0 with the draft") == 1
    assert shown.text.count("Critical error: no → yes") == 1
    assert shown.text.count("Critical error: yes → no") == 1
    assert shown.text.count(SAME) == 1


def test_names_other_points_and_says_how_little_of_a_call_was_judged(as_alice, project):
    half = {"left_open": {"greeting": "half_heard"}}
    replay = add_replay(
        project,
        (judged(50.0, greeting="met"), judged(60.0, greeting="met")),
        (judged(50.0, greeting="not_applicable"), judged(70.0, greeting="not_applicable")),
        (
            {**judged(40.0, greeting="not_evaluated", identity="met"), **half},
            {**judged(80.0, greeting="not_evaluated", farewell="met"), **half},
        ),
    )
    [section, *_rest] = replay.config["rubric"]["sections"]
    greeting = section["criteria"][0]
    before, greeting["max_points"] = greeting["max_points"], 7.5
    replay.save()

    shown = show(as_alice, replay)

    assert shown.text.count(f"Other points: “Greets” {before} → 7.5") == 1
    assert shown.text.count(SAME) == 1  # the greeting earns no points in this call
    assert "unreliable 1 of 2 criteria judged" in shown.text
    assert "1 of the 3 calls in the average change has an unreliable transcript" in shown.text
