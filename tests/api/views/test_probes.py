"""Probes over the API and on their pages: their fields, who may ask for one, and what is refused."""

import copy
from dataclasses import replace

import pytest

from callscope.accounts.models import User
from callscope.environment import EngineAddress
from callscope.pipeline.models import Probe, Replay
from callscope.projects.models import Project
from callscope.testing import run_due_jobs
from tests.api.conftest import client_of
from tests.api.views.test_files import upload

pytestmark = pytest.mark.django_db

ESTIMATE = [
    "calls", "judgments", "requests", "input_tokens", "output_tokens", "cost", "seconds", "based_on",
]  # fmt: skip
SHARED = ["id", "state", "judgments", "done", "engine", "config_version", "estimate", "calls"]
DRAFT = {
    "rubric": {
        "sections": [
            {
                "name": "S",
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


def test_of_steadiness_are_queued_listed_and_completed(as_alice, url):
    asked = as_alice.post(f"{url}steadiness/", {"config": DRAFT, "repetitions": 2}, format="json")
    assert (asked.status_code, list(asked.json())) == (202, ["id", "estimate"])
    assert list(asked.json()["estimate"]) == ESTIMATE
    assert (asked.json()["estimate"]["judgments"], asked.json()["estimate"]["requests"]) == (2, 0)
    one = f"{url}steadiness/{asked.json()['id']}/"
    waiting = as_alice.get(one).json()
    assert (waiting["state"], waiting["judgments"], waiting["overall"]) == ("queued", 2, None)

    run_due_jobs()

    found = as_alice.get(one).json()
    assert list(found) == [*SHARED, "repetitions", "score_spread", "overall", "criteria", "flipped"]
    assert (found["state"], found["done"], found["calls"], found["overall"]["flips"]) == (
        "completed",
        2,
        1,
        0,
    )
    [criterion] = found["criteria"]
    assert (criterion["criterion_id"], criterion["flip_pct"], criterion["kappa"]) == ("g", 0.0, None)
    [listed] = as_alice.get(f"{url}steadiness/").json()["results"]
    assert (listed["id"], listed["state"], listed["author"]) == (
        found["id"],
        "completed",
        "alice@example.com",
    )
    assert as_alice.get(f"{url}fairness-probes/").json()["count"] == 0
    assert as_alice.get(f"{url}fairness-probes/{found['id']}/").status_code == 404
    assert as_alice.get(f"{url}steadiness/{'9' * 40}/").status_code == 404


def test_of_fairness_are_queued_and_completed(as_alice, url):
    asked = as_alice.post(f"{url}fairness-probes/", {"config": DRAFT, "groups": ["order"]}, format="json")
    assert asked.status_code == 202
    run_due_jobs()

    found = as_alice.get(f"{url}fairness-probes/{asked.json()['id']}/").json()

    assert list(found) == [*SHARED, "groups", "moved"]
    assert [group["group"] for group in found["groups"]] == ["repeat", "order"]
    assert list(found["groups"][0]) == ["group", "unchanged", "score_shift", "overall", "criteria"]


@pytest.mark.parametrize("path", ["steadiness/", "fairness-probes/", "replays/"])
def test_state_their_cost_without_being_started(as_alice, url, path):
    body = {"config": DRAFT, "sample": 1, "estimate_only": True}

    answer = as_alice.post(f"{url}{path}", body, format="json")

    assert (answer.status_code, answer.json()["id"]) == (200, None)
    assert answer.json()["estimate"]["calls"] == 1
    assert not Probe.objects.exists()
    assert not Replay.objects.exists()


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("steadiness/", {"config": {"language": "fr"}}, "config"),
        ("steadiness/", {"sample": 0}, "sample"),
        ("steadiness/", {"sample": 10**30}, "sample"),
        ("steadiness/", {"sample": 1000, "repetitions": 20}, "sample"),
        ("steadiness/", {"repetitions": 1}, "repetitions"),
        ("steadiness/", {"repetitions": "x"}, "repetitions"),
        ("steadiness/", {"estimate_only": "perhaps"}, "estimate_only"),
        ("fairness-probes/", {"groups": ["dragons"]}, "groups"),
        ("fairness-probes/", {"groups": ["order", "order"]}, "groups"),
        ("fairness-probes/", {"groups": []}, "groups"),
        ("fairness-probes/", {"groups": "order"}, "groups"),
        ("fairness-probes/", {"groups": ["\x00"]}, "groups"),
        ("fairness-probes/", {"groups": [3]}, "groups"),
    ],
)
def test_refuse_what_they_cannot_read(as_alice, url, path, body, field):
    answer = as_alice.post(f"{url}{path}", body, format="json")

    assert (answer.status_code, list(answer.json())) == (400, [field])


def test_have_pages_that_state_the_cost_first(client, alice, project, url):
    client.force_login(alice)
    page = f"/projects/{project.pk}/probes/"
    assert "There are no probes yet." in client.get(page).content.decode()
    for wrong in ({"kind": "x"}, {"kind": "steadiness", "sample": "0"}, {"kind": "fairness", "groups": "x"}):
        assert client.post(page, wrong).status_code == 400
    assert client.post(page, {"kind": "steadiness", "replay": "99999999"}).status_code == 404

    for form in (
        {"kind": "steadiness", "sample": "5", "repetitions": "2"},
        {"kind": "fairness", "groups": ["order", "dialect_british"]},
    ):
        stated = client.post(page, form).content.decode()
        assert "no model is used" in stated
        assert not Probe.objects.filter(kind=form["kind"]).exists()
        started = client.post(page, {**form, "confirmed": "yes"})
        assert started.status_code == 302
        assert "judgments are done." in client.get(started.url).content.decode()
        run_due_jobs()
        shown = client.get(started.url).content.decode()
        if form["kind"] == "fairness":
            assert "Copies against their calls" in shown
            continue
        # The call of this project has no transcript.
        assert '<p class="probe-verdict">No call could be judged twice, so nothing is known.' in shown


def test_are_started_by_writers_alone(client, bob, bob_views, project, url):
    client.force_login(bob)

    page = f"/projects/{project.pk}/probes/"
    assert client.get(page).status_code == 200
    assert client.post(page, {"kind": "steadiness"}).status_code == 403


def test_are_asked_for_before_a_model_judges_by_a_draft(as_alice, client, alice, project, url, settings):
    replay = as_alice.post(f"{url}replays/", {"config": DRAFT}, format="json").json()["id"]
    run_due_jobs()
    model = EngineAddress("http://127.0.0.1:9/v1", model="m")
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=model)
    client.force_login(alice)
    page = f"/projects/{project.pk}/replays/{replay}/"

    known = as_alice.get(f"{url}replays/{replay}/").json()["steadiness"]
    assert known == {"is_needed": True, "required_calls": 30, "calls": 0, "probe": None}
    assert "Measure how steady it is" in client.get(page).content.decode()
    refused = client.post(f"{page}publish/", {"rescore": "none"}, follow=True).content.decode()
    assert "It is unknown how steadily the model judges with this draft." in refused
    assert as_alice.get(f"{url}rubric-versions/").json()["count"] == 1

    answer = client.post(f"{page}publish/", {"rescore": "none", "unsteady": "yes"}, follow=True)
    assert "The draft is version 2 of the settings." in answer.content.decode()


def test_are_asked_for_by_the_api_when_a_draft_is_published(as_alice, project, url, settings):
    replay = as_alice.post(f"{url}replays/", {"config": DRAFT}, format="json").json()["id"]
    run_due_jobs()
    model = EngineAddress("http://127.0.0.1:9/v1", model="m")
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=model)

    published = as_alice.post(f"{url}replays/{replay}/publish/", {}, format="json").json()

    assert published["warnings"] == ["steadiness_unknown"]
