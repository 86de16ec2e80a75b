"""Reviews of a call: what is taken and refused, points, revisions, withdrawal, and who may."""

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Call
from callscope.pipeline.erasure import removal, retention
from callscope.projects.services import create_project
from callscope.reviews.models import Review, ReviewAnswer
from tests.api.review_samples import list_answers, review

pytestmark = pytest.mark.django_db


def refusal(answer):
    assert answer.status_code == 400, answer.content
    return answer.json()


class TestReview:
    def test_has_the_points_of_our_own_scoring(self, as_alice, call_id, alice):
        answer = review(
            as_alice,
            call_id,
            criteria=list_answers(identity="partly", offer="not_applicable"),
            comment=" Friendly. ",
        )

        assert answer.status_code == 201, answer.content
        made = answer.json()
        assert {name: made[name] for name in ("call_id", "reviewer", "revision", "state", "blind")} == {
            "call_id": call_id,
            "reviewer": alice.email,
            "revision": 1,
            "state": "submitted",
            "blind": False,
        }
        assert (made["total_points"], made["max_possible_points"], made["score_percentage"]) == (30, 40, 75)
        assert made["comment"] == "Friendly."
        assert made["created_at"]
        assert made["submitted_at"]
        points = [(row["criterion_id"], row["answer"], row["score"]) for row in made["criteria"]]
        assert points == [
            ("greeting", "met", 10),
            ("identity", "partly", 10),
            ("offer", "not_applicable", 10),
        ]

    def test_a_zero_on_a_critical_criterion_takes_all_points(self, as_alice, call_id):
        made = review(as_alice, call_id, criteria=list_answers(identity="not_met")).json()

        assert (made["score_percentage"], made["has_critical_error"], made["total_points"]) == (0, True, 20)

    def test_has_words_time_and_speaker_of_the_transcript(self, as_alice, call_id):
        criteria = list_answers()
        criteria[1] |= {"quote": "[09:59] customer: CORRECTED the invoice for you", "comment": "Said so."}

        row = review(as_alice, call_id, criteria=criteria).json()["criteria"][1]

        assert row["quote"] == "[00:12] I have corrected the invoice for you, all set."
        assert (row["quote_start"], row["speaker"], row["comment"]) == (12.5, "agent", "Said so.")

    def test_keeps_what_the_machine_said(self, as_alice, call_id):
        detail = as_alice.get(f"/calls/api/calls/{call_id}/").json()["copc"]["criterion_scores"]
        said = {row["criterion_id"]: row["answer"] for row in detail}

        made = review(as_alice, call_id, criteria=list_answers(greeting="not_met")).json()

        assert {row["criterion_id"]: row["machine_answer"] for row in made["criteria"]} == {
            name: said.get(name) for name in ("greeting", "identity", "offer")
        }
        stored = Review.objects.get()
        assert stored.compared == len(said)
        assert stored.agreed < stored.compared
        assert stored.is_corrected


