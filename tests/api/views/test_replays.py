"""Replays over the API: their fields, who may ask for one, and what is refused."""

import copy

import pytest

from callscope.accounts.models import User
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.stopping import stop_replay
from callscope.projects.models import Project
from callscope.testing import run_due_jobs
from tests.api.conftest import client_of
from tests.api.views.test_files import upload

pytestmark = pytest.mark.django_db

FIELDS = [
    "state",
    "calls",
    "done",
    "before",
    "after",
    "change",
    "baseline",
    "criteria",
    "critical_gained",
    "critical_lost",
    "most_changed",
    "besides",
    "stopped",
    "steadiness",
]
DRAFT = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {
                        "id": "g",
                        "name": "Thanks",
                        "max_points": 5,
                        "rule": {"any_of": ["thank you for calling"]},
                    }
                ],
            }
        ]
    }
}


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A project of Alice's with an analyzed call."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        upload(client_of(alice), project)
        run_due_jobs()
        project.refresh_from_db()
        return project, f"/api/projects/{project.pk}/"


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def url(made):
    return made[1]


def test_are_queued_completed_and_published(as_alice, url):
    asked = as_alice.post(f"{url}replays/", {"config": DRAFT, "sample": 5}, format="json")
    assert (asked.status_code, list(asked.json())) == (202, ["id", "estimate"])
    one = f"{url}replays/{asked.json()['id']}/"
    waiting = as_alice.get(one).json()
    assert list(waiting) == FIELDS
    assert (waiting["state"], waiting["calls"], waiting["done"], waiting["before"]) == ("queued", 1, 0, None)
    assert as_alice.post(f"{one}publish/", {}, format="json").status_code == 409

    run_due_jobs()

    found = as_alice.get(one).json()
    assert list(found) == FIELDS
    assert (found["state"], found["done"], waiting["besides"]) == ("completed", 1, None)
    [goal] = found["besides"]["kinds"]
    assert (goal["kind"], goal["calls"], goal["changed"], goal["changed_calls"]) == ("goal", 1, 0, [])
    published = as_alice.post(f"{one}publish/", {"rescore": "all"}, format="json")
    assert published.status_code == 202
    assert list(published.json()) == ["version", "rescore", "warnings"]
    run_due_jobs()
    assert as_alice.get("/calls/api/report/").json()["headline"]["average_score"] == 100.0


def test_say_what_changes_besides_the_score(as_alice, url):
    tracker = {"id": "thanks", "name": "Thanks", "rule": {"speaker": "any", "any_of": ["thank you"]}}
    asked = as_alice.post(f"{url}replays/", {"config": {"trackers": [tracker]}}, format="json")
    run_due_jobs()

    found = as_alice.get(f"{url}replays/{asked.json()['id']}/").json()["besides"]

    assert list(found["goal"]) == ["before", "after", "change", "low", "high"]
    [trackers] = [row for row in found["kinds"] if row["kind"] == "trackers"]
    assert trackers["items"] == [{"id": "thanks", "before": None, "after": 1}]
    [call] = trackers["changed_calls"]
    assert (call["before"], call["after"]) == ([], ["thanks"])


def test_are_completed_once_they_are_stopped_and_not_published_then(as_alice, url):
    asked = as_alice.post(f"{url}replays/", {"config": DRAFT, "sample": 5}, format="json")
    one = f"{url}replays/{asked.json()['id']}/"
    replay = Replay.objects.get(pk=asked.json()["id"])
    stop_replay(replay, by=replay.created_by)

    found = as_alice.get(one).json()

    assert (found["state"], found["stopped"]) == ("completed", {"calls": 0, "drawn": 1})
    assert as_alice.post(f"{one}publish/", {}, format="json").status_code == 409


def test_of_a_draft_that_changes_nothing_are_published_as_the_current_version(as_alice, project, url):
    asked = as_alice.post(f"{url}replays/", {"config": project.config}, format="json")
    run_due_jobs()

    answer = as_alice.post(f"{url}replays/{asked.json()['id']}/publish/", {}, format="json")

    assert (answer.status_code, answer.json()["version"]) == (202, project.config_version)
    assert as_alice.get(f"{url}rubric-versions/").json()["count"] == 1


