"""Calibrations: each rates blind and unseen, then all answers stand side by side and are settled."""

import copy
import re

import pytest
from django.test import Client

from callscope.accounts.models import AuditEvent, User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.projects.services import configure_project, share_project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.models import Calibration, Review
from tests.api.conftest import client_of
from tests.api.review_samples import TALK, judge_call, list_answers, review, upload_judged

URL = "/calls/api/calibrations/"
OTHER = b"""1
00:00:00,000 --> 00:00:04,000
Agent: Hello there, this is Ana.

2
00:00:04,500 --> 00:00:12,000
Customer: My invoice is wrong.
"""


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Two judged calls in a project of Alice's that Bob may edit."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        bob = User.objects.create_user("bob@example.com", "bob-password")
        project = Project.objects.create(name="Service line", owner=alice)
        share_project(project, bob, role="editor")
        client = client_of(alice)
        calls = [judge_call(client, project), upload_judged(client, project, OTHER, "second.srt")]
        return project, bob, calls


@pytest.fixture
def shared(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def project(shared):
    return shared[0]


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def bob(shared):
    return shared[1]


@pytest.fixture
def calls(shared):
    return shared[2]


@pytest.fixture
def open_one(as_alice, project, calls, alice, bob):
    def open_one(status=201, **fields):
        given = {"project_id": project.pk, "call_ids": calls, "raters": [alice.email, bob.email], **fields}
        answer = as_alice.post(URL, given, format="json")
        assert answer.status_code == status, answer.content
        return answer.json()

    return open_one


def rate(client, call, **answers):
    answer = review(client, call, criteria=list_answers(**answers), blind=True)
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture
def rated(open_one, as_alice, as_bob, calls):
    """A calibration of two calls that Alice and Bob have rated; they differ on one criterion of one call."""
    calibration = open_one()
    for call in calls:
        rate(as_alice, call, offer="not_met")
        rate(as_bob, call, offer="not_met", greeting="met" if call == calls[0] else "not_met")
    return calibration["id"]


def read(client, number):
    return client.get(f"{URL}{number}/").json()


def row_of(calibration, criterion):
    return next(row for row in calibration["criteria"] if row["criterion_id"] == criterion)


class TestOpenCalibration:
    def test_names_its_raters_and_calls(self, open_one, calls, alice, bob):
        found = open_one(expert=bob.email.upper(), due="2026-04-01")

        assert (found["state"], found["expert"], found["due"]) == ("open", bob.email, "2026-04-01")
        assert [each["rater"] for each in found["raters"]] == [None, alice.email, bob.email]
        assert [each["is_machine"] for each in found["raters"]] == [True, False, False]
        assert [each["call_id"] for each in found["calls"]] == calls
        assert (found["expected_ratings"], found["submitted_ratings"], found["alpha"]) == (4, 0, None)

    def test_has_an_expert_who_was_not_named_as_a_rater(self, open_one, alice, bob):
        found = open_one(raters=[alice.email], expert=bob.email)

        assert [each["rater"] for each in found["raters"] if each["is_expert"]] == [bob.email]

    def test_shows_each_rater_their_own_answers_alone(self, rated, as_alice, as_bob, alice, bob):
        for client, own in ((as_alice, alice), (as_bob, bob)):
            found = read(client, rated)
            given = [each for row in found["criteria"] for call in row["calls"] for each in call["answers"]]

            assert {each["rater"] for each in given} == {own.email}
            assert not any(each["is_machine"] for each in given)
            assert found["submitted_ratings"] == 4
            assert found["alpha"] is None
            assert {each["different_pct"] for each in found["raters"]} == {None}

    def test_hides_ratings_from_every_list_of_reviews(self, rated, as_alice, as_bob, calls, alice):
        seen = as_bob.get(f"/calls/api/{calls[0]}/reviews/").json()["results"]
        of_alice = Review.all_objects.get(call=calls[0], reviewer=alice)

        assert {each["reviewer"] for each in seen} == {"bob@example.com"}
        assert {each["calibration_id"] for each in seen} == {rated}
        assert {answer["machine_answer"] for each in seen for answer in each["criteria"]} == {None}
        assert as_bob.patch(f"/calls/api/reviews/{of_alice.pk}/", {"comment": "x"}).status_code == 404
        assert as_bob.delete(f"/calls/api/reviews/{of_alice.pk}/").status_code == 404

    def test_hides_from_its_raters_what_others_reviewed_before(self, as_alice, as_bob, calls, open_one):
        findings = [{"kind": "goal", "answer": "unknown", "quote": "this is Ana speaking"}]
        assert review(as_alice, calls[0], findings=findings).status_code == 201
        assert as_bob.get(f"/calls/api/{calls[0]}/reviews/").json()["count"] == 1
        assert "Ana speaking" in str(as_bob.get(f"/calls/api/calls/{calls[0]}/").json()["insights"])

        open_one()

        assert as_bob.get(f"/calls/api/{calls[0]}/reviews/").json()["count"] == 0
        seen = as_bob.get(f"/calls/api/calls/{calls[0]}/").json()
        assert "Ana speaking" not in str(seen["insights"])
        assert not [name for name in seen["insights"] if name.startswith(("goal", "sentiment"))]
        assert (seen["no_protocol"], seen["machine_no_protocol"], seen["machine_insights"]) == (None,) * 3
        given = {"criteria": list_answers(), "findings": findings}
        rating = as_bob.post(f"/calls/api/{calls[0]}/reviews/", given, format="json")
        assert (rating.status_code, list(rating.json())) == (400, ["findings"])

    def test_hides_results_from_its_raters_until_it_is_closed(self, open_one, as_alice, as_bob, calls, bob):
        def shown(client):
            detail = client.get(f"/calls/api/calls/{calls[0]}/").json()
            listed = client.get("/calls/api/calls/").json()["results"]
            user = User.objects.get(email="bob@example.com" if client is as_bob else "alice@example.com")
            visitor = Client()
            visitor.force_login(user, backend="callscope.accounts.sign_in.EmailBackend")
            csv = visitor.get("/calls/export.csv").getvalue().decode()
            scores = [each["score_percentage"] for each in listed]
            hidden = [detail[name] for name in ("copc", "machine", "review")]
            return scores, detail["record"]["score_percentage"], detail["record"]["total_points"], hidden, csv

        before = shown(as_bob)
        assert None not in before[0]
        opened = open_one(raters=[bob.email])

        scores, score, points, hidden, csv = shown(as_bob)
        assert (scores, score, points, hidden) == ([None, None], None, None, [None] * 3)
        assert csv != before[4]
        assert not {"met", "not_met"} & set(re.split(r"[,\r\n]", csv))
        assert {"met", "not_met"} & set(re.split(r"[,\r\n]", before[4]))
        assert shown(as_alice)[:4] == before[:4]  # she rates nothing
        as_alice.post(f"{URL}{opened['id']}/close/")
        assert shown(as_bob) == before

    @pytest.mark.parametrize("by_person", [False, True])
    def test_hides_goal_sentiment_and_counts_from_its_raters(
        self, open_one, as_alice, as_bob, project, calls, bob, by_person
    ):
        goal = {"description": "Solved", "phrases": ["my invoice is wrong"]}
        protocol = {"mistakes": [{"id": "m", "text": "Says hello", "any_of": ["hello"]}]}
        config = {**project.config, "goal": goal, "no_protocol": protocol}
        configure_project(project, config, project.owner)
        call = upload_judged(as_alice, project, OTHER, "third.srt")
        if by_person:
            findings = [{"kind": "goal", "answer": "reached"}, {"kind": "sentiment", "answer": "negative"}]
            assert review(as_alice, call, findings=findings).status_code == 201
        fields = ("sentiment", "goal_reached", "mistake_count", "missing_prompt_count")
        visitor = Client()
        visitor.force_login(bob, backend="callscope.accounts.sign_in.EmailBackend")

        def shown(client):
            items = [each for each in client.get("/calls/api/calls/").json()["results"] if each["id"] == call]
            detail = client.get(f"/calls/api/calls/{call}/").json()
            assert [detail["record"][name] for name in fields] == [items[0][name] for name in fields]
            return [items[0][name] for name in fields], detail

        before = shown(as_bob)
        assert before[0][1] is not None and before[0][2] == 1
        assert b"<dt>Sentiment</dt>" in visitor.get(f"/calls/{call}/").content
        opened = open_one(call_ids=[call], raters=[bob.email])

        known, detail = shown(as_bob)
        assert known == [None] * 4
        assert detail["no_protocol"] is None and "goal_reached" not in detail["insights"]
        for path in (f"/calls/{call}/", f"/calls/{call}/review/"):
            page = visitor.get(path).content
            assert b"<dt>Sentiment</dt>" not in page and b"<dt>Goal</dt>" not in page
        assert shown(as_alice)[0] == before[0]  # she rates nothing
        as_alice.post(f"{URL}{opened['id']}/close/")
        assert shown(as_bob) == before

    def test_hides_appeals_of_its_calls_from_raters(self, open_one, as_bob, as_alice, calls, alice, bob):
        call = Call.objects.get(pk=calls[0])
        Appeal.objects.create(
            call=call,
            project=call.project,
            criterion_id="greeting",
            judged_at=call.uploaded_at,
            created_at=call.uploaded_at,
            reason="Said.",
        )
        paths = ("/calls/api/appeals/", f"/calls/api/{call.pk}/appeals/")
        assert [as_bob.get(path).json()["count"] for path in paths] == [1, 1]
        open_one(raters=[bob.email])

        assert [as_bob.get(path).json()["count"] for path in paths] == [0, 0]
        assert [as_alice.get(path).json()["count"] for path in paths] == [1, 1]
        assert b"Said." not in as_bob.get("/appeals/").content

    def test_changes_no_result_and_no_agreement(self, rated, as_alice, calls, project):
        report = as_alice.get(f"/calls/api/report/?project_id={project.pk}").json()
        agreement = as_alice.get(f"/calls/api/agreement/?project_id={project.pk}").json()

        assert not CallAnalysis.objects.filter(machine_copc__isnull=False).exists()
        assert report["reviews"]["reviewed_calls"] == 0
        assert agreement["calls"] == 0
        assert as_alice.get("/calls/api/calls/?reviewed=true").json()["count"] == 0

    def test_makes_every_rating_blind(self, open_one, as_alice, calls):
        open_one()

        found = review(as_alice, calls[0], blind=False).json()

        assert (found["blind"], found["is_current"]) == (True, False)

    def test_counts_the_last_rating_of_a_rater(self, rated, as_alice, calls):
        rate(as_alice, calls[0], offer="met")

        [call] = [c for c in row_of(read(as_alice, rated), "offer")["calls"] if c["call_id"] == calls[0]]
        assert [each["answer"] for each in call["answers"]] == ["met"]
        assert read(as_alice, rated)["submitted_ratings"] == 4

    def test_leaves_reviews_of_those_who_do_not_rate(self, open_one, as_bob, calls, alice):
        open_one(raters=[alice.email])

        assert review(as_bob, calls[0]).json()["is_current"]


class TestClosedCalibration:
    @pytest.fixture
    def closed(self, rated, as_alice):
        answer = as_alice.post(f"{URL}{rated}/close/")
        assert answer.status_code == 200, answer.content
        return answer.json()

    @pytest.mark.parametrize("is_rated", [True, False], ids=["rated", "not rated"])
    def test_scores_the_machine_by_the_same_rule_as_people(self, open_one, as_alice, project, is_rated):
        """Who gave the same answers has the same score: a critical error sets it to 0."""
        call = upload_judged(
            as_alice, project, TALK.replace(b"corrected the invoice", b"looked at it"), "third.srt"
        )
        number = open_one(call_ids=[call])["id"]
        if is_rated:
            rate(as_alice, call, identity="not_met", offer="not_met")

        closed = as_alice.post(f"{URL}{number}/close/").json()

        scores = [each["score_percentage"] for each in closed["calls"][0]["scores"]]
        assert scores == [0.0] * (2 if is_rated else 1)
        assert closed["calls"][0]["spread_percentage"] == (0.0 if is_rated else None)

    def test_shows_all_answers_side_by_side(self, closed, as_bob, calls, alice, bob):
        assert (closed["state"], read(as_bob, closed["id"])) == ("closed", closed)
        [first, second] = row_of(closed, "greeting")["calls"]
        assert [(each["rater"], each["answer"]) for each in second["answers"]] == [
            (None, "met"),
            (alice.email, "met"),
            (bob.email, "not_met"),
        ]
        assert (first["spread_points"], second["spread_points"]) == (0.0, 10.0)
        assert (first["proposed"], second["proposed"]) == ("met", None)

    def test_puts_the_criterion_with_most_disagreement_first(self, closed):
        shares = [row["disagreement_pct"] for row in closed["criteria"]]

        assert shares == sorted(shares, reverse=True)
        assert row_of(closed, "greeting")["disagreement_pct"] == pytest.approx(33.33)
        assert row_of(closed, "greeting")["pairs"] == 6
        assert row_of(closed, "greeting")["spread_points"] == 5.0

    def test_says_how_far_each_rater_is_from_the_others(self, closed, alice):
        [machine, own, _] = closed["raters"]

        # Six answers: Bob differs from Alice on one greeting, of ten points.
        assert (own["rater"], own["compared_answers"]) == (alice.email, 6)
        assert (own["different_pct"], own["distance_points"]) == (16.67, pytest.approx(1.67))
        assert machine["compared_answers"] == 5  # without the tie
        assert closed["alpha_low"] <= closed["alpha"] <= closed["alpha_high"]

    def test_compares_with_the_expert(self, open_one, as_alice, as_bob, calls, bob):
        number = open_one(expert=bob.email)["id"]
        rate(as_alice, calls[0])
        rate(as_bob, calls[0], identity="partly")

        found = as_alice.post(f"{URL}{number}/close/").json()

        [_, alice_row, bob_row] = found["raters"]
        assert (alice_row["different_pct"], alice_row["distance_points"]) == (33.33, 3.33)
        assert bob_row["is_expert"]
        assert row_of(found, "identity")["calls"][0]["proposed"] == "partly"

    def test_takes_no_rating_any_more(self, closed, as_alice, calls):
        kept = as_alice.get(f"/calls/api/{calls[0]}/reviews/").json()["results"][0]

        assert kept["calibration_id"] == closed["id"]
        assert as_alice.delete(f"/calls/api/reviews/{kept['id']}/").status_code == 409
        assert review(as_alice, calls[0]).json()["calibration_id"] is None

    def test_refuses_a_draft_that_was_begun_in_it(self, open_one, as_alice, calls):
        number = open_one()["id"]
        draft = review(as_alice, calls[0], state="draft").json()
        as_alice.post(f"{URL}{number}/close/")

        answer = as_alice.patch(f"/calls/api/reviews/{draft['id']}/", {"state": "submitted"})

        assert answer.status_code == 409
        assert answer.json()["detail"] == f"Calibration {number} is closed. Its ratings can no longer change."

    def test_counts_in_the_agreement(self, closed, as_alice, project):
        agreement = as_alice.get(f"/calls/api/agreement/?project_id={project.pk}").json()

        assert agreement["calls"] == 2

    def test_stays_closed_when_it_is_closed_again(self, closed, as_alice):
        assert as_alice.post(f"{URL}{closed['id']}/close/").json() == closed
        assert AuditEvent.objects.filter(action="calibration.closed").count() == 1


class TestSettlement:
    @pytest.fixture
    def settle(self, rated, as_alice):
        as_alice.post(f"{URL}{rated}/close/")

        def settle(status=200, **body):
            answer = as_alice.post(f"{URL}{rated}/settle/", body, format="json")
            assert answer.status_code == status, answer.content
            return answer.json()

        return settle

    def test_makes_the_answers_the_reviews_of_the_calls(self, settle, as_alice, calls, project):
        chosen = [{"call_id": calls[1], "criterion_id": "greeting", "answer": "met"}]

        assert settle(answers=chosen)["state"] == "settled"

        detail = as_alice.get(f"/calls/api/calls/{calls[1]}/").json()
        assert {each["source"] for each in detail["copc"]["criterion_scores"]} == {"person"}
        assert detail["record"]["score_percentage"] == 75.0
        report = as_alice.get(f"/calls/api/report/?project_id={project.pk}").json()
        assert report["reviews"]["reviewed_calls"] == 2
        assert report["headline"]["average_score"] == 75.0

    def test_asks_for_an_answer_where_there_is_no_majority(self, settle, calls):
        errors = settle(400)

        assert errors == {
            "answers": [
                f"There is no majority for greeting ({calls[1]}); 1 criteria have no answer. "
                "Send an answer to each."
            ]
        }
        assert not Review.objects.exists()

    @pytest.mark.parametrize(
        ("criterion", "answer", "sentence"),
        [
            ("nothing", "met", 'answers criterion "nothing".'),
            ("greeting", "perhaps", '"perhaps" is not an answer to criterion "greeting".'),
        ],
    )
    def test_refuses_what_nobody_could_answer(self, settle, calls, criterion, answer, sentence):
        wanted = [{"call_id": calls[1], "criterion_id": "greeting", "answer": "met"}]
        chosen = [{"call_id": calls[1], "criterion_id": criterion, "answer": answer}]

        errors = settle(400, answers=[*wanted, *chosen])

        assert sentence in errors["answers"][0]
        assert Calibration.objects.get().state == "closed"

    def test_is_done_once(self, settle, calls):
        chosen = [{"call_id": calls[1], "criterion_id": "greeting", "answer": "met"}]
        settle(answers=chosen)

        assert "is settled" in settle(409, answers=chosen)["detail"]

    def test_waits_for_the_end(self, open_one, as_alice):
        number = open_one()["id"]

        assert as_alice.post(f"{URL}{number}/settle/", {}, format="json").status_code == 409


class TestRefusal:
    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            ("call_ids", [], "at least 1"),
            ("call_ids", [99999999], "These are not calls of this project with scores: 99999999."),
            ("call_ids", ["x"], "'x' is not allowed."),
            ("raters", ["carol@example.com"], '"carol@example.com" cannot review calls'),
            ("raters", ["alice@example.com", "Alice@example.com"], "is listed twice."),
            ("expert", "nobody", '"nobody" cannot review calls'),
            ("due", "soon", '"soon" is not a date. Use YYYY-MM-DD.'),
            ("project_id", 99999999, "99999999"),
        ],
    )
    def test_names_the_value_and_what_is_allowed(self, open_one, field, value, sentence):
        errors = open_one(400, **{field: value})

        assert list(errors) == [field]
        assert sentence in str(errors[field])
        assert not Calibration.objects.exists()

    def test_is_for_those_who_may_not_write(self, open_one, as_carol, project, carol):
        number = open_one()["id"]
        assert as_carol.get(f"{URL}{number}/").status_code == 404

        share_project(project, carol, role="viewer")

        assert as_carol.get(f"{URL}{number}/").status_code == 403
        assert as_carol.post(f"{URL}{number}/close/").status_code == 403
        assert as_carol.get(URL).json()["count"] == 0


class TestList:
    def test_has_the_newest_first_with_how_much_is_rated(self, open_one, as_alice, calls, project):
        first, second = open_one(), open_one(call_ids=calls[:1])
        rate(as_alice, calls[1])

        page = as_alice.get(f"{URL}?project_id={project.pk}").json()

        assert [row["id"] for row in page["results"]] == [second["id"], first["id"]]
        assert [row["submitted_ratings"] for row in page["results"]] == [0, 1]
