"""A rater learns nothing of the machine's answers, or of anybody else's, before the calibration is closed."""

import json

import pytest
from django.test import Client

from callscope.calls.models import Call
from callscope.projects.services import configure_project, share_project
from callscope.testing import run_due_jobs
from tests.api.review_samples import RUBRIC, review, upload_judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(as_alice, project):
    configure_project(project, {**project.config, **RUBRIC}, project.owner)
    return upload_judged(as_alice, project)


@pytest.fixture
def start_rating(as_alice, bob, project, call):
    """Return a function that opens a calibration in which Bob rates the call."""

    def start():
        sent = {"project_id": project.pk, "call_ids": [call], "raters": [bob.email]}
        assert as_alice.post("/calls/api/calibrations/", sent, format="json").status_code == 201

    share_project(project, bob, role="editor")
    return start


@pytest.fixture
def browse(bob):
    client = Client()
    client.force_login(bob)
    return lambda address: client.get(address).content.decode()


class TestRater:
    def test_sees_no_answer_in_the_list_of_a_criterion(self, call, start_rating, browse):
        before = browse("/calls/?criterion=greeting")
        start_rating()

        after = browse("/calls/?criterion=greeting")

        name = Call.objects.get(pk=call).file_name
        assert name in before and name in after
        assert "ood morning" in before
        assert "ood morning" not in after

    def test_sees_no_disagreement_about_the_call(self, as_alice, call, start_rating, browse, project):
        answers = [{"criterion_id": each, "answer": "not_met"} for each in ("greeting", "identity", "offer")]
        assert review(as_alice, call, criteria=answers, blind=True).status_code == 201
        name = Call.objects.get(pk=call).file_name
        address = f"/projects/{project.pk}/agreement/"
        assert name in browse(address)

        start_rating()

        assert name not in browse(address)

    def test_sees_no_answer_in_a_replay(self, as_bob, call, start_rating, browse, project):
        start_rating()
        rubric = json.loads(json.dumps(RUBRIC["rubric"]))
        rubric["sections"][0]["criteria"][0]["rule"]["any_of"] = ["nobody says this"]
        tracker = {"id": "said", "name": "Said", "rule": {"speaker": "any", "last_seconds": 3600}}
        tracker["rule"]["none_of"] = ["nobody says this"]
        address = f"/api/projects/{project.pk}/replays/"
        config = {"rubric": rubric, "trackers": [tracker]}
        made = as_bob.post(address, {"config": config}, format="json").json()
        run_due_jobs()

        found = as_bob.get(f"{address}{made['id']}/").json()

        assert (found["state"], found["done"], found["most_changed"]) == ("completed", 1, [])
        [trackers] = [row for row in found["besides"]["kinds"] if row["kind"] == "trackers"]
        assert (trackers["changed"], trackers["changed_calls"]) == (1, [])
        page = browse(f"/projects/{project.pk}/replays/{made['id']}/")
        assert Call.objects.get(pk=call).file_name not in page

    def test_goes_on_with_a_draft_of_before_when_the_calibration_is_closed(
        self, as_alice, as_bob, call, start_rating, project
    ):
        draft = review(as_bob, call, state="draft", blind=True).json()
        start_rating()
        address = f"/calls/api/reviews/{draft['id']}/"

        for sent in ({"blind": False}, {"state": "submitted"}, {"comment": "x"}):
            answer = as_bob.patch(address, sent, format="json")
            assert answer.status_code == 409, answer.content
            assert "open calibration" in answer.json()["detail"]

        [opened] = as_alice.get("/calls/api/calibrations/").json()["results"]
        as_alice.post(f"/calls/api/calibrations/{opened['id']}/close/")
        assert as_bob.patch(address, {"comment": "x"}, format="json").status_code == 200
