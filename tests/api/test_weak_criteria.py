"""Answers of the machine on weak criteria wait for a person, where the project asks for that."""

import copy
import io
import json

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.pipeline.decisions import weak_criteria
from callscope.pipeline.decisions.review_edits import create_review, follow_settings, withdraw_review
from callscope.pipeline.transfer.importer import import_calls
from callscope.pipeline.workers import maintenance
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.models import HeldCriteria, Review
from callscope.reviews.revisions import GivenReview

pytestmark = pytest.mark.django_db

CRITERIA = [
    {"id": "sure", "name": "Sure", "max_points": 10},
    {"id": "weak", "name": "Weak", "max_points": 30, "critical": True},
]
REVIEWED, ALONE = 20, 3  # calls that are reviewed blind, and others


def line(number):
    met = bool(number % 2)
    scores = [
        {"criterion_id": each["id"], "name": each["name"], "section": "S", "score": each["max_points"] * met,
         "max_points": each["max_points"], "is_critical_error": each["id"] == "weak" and not met}
        for each in CRITERIA
    ]  # fmt: skip
    return {"file_name": f"c{number:02}.wav", "call_datetime": "2026-03-02T10:00:00+00:00",
            "copc": {"criterion_scores": scores}}  # fmt: skip


def configure(project, **reviews):
    document = {"rubric": {"sections": [{"name": "S", "criteria": CRITERIA}]}, "reviews": reviews}
    project.refresh_from_db()
    with follow_settings(project):
        configure_project(project, document, project.owner)


def work():
    """Do the worker's housekeeping as if a minute had passed."""
    weak_criteria._measure_at = 0.0
    maintenance.compact()
    assert find_discrepancies() == []


def say(user, call, *, contradicts, blind=True):
    """Review the call: agree with the machine on what is sure, and contradict it on what is weak."""
    met = bool(int(call.file_name[1:3]) % 2)
    answers = [
        GivenAnswer(criterion_id, "met" if answer else "not_met")
        for criterion_id, answer in (("sure", met), ("weak", met != contradicts))
    ]
    return create_review(call.pk, GivenReview(answers=answers, blind=blind, submits=True), user)


def show(client, call):
    return client.get(f"/calls/api/calls/{call.pk}/").json()


def points(client, call):
    """Return the possible points of the call, on which detail and list agree."""
    return show(client, call)["record"]["max_possible_points"]


def report(client):
    return client.get("/calls/api/report/").json()


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Calls of a project on whose weak criterion people always contradict the machine."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        return project, review_calls(alice, project)


