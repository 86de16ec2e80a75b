"""The page of a replay that runs says what its draft changes and how long it takes, and stops it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from callscope.accounts.models import User
from callscope.interfaces.web.views.rubrics.time_left import describe_time_left
from callscope.pipeline.models import Job, Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays import portions
from callscope.pipeline.rubric_changes.replays.drafts import request_replay
from callscope.pipeline.workers import stages, worker
from callscope.projects.services import configure_project, share_project
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def replay(project):
    """A replay of a draft over three calls that has not begun."""
    for _ in range(3):
        accept(project)
    run_due_jobs()
    project.refresh_from_db()
    document = {**project.config, "goal": {"description": "Sold", "phrases": []}}
    return request_replay(project, document, by=project.owner)


@pytest.fixture
def url(replay):
    return f"/projects/{replay.project_id}/replays/{replay.pk}/"


def test_says_what_the_draft_changes_while_it_runs(as_alice, url):
    text = page(as_alice.get(url)).text

    assert text.index("The replay is starting …") < text.index(
        "What the draft changes in version 1: 1 setting"
    )
    assert "is resolved in this call → Sold" in text


def test_says_how_long_it_takes_once_enough_is_judged(as_alice, replay, url):
    Replay.objects.filter(pk=replay.pk).update(created_at=timezone.now() - timedelta(seconds=100))
    assert "left" not in page(as_alice.get(url)).text
    calls = bring(replay.project, *(line(number) for number in range(1, 31)))
    judged = {"before": None, "after": None}

    ReplayedCall.objects.bulk_create(
        ReplayedCall(replay=replay, call=call, answers=judged if number < 20 else None)
        for number, call in enumerate(calls)
    )

    # 20 of 33 took 100 s, so 13 take 65 s.
    assert "20 of 33 calls are judged. · about 2 minutes left" in page(as_alice.get(url)).text


@pytest.mark.parametrize(
    ("done", "calls", "elapsed_s", "said"),
    [
        (9, 100, 60.0, ""),
        (10, 100, 4.0, ""),
        (100, 100, 60.0, ""),
        (90, 100, 60.0, "about 1 minute left"),
        (10, 30, 60.0, "about 2 minutes left"),
        (10, 130, 500.0, "about 100 minutes left"),
        (10, 1000, 600.0, "about 17 hours left"),
    ],
)
def test_rounds_the_time_up_and_gives_none_by_few_calls(done, calls, elapsed_s, said):
    assert describe_time_left(done, calls, elapsed_s) == said


def test_stops_it_after_a_question_and_offers_to_replay_again(as_alice, replay, url, monkeypatch):
    monkeypatch.setattr(portions, "CALLS_AT_ONCE", 2)
    stages.run_stage(worker.claim_and_start())
    shown = page(as_alice.get(url))
    assert [each for each in shown.all("button") if "Stop this replay?" in each.get("data-confirm", "")]
    assert shown.all("form", action=f"{url}stop/") and shown.all("dialog", id="confirm")

    stopped = page(as_alice.post(f"{url}stop/", follow=True))

    assert "The replay is stopped. What was judged so far is kept." in stopped.text
    assert "Stopped after 2 of 3 calls. This is a partial result." in stopped.text
    assert "Average score" in stopped.text
    assert stopped.all("form", action=f"{url}again/#replay-again")
    assert stopped.all("a", href=f"/projects/{replay.project_id}/settings/goal/?draft={replay.pk}")
    assert not stopped.all("form", action=f"{url}stop/")
    assert not stopped.all("form", action=f"{url}publish/")
    versions = f"/projects/{replay.project_id}/versions/"
    assert "Stopped" in page(as_alice.get(versions)).text
    replay.refresh_from_db()
    replay.outcome["before"]["average_score"] = replay.outcome["after"]["average_score"] = 50.0
    replay.save()
    assert "50.0 → 50.0 % · stopped, a partial result" in page(as_alice.get(versions)).text
    assert "Replay stopped" in page(as_alice.get("/audit/")).text
    assert "The replay has already ended." in page(as_alice.post(f"{url}stop/", follow=True)).text
    refused = page(as_alice.post(f"{url}publish/", {"rescore": "none"}, follow=True))
    assert f"Replay {replay.pk} was stopped. Replay the draft again, and publish it then." in refused.text


def test_is_stopping_until_the_calls_that_are_being_judged_are_added(as_alice, replay, url):
    job = worker.claim_and_start()  # which judges while somebody stops it

    stopping = page(as_alice.post(f"{url}stop/", follow=True))

    assert "No more calls are judged. Those that are being judged are still added" in stopping.text
    assert stopping.all("p", role="status")
    assert "Stopping … 0 of 3 calls are judged." in stopping.text
    assert stopping.all("section", **{"hx-trigger": "every 4s"})
    assert "Stopped" not in stopping.text and "Average score" not in stopping.text
    assert not stopping.all("form", id="replay-stop") and not stopping.all("form", id="replay-again")
    assert "Stopping …" in page(as_alice.get(f"/projects/{replay.project_id}/versions/")).text

    stages.run_stage(job)

    ended = page(as_alice.get(url)).text
    assert "Stopped before a call was judged." in ended and "Stopping" not in ended


def test_has_its_button_next_to_the_progress_and_its_form_outside_of_what_is_loaded_again(as_alice, url):
    text = as_alice.get(url).content.decode()

    [button] = page(as_alice.get(url)).all("button", form="replay-stop")
    assert "hx-preserve" in button and button["id"]
    run = text[text.index('class="replay-run"') :]
    assert run.index("<progress") < run.index('form="replay-stop"') < run.index("<details")
    part = as_alice.get(url, headers={"HX-Request": "true"}).content.decode()
    assert 'form="replay-stop"' in part and "<form" not in part[: part.index("<details")]


def test_is_listed_as_failed_where_it_failed(as_alice, replay):
    Job.objects.filter(kind=Job.Kind.REPLAY).update(state=Job.State.FAILED)

    assert "Failed" in page(as_alice.get(f"/projects/{replay.project_id}/versions/")).text


def test_offers_no_other_replay_of_a_draft_that_is_the_current_version(as_alice, replay, url):
    as_alice.post(f"{url}stop/")
    configure_project(replay.project, replay.config, by=replay.project.owner)

    current = page(as_alice.get(url))

    assert "The draft is the current version of the settings." in current.text
    assert not current.all("form", action=f"{url}again/#replay-again")


def test_compares_nothing_where_no_call_was_judged(as_alice, replay, url):
    stopped = page(as_alice.post(f"{url}stop/", follow=True))

    assert "Stopped before a call was judged." in stopped.text
    assert "partial result" not in stopped.text
    assert "What the draft changes in version 1: 1 setting" in stopped.text
    assert "Average score" not in stopped.text
    assert "Stopped" in page(as_alice.get(f"/projects/{replay.project_id}/versions/")).text


def test_is_not_for_viewers_nor_for_one_that_ended(as_alice, replay, url):
    viewer = User.objects.create_user("vic@example.com", "vic-password")
    share_project(replay.project, viewer, role="viewer")
    as_vic = visitor_of(viewer)

    assert not page(as_vic.get(url)).all("form", action=f"{url}stop/")
    assert as_vic.post(f"{url}stop/").status_code == 403
    run_due_jobs()

    ended = page(as_alice.get(url))
    assert not ended.all("form", action=f"{url}stop/")
    assert "partial result" not in ended.text
    assert ended.all("form", action=f"{url}publish/")
