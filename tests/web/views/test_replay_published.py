"""A replay whose draft was published: by whom, what became of past calls, and two versions compared."""

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import Replay, Rescore
from callscope.pipeline.rubric_changes.replays import rescoring
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project
from callscope.testing import run_due_jobs
from tests.web.conftest import bring, give_transcript, line, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def replay(project):
    """A completed replay in which one call moves by 20 points."""
    [call] = bring(project, line())
    give_transcript(call)
    document = parse(project.config).as_document()
    document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 4
    sides = [
        {"score": score, "has_critical_error": False, "criteria": {"greeting": "met"}}
        for score in (50.0, 70.0)
    ]
    return Replay.objects.create(
        project=project,
        config=document,
        config_version=project.config_version,
        completed_at=timezone.now(),
        outcome=compare_answers([(call.pk, dict(zip(("before", "after"), sides, strict=True)))]),
    )


@pytest.fixture
def url(replay):
    return f"/projects/{replay.project_id}/replays/{replay.pk}/"


def test_says_on_top_by_whom_and_that_calls_keep_their_results(as_alice, replay, url):
    before = page(as_alice.get(url)).text
    assert "A draft, compared with version 1" in before
    as_alice.post(f"{url}publish/", {"rescore": "none"})

    text = page(as_alice.get(url)).text

    top = text[text.index("Published as version 2 on ") : text.index("points on average with version 2")]
    assert "by alice@example.com · compared with version 1" in top
    assert "Calls keep their results." in top
    assert "No report changes" not in text


def test_names_the_version_that_the_draft_became(as_alice, replay, url):
    before = page(as_alice.get(url)).text
    assert "Version 1 1 50.0" in before and "With the draft 1 70.0" in before
    as_alice.post(f"{url}publish/", {"rescore": "none"})

    shown = page(as_alice.get(url))

    assert "Version 1 1 50.0" in shown.text and "Version 2 1 70.0" in shown.text
    assert "With the draft" not in shown.text
    assert "Call Version 1 Version 2 Change" in page(as_alice.get(url)).text
    assert "Version 2, compared with version 1" in page(as_alice.get(f"{url}calls/")).text


def test_leaves_out_what_a_review_made_of_a_result_by_the_published_version(as_alice, replay, url):
    analysis = CallAnalysis.objects.get(is_live=True)
    analysis.machine_copc, analysis.config_version = analysis.copc, 1
    analysis.save()
    as_alice.post(f"{url}publish/", {"rescore": "none"})
    assert "After a review" in page(as_alice.get(url)).text

    CallAnalysis.objects.update(config_version=2)

    assert "After a review" not in page(as_alice.get(url)).text


def test_says_how_far_calls_are_scored_again_and_that_they_were(as_alice, replay, url):
    as_alice.post(f"{url}publish/", {"rescore": "from", "start_date": "2020-03-01"})
    assert "Calls from Mar 1, 2020 on are being scored again: 0 of 1" in page(as_alice.get(url)).text
    versions = f"/projects/{replay.project_id}/versions/"
    assert "Calls are being scored again: 0 of 1" in page(as_alice.get(versions)).text

    run_due_jobs()

    text = page(as_alice.get(url)).text
    assert "1 call from Mar 1, 2020 on was scored again." in text
    assert "keep their results" not in text
    assert "being scored again" not in page(as_alice.get(versions)).text


def test_leaves_out_what_was_asked_for_single_calls_or_after_another_version(as_alice, alice, replay, url):
    as_alice.post(f"{url}publish/", {"rescore": "none"})
    project = replay.project
    project.refresh_from_db()
    rescoring.request_rescore(project, by=alice, call_ids=[])
    configure_project(project, {**project.config, "goal": {"description": "Sold", "phrases": []}})
    rescoring.request_rescore(project, by=alice)

    assert Rescore.objects.count() == 2
    assert "Calls keep their results." in page(as_alice.get(url)).text