@pytest.fixture
def reviewed(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def project(reviewed):
    return reviewed[0]


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def calls(reviewed):
    return reviewed[1]


def review_calls(alice, project):
    configure(project, weak_criteria="ask_a_person")
    content = "\n".join(json.dumps(line(number)) for number in range(REVIEWED + ALONE))
    assert import_calls(project, io.BytesIO(content.encode()), by=alice).errors == []
    found = list(Call.objects.order_by("file_name"))
    for call in found[:REVIEWED]:
        say(alice, call, contradicts=True)
    return found


@pytest.fixture
def held(calls):
    work()
    return calls


class TestAWeakCriterion:
    def test_counts_nowhere_until_somebody_reviews_the_call(self, as_alice, alice, held, project):
        *_, call = held  # the machine said not met to both

        shown = show(as_alice, call)

        assert [row["criterion_id"] for row in shown["copc"]["criterion_scores"]] == ["sure"]
        (waiting,) = shown["copc"]["not_evaluated"]
        assert (waiting["criterion_id"], waiting["for_person"]) == ("weak", True)
        assert waiting["reason"].startswith("For a person: ")
        assert (points(as_alice, call), shown["record"]["has_critical_error"]) == (10, False)
        assert (shown["machine"], shown["review"]) == (None, None)
        listed = as_alice.get("/calls/api/calls/?criterion=weak&result=not_evaluated").json()["results"]
        assert [each["id"] for each in listed] == [each.pk for each in reversed(held[REVIEWED:])]
        # It is measured on the answers of the machine all the same.
        (row,) = HeldCriteria.objects.get().criteria
        assert (row["criterion_id"], row["n"], row["kappa"]) == ("weak", REVIEWED, -1.0)
        measured = as_alice.get(f"/calls/api/agreement/?project_id={project.pk}").json()["criteria"]
        assert [(each["criterion_id"], each["n"]) for each in measured] == [("weak", 20), ("sure", 20)]
        say(alice, call, contradicts=True, blind=False)
        reviewed = show(as_alice, call)
        assert (points(as_alice, call), reviewed["copc"]["not_evaluated"]) == (40, [])
        assert reviewed["machine"]["criterion_scores"][1]["score"] == 0
        assert find_discrepancies() == []

    def test_leaves_the_report_and_pages_say_so(self, as_alice, client, alice, held, project):
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        shown = report(as_alice)
        sure, weak = shown["scorecard"]

        assert (sure["calls"], sure["for_person"]) == (REVIEWED + ALONE, False)
        assert (weak["calls"], weak["for_person"]) == (REVIEWED, True)
        # 10 of the reviewed calls hold a critical error that a person saw; the machine's do not count.
        assert shown["headline"]["critical_error_pct"] == round(100 * 10 / 23, 2)
        note = "for a person: machine and people agree too little here"
        assert note in client.get(f"/report/criteria/?project_id={project.pk}").content.decode()
        assert "For a person: on this criterion" in client.get(f"/calls/{held[-1].pk}/").content.decode()
        listed = client.get(f"/calls/?project_id={project.pk}&criterion=weak&result=not_evaluated")
        assert listed.content.decode().count("For a person: on this criterion") == ALONE
        assert listed.content.decode().count(">for a person</span>") == ALONE
        assert client.get(f"/projects/{project.pk}/agreement/").content.decode().count("for a person") == 1

    def test_waits_in_calls_that_come_later(self, as_alice, alice, held, project):
        import_calls(project, io.BytesIO(json.dumps(line(31)).encode()), by=alice)

        assert points(as_alice, Call.objects.get(file_name="c31.wav")) == 10
        assert find_discrepancies() == []


class TestItEnds:
    def test_when_the_setting_does(self, as_alice, held, project):
        configure(project, weak_criteria="count")
        work()

        assert points(as_alice, held[-1]) == 40
        assert not HeldCriteria.objects.exists()
        unreviewed = CallAnalysis.objects.filter(call__in=held[REVIEWED:])
        assert [each.machine_copc for each in unreviewed] == [None] * ALONE
        assert report(as_alice)["scorecard"][1]["for_person"] is False

    def test_when_people_agree_with_the_machine_after_all(self, as_alice, alice, held):
        for review in Review.objects.filter(call__in=held[2:REVIEWED]):
            withdraw_review(review.pk, alice)
        work()

        assert HeldCriteria.objects.get().criteria == []
        assert points(as_alice, held[-1]) == 40

    def test_not_when_the_setting_comes_back_before_the_worker_looks(self, as_alice, alice, held, project):
        configure(project, weak_criteria="count")
        review = say(alice, held[-1], contradicts=False)
        withdraw_review(review.pk, alice)
        assert points(as_alice, held[-1]) == 40
        configure(project, weak_criteria="ask_a_person", counts="machine")
        work()

        assert points(as_alice, held[-1]) == 10
        assert points(as_alice, held[0]) == 40  # the machine counts where somebody has looked


class TestTheWorker:
    def test_takes_portions_and_leaves_others_alone(self, as_alice, calls, project, monkeypatch):
        monkeypatch.setattr(weak_criteria, "CALLS_AT_ONCE", 10)
        weak_criteria.measure_projects()

        portions = 0
        while weak_criteria.settle_next():
            portions += 1
            assert find_discrepancies() == []
        assert portions == 3
        HeldCriteria.objects.all().delete()
        configure(project, weak_criteria="count")
        work()
        assert not HeldCriteria.objects.exists()