class TestRefusals:
    def test_names_a_criterion_that_the_call_has_not(self, as_alice, call_id):
        criteria = [*list_answers(), {"criterion_id": "smile", "answer": "met"}]

        assert refusal(review(as_alice, call_id, criteria=criteria)) == {
            "criteria": ['The call has no criterion "smile". Allowed: greeting, identity, offer.']
        }

    @pytest.mark.parametrize(
        ("criterion", "answer", "allowed"),
        [
            ("greeting", "partly", "met, not_met"),
            ("greeting", "not_applicable", "met, not_met"),
            ("identity", "not_applicable", "met, partly, not_met"),
            ("offer", "partly", "met, not_met, not_applicable"),
            ("offer", "perhaps", "met, not_met, not_applicable"),
        ],
    )
    def test_names_an_answer_that_the_criterion_does_not_allow(
        self, as_alice, call_id, criterion, answer, allowed
    ):
        given = review(as_alice, call_id, criteria=list_answers(**{criterion: answer}), state="draft")

        assert refusal(given) == {
            "criteria": [f'"{answer}" is not an answer to criterion "{criterion}". Allowed: {allowed}.']
        }

    def test_names_what_a_submitted_review_leaves_open(self, as_alice, call_id):
        assert refusal(review(as_alice, call_id, criteria=list_answers()[:1])) == {
            "criteria": ["A submitted review answers every criterion. Without an answer: identity, offer."]
        }
        assert review(as_alice, call_id, criteria=list_answers()[:1], state="draft").status_code == 201

    def test_names_a_quote_that_was_not_said(self, as_alice, call_id):
        criteria = list_answers()
        criteria[0]["quote"] = "good evening to everybody"

        (sentence,) = refusal(review(as_alice, call_id, criteria=criteria))["criteria"]

        assert sentence.startswith('The quote "good evening to everybody" of criterion "greeting" is not in')

    def test_of_a_criterion_that_is_named_twice_and_of_other_states(self, as_alice, call_id):
        twice = [*list_answers(), list_answers()[0]]
        assert "twice" in refusal(review(as_alice, call_id, criteria=twice))["criteria"][0]
        assert refusal(review(as_alice, call_id, state="withdrawn"))["state"] == [
            '"withdrawn" is not a state to send. Allowed: draft, submitted.'
        ]
        assert Review.objects.count() == 0

    def test_of_a_call_without_scores(self, as_alice, project, call_id):
        from callscope.analysis.models import CallAnalysis

        CallAnalysis.objects.update(copc=None, copc_state=None)

        answer = review(as_alice, call_id)

        assert (answer.status_code, answer.json()) == (
            409,
            {"detail": f"Call {call_id} has no scores to review."},
        )


class TestRevisions:
    def test_a_draft_changes_and_is_submitted_once(self, as_alice, call_id):
        made = review(as_alice, call_id, criteria=list_answers()[:1], state="draft").json()
        path = f"/calls/api/reviews/{made['id']}/"

        changed = as_alice.patch(path, {"comment": "Half done."}, format="json").json()
        assert ([row["criterion_id"] for row in changed["criteria"]], changed["comment"]) == (
            ["greeting"],
            "Half done.",
        )
        assert refusal(as_alice.patch(path, {"state": "submitted"}, format="json"))
        done = as_alice.patch(path, {"criteria": list_answers(), "state": "submitted"}, format="json")
        assert (done.status_code, done.json()["state"], done.json()["comment"]) == (
            200,
            "submitted",
            "Half done.",
        )

        late = as_alice.patch(path, {"comment": "Too late."}, format="json")
        assert (late.status_code, late.json()) == (
            409,
            {
                "detail": f"Review {made['id']} is already submitted. "
                "Only a draft can be changed; send a new review."
            },
        )
        assert as_alice.patch(path, {}, format="json").status_code == 400

    def test_are_all_kept_the_newest_first(self, as_alice, call_id):
        ids = [review(as_alice, call_id).json()["id"] for _ in range(3)]
        assert as_alice.delete(f"/calls/api/reviews/{ids[1]}/").status_code == 204
        assert as_alice.delete(f"/calls/api/reviews/{ids[1]}/").status_code == 204

        page = as_alice.get(f"/calls/api/{call_id}/reviews/").json()

        assert page["count"] == 3
        assert [(row["id"], row["revision"], row["state"]) for row in page["results"]] == [
            (ids[2], 3, "submitted"),
            (ids[1], 2, "withdrawn"),
            (ids[0], 1, "submitted"),
        ]
        assert page["results"][1]["withdrawn_at"]

    def test_of_a_blind_draft_hide_the_machine_until_it_is_submitted(self, as_alice, call_id):
        made = review(as_alice, call_id, state="draft", blind=True).json()
        assert {row["machine_answer"] for row in made["criteria"]} == {None}

        done = as_alice.patch(
            f"/calls/api/reviews/{made['id']}/", {"state": "submitted"}, format="json"
        ).json()

        assert done["blind"]
        assert done["criteria"][0]["machine_answer"] == "met"

    def test_are_in_the_audit_trail(self, as_alice, as_bob, bob_edits, call_id, alice):
        made = review(as_alice, call_id, state="draft").json()
        path = f"/calls/api/reviews/{made['id']}/"
        assert (
            as_bob.patch(path, {"state": "submitted"}, format="json").json()["reviewer"] == "bob@example.com"
        )
        as_bob.delete(path)

        events = AuditEvent.objects.filter(action__startswith="review.").order_by("number")
        assert [(event.action, event.subject) for event in events] == [
            (action, f"call {call_id}")
            for action in ("review.created", "review.submitted", "review.withdrawn")
        ]
        assert events[1].detail["former"] == alice.pk