def test_say_that_no_call_is_scored_again_from_a_day_without_calls_on(as_alice, url):
    asked = as_alice.post(f"{url}replays/", {"config": DRAFT}, format="json")
    run_due_jobs()

    body = {"rescore": {"start_date": "2999-01-01"}}
    answer = as_alice.post(f"{url}replays/{asked.json()['id']}/publish/", body, format="json")

    assert (answer.status_code, answer.json()["rescore"]["calls"]) == (202, 0)


def test_score_history_again_without_a_draft(as_alice, url):
    answer = as_alice.post(f"{url}rescore/", {"start_date": "2020-01-01"}, format="json")

    assert (answer.status_code, list(answer.json())) == (202, ["id", "calls"])
    assert answer.json()["calls"] == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "config"),
        ({"config": {"language": "fr"}}, "config"),
        ({"config": {}, "sample": 0}, "sample"),
        ({"config": {}, "sample": 10**30}, "sample"),
        ({"config": {}, "sample": "many"}, "sample"),
        ({"config": {}, "sample": True}, "sample"),
        ({"config": {}, "start_date": "yesterday"}, "start_date"),
        ({"config": {}, "start_date": 3}, "start_date"),
        ({"config": {}, "start_date": "2026-02-01", "end_date": "2026-01-01"}, "end_date"),
        ({"config": {}, "start_date": "2026-02-01", "sample": 3}, "sample"),
    ],
)
def test_refuse_what_they_cannot_read(as_alice, url, body, field):
    answer = as_alice.post(f"{url}replays/", body, format="json")

    assert (answer.status_code, list(answer.json())) == (400, [field])


@pytest.mark.parametrize(
    "rescore", ["some", 3, None, [], {}, {"start_date": 3}, {"start_date": "x"}, {"end_date": "2026-01-01"}]
)
def test_refuse_to_publish_with_an_unknown_window(as_alice, url, rescore):
    replay = as_alice.post(f"{url}replays/", {"config": DRAFT}, format="json").json()["id"]
    run_due_jobs()

    answer = as_alice.post(f"{url}replays/{replay}/publish/", {"rescore": rescore}, format="json")

    assert (answer.status_code, list(answer.json())) == (400, ["rescore"])


def test_are_of_one_project(as_alice, alice, url):
    from callscope.projects.services import create_project

    replay = as_alice.post(f"{url}replays/", {"config": DRAFT}, format="json").json()["id"]
    other = create_project(alice, "Other")

    assert as_alice.get(f"/api/projects/{other.pk}/replays/{replay}/").status_code == 404
    assert as_alice.get(f"{url}replays/{'9' * 40}/").status_code == 404


def test_have_a_page_from_draft_to_publication(client, alice, project, url):
    client.force_login(alice)
    start = f"/projects/{project.pk}/replays/"
    for sample in (0, "5", True, None, 10**30):
        answer = client.post(start, {"document": DRAFT, "sample": sample}, content_type="application/json")
        assert answer.status_code == 400
    answer = client.post(
        start, {"document": {"language": "fr"}, "sample": 5}, content_type="application/json"
    )
    assert [error["path"] for error in answer.json()["errors"]] == ["language"]

    page = client.post(start, {"document": DRAFT, "sample": 5}, content_type="application/json").json()["url"]
    assert "The replay is starting …" in client.get(page).content.decode()
    run_due_jobs()

    assert "With the draft" in client.get(page).content.decode()
    wrong = client.post(f"{page}publish/", {"rescore": "from", "start_date": "soon"}, follow=True)
    assert "soon" in wrong.content.decode()
    answer = client.post(f"{page}publish/", {"rescore": "all"}, follow=True).content.decode()
    assert "The draft is version 2 of the settings. 1 call is being scored again." in answer
    assert "Published as version 2" in answer


def test_are_published_on_the_page_by_writers_alone(client, alice, bob, bob_views, project, url):
    client.force_login(alice)
    page = client.post(
        f"/projects/{project.pk}/replays/", {"document": DRAFT, "sample": 5}, content_type="application/json"
    ).json()["url"]
    run_due_jobs()

    client.force_login(bob)

    assert client.get(page).status_code == 200
    assert client.post(f"{page}publish/").status_code == 403
    answer = client.post(
        f"/projects/{project.pk}/replays/", {"document": DRAFT, "sample": 5}, content_type="application/json"
    )
    assert answer.status_code == 403