class TestWhoMay:
    def test_viewers_are_refused_and_strangers_find_nothing(
        self, as_alice, as_bob, bob_views, as_carol, call_id
    ):
        made = review(as_alice, call_id, state="draft").json()

        for client, status in ((as_bob, 403), (as_carol, 404)):
            assert review(client, call_id).status_code == status
            assert client.get(f"/calls/api/{call_id}/reviews/").status_code == status
            path = f"/calls/api/reviews/{made['id']}/"
            assert client.patch(path, {"comment": "x"}, format="json").status_code == status
            assert client.delete(path).status_code == status


class TestImportedCall:
    def test_allows_what_its_scores_show(self, as_alice, alice):
        from tests.api.test_contact_reasons import bring

        (call,) = bring(create_project(alice, "Imported"), ("t", "r"))
        from callscope.analysis.models import CallAnalysis

        rows = [
            {"criterion_id": "a", "name": "A", "score": 1, "max_points": 2},
            {"criterion_id": "b", "score": 2.5, "max_points": 2.5, "applicability": "not_applicable"},
        ]
        CallAnalysis.objects.filter(call=call).update(copc={"criterion_scores": rows}, copc_state=3)
        good = [{"criterion_id": "a", "answer": "partly"}, {"criterion_id": "b", "answer": "not_applicable"}]

        made = review(as_alice, call.pk, criteria=good)

        assert (made.status_code, made.json()["total_points"], made.json()["score_percentage"]) == (
            201,
            3.5,
            77.78,
        )
        good[0]["answer"] = "not_applicable"
        assert (
            "Allowed: met, partly, not_met."
            in refusal(review(as_alice, call.pk, criteria=good))["criteria"][0]
        )
        good[0] |= {"answer": "met", "quote": "anything"}
        assert "no transcript" in refusal(review(as_alice, call.pk, criteria=good))["criteria"][0]


class TestErasure:
    def test_of_the_call_takes_the_reviews(self, as_alice, call_id):
        review(as_alice, call_id)

        removal.erase_call(Call.objects.get(pk=call_id))

        assert (Review.objects.count(), ReviewAnswer.objects.count()) == (0, 0)

    def test_of_the_user_leaves_them_without_a_name(self, as_alice, as_bob, bob_edits, bob, call_id):
        from callscope.pipeline.erasure.users import erase_user

        review(as_bob, call_id)
        erase_user(bob)

        (row,) = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert (row["reviewer"], row["state"]) == (None, "submitted")

    def test_retention_of_transcripts_takes_the_words(self, as_alice, project, call_id):
        criteria = list_answers()
        criteria[0] |= {"quote": "good morning", "comment": "canary"}
        review(as_alice, call_id, criteria=criteria, comment="canary")
        (file,) = Call.objects.get(pk=call_id).files.all()

        retention._remove_transcripts([file.pk], file.created_at)

        (row,) = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert "canary" not in str(row)
        assert (row["criteria"][0]["quote"], row["criteria"][0]["answer"]) == ("", "met")

    def test_retention_of_results_takes_them(self, as_alice, project, call_id):
        review(as_alice, call_id)

        files = Call.objects.get(pk=call_id).files.values_list("pk", flat=True)
        retention._remove_results(project, list(files), timezone.now())

        assert Review.objects.count() == 0
