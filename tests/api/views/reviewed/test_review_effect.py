"""What counts: reports, lists and details follow a review in the same request, and come back when it goes."""

import importlib
import io
import json

import pytest
from django.apps import apps
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.erasure import removal, retention
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.services import configure_project, create_project
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.models import Review
from tests.api.review_samples import (
    TALK,
    change_rubric,
    list_answers,
    review,
    upload_judged,
)

pytestmark = pytest.mark.django_db

WRONG = {"greeting": "not_met", "identity": "partly", "offer": "met"}
OTHER_TALK = TALK.replace(b"Good morning", b"Well hello")


def detail(client, call_id):
    return client.get(f"/calls/api/calls/{call_id}/").json()


def report(client):
    return client.get("/calls/api/report/").json()


def score(client, call_id):
    """Return the score of the one call, which list, detail, report, trend and scorecard agree on."""
    record = detail(client, call_id)["record"]
    (listed,) = client.get("/calls/api/calls/").json()["results"]
    shown = report(client)
    scores = {
        record["score_percentage"],
        listed["score_percentage"],
        shown["headline"]["average_score"],
        shown["trend"][0]["average_score"],
    }
    assert len(scores) == 1, scores
    assert find_discrepancies() == []
    return scores.pop()


def sources(client, call_id):
    rows = detail(client, call_id)["copc"]["criterion_scores"]
    return {row["criterion_id"]: row["source"] for row in rows}


class TestASubmittedReview:
    def test_is_the_result_of_the_call_everywhere(self, as_alice, alice, call_id):
        before, machine = score(as_alice, call_id), detail(as_alice, call_id)["copc"]
        assert detail(as_alice, call_id)["review"] is None
        criteria = list_answers(**WRONG)
        criteria[0] |= {"quote": "this is Ana speaking", "comment": "No greeting."}

        made = review(as_alice, call_id, criteria=criteria, comment="Look again.").json()

        assert score(as_alice, call_id) == made["score_percentage"] == 50 != before
        shown = detail(as_alice, call_id)
        assert shown["machine"]["criterion_scores"] == machine["criterion_scores"]
        assert {name: shown["review"][name] for name in ("id", "reviewer", "revision", "comment")} == {
            "id": made["id"],
            "reviewer": alice.email,
            "revision": 1,
            "comment": "Look again.",
        }
        first = shown["copc"]["criterion_scores"][0]
        assert (first["score"], first["source"], first["justification"]) == (0, "person", "No greeting.")
        assert first["quotes"] == [
            {"group": None, "text": "Good morning, this is Ana speaking.", "speaker": "agent", "start": 0.0}
        ]
        assert set(sources(as_alice, call_id).values()) == {"person"}
        assert shown["copc"]["not_evaluated"] == []
        averages = {row["criterion_id"]: row["average_pct"] for row in report(as_alice)["scorecard"]}
        assert averages == {"greeting": 0, "identity": 50, "offer": 100}

    def test_makes_and_takes_critical_errors(self, as_alice, call_id):
        review(as_alice, call_id, criteria=list_answers(identity="not_met"))

        assert score(as_alice, call_id) == 0
        assert report(as_alice)["headline"]["critical_error_pct"] == 100
        assert as_alice.get("/calls/api/calls/?critical=true").json()["count"] == 1
        review(as_alice, call_id)
        assert score(as_alice, call_id) == 100
        assert report(as_alice)["headline"]["critical_error_pct"] == 0

    def test_a_draft_changes_nothing(self, as_alice, call_id):
        before = score(as_alice, call_id)
        review(as_alice, call_id, criteria=list_answers(**WRONG), state="draft")

        assert score(as_alice, call_id) == before
        assert detail(as_alice, call_id)["machine"] is None

    def test_the_last_one_counts_and_withdrawn_the_machine_does(self, as_alice, call_id):
        before, found = score(as_alice, call_id), detail(as_alice, call_id)["copc"]
        ids = [
            review(as_alice, call_id, criteria=criteria).json()["id"]
            for criteria in (list_answers(), list_answers(**WRONG))
        ]
        assert score(as_alice, call_id) == 50
        as_alice.delete(f"/calls/api/reviews/{ids[0]}/")
        assert score(as_alice, call_id) == 50

        as_alice.delete(f"/calls/api/reviews/{ids[1]}/")

        assert score(as_alice, call_id) == before
        shown = detail(as_alice, call_id)
        assert (shown["review"], shown["machine"], shown["copc"]) == (None, None, found)

    def test_is_in_the_figures_and_filters(self, as_alice, call_id):
        none = {"reviewed_calls": 0, "corrected_calls": 0, "agreement_pct": None}
        appeals = {"appeals": 0, "appeals_accepted": 0}
        appeals |= {"true_score": None, "true_score_interval": None, "sampled_calls": 0}
        appeals |= {"sampled_score": None, "sampled_machine_score": None}
        counts = [as_alice.get(f"/calls/api/calls/?reviewed={v}").json()["count"] for v in ("true", "false")]
        assert (report(as_alice)["reviews"], counts) == (none | appeals, [0, 1])

        review(as_alice, call_id, criteria=list_answers(**WRONG))

        compared = Review.objects.get()
        assert report(as_alice)["reviews"] == {
            "reviewed_calls": 1,
            "corrected_calls": 1,
            "agreement_pct": round(100 * compared.agreed / compared.compared, 2),
            **appeals,
        }
        outside = as_alice.get("/calls/api/report/?start_date=2025-01-01&end_date=2025-01-31").json()
        assert outside["reviews"] == none | appeals
        for query, count in (
            ("reviewed=true", 1), ("reviewed=false", 0), ("reviewed=perhaps", 1),
            ("reviewed=true&ordering=-score_percentage", 1), ("reviewed=false&search=call", 0),
            ("reviewed=true&agent=none&ordering=agent__name", 0),
        ):  # fmt: skip
            assert as_alice.get(f"/calls/api/calls/?{query}").json()["count"] == count, query


class TestTheSetting:
    def change(self, client, project, counts):
        config = client.get(f"/api/projects/{project.pk}/").json()["config"]
        body = {"config": {**config, "reviews": {"counts": counts}}}
        answer = client.patch(f"/api/projects/{project.pk}/", body, format="json")
        assert answer.status_code == 200, answer.content
        return answer.json()["config"]["reviews"]

    def test_lets_the_machine_count_and_people_again(self, as_alice, project, call_id):
        before = score(as_alice, call_id)
        review(as_alice, call_id, criteria=list_answers(**WRONG))

        assert self.change(as_alice, project, "machine") == {
            "counts": "machine",
            "weak_criteria": "count",
            "appeal_days": 14,
        }

        assert (score(as_alice, call_id), detail(as_alice, call_id)["review"]) == (before, None)
        assert report(as_alice)["reviews"]["reviewed_calls"] == 1
        self.change(as_alice, project, "final")
        assert (score(as_alice, call_id), detail(as_alice, call_id)["review"]["revision"]) == (50, 1)

    def test_is_asked_when_a_review_is_submitted(self, as_alice, project, call_id):
        before = score(as_alice, call_id)
        self.change(as_alice, project, "machine")

        review(as_alice, call_id, criteria=list_answers(**WRONG))

        assert score(as_alice, call_id) == before

    def test_is_checked(self, as_alice, project):
        config = as_alice.get(f"/api/projects/{project.pk}/").json()["config"]
        for wrong in (
            {"counts": "perhaps"},
            {"weak_criteria": "drop"},
            {"appeal_days": 0},
            {"appeals": 3},
            [],
        ):
            body = {"config": {**config, "reviews": wrong}}
            answer = as_alice.patch(f"/api/projects/{project.pk}/", body, format="json")
            assert (answer.status_code, "reviews" in str(answer.json())) == (400, True), wrong


class TestAnotherAnalysis:
    @pytest.fixture
    def reviewed(self, as_alice, project, call_id):
        review(as_alice, call_id, criteria=list_answers(**WRONG))
        return call_id

    def test_of_the_same_words_carries_the_answers_over(self, as_alice, project, reviewed):
        assert upload_judged(as_alice, project) == reviewed

        assert UploadedFile.objects.count() == 2
        assert score(as_alice, reviewed) == 50
        assert set(sources(as_alice, reviewed).values()) == {"person"}
        assert CallAnalysis.objects.filter(machine_copc__isnull=False).count() == 1
        removal.delete_file(UploadedFile.objects.order_by("pk")[0])
        assert (score(as_alice, reviewed), Review.objects.count()) == (50, 1)

    def test_of_other_words_counts_itself(self, as_alice, project, reviewed):
        upload_judged(as_alice, project, OTHER_TALK)

        shown = detail(as_alice, reviewed)
        assert (shown["review"], shown["machine"], shown["review_outdated"]) == (None, None, True)
        assert set(sources(as_alice, reviewed).values()) == {"machine"}
        assert score(as_alice, reviewed) != 50
        (row,) = as_alice.get(f"/calls/api/{reviewed}/reviews/").json()["results"]
        assert (row["is_outdated"], row["state"]) == (True, "submitted")
        assert row["outdated_criteria"] == ["greeting", "identity", "offer"]
        assert as_alice.get("/calls/api/calls/?reviewed=true").json()["count"] == 0
        assert report(as_alice)["reviews"]["reviewed_calls"] == 0

    def test_that_is_erased_lets_the_review_of_before_count(self, as_alice, project, reviewed):
        upload_judged(as_alice, project, OTHER_TALK)

        removal.delete_file(UploadedFile.objects.order_by("-pk")[0])

        assert (score(as_alice, reviewed), detail(as_alice, reviewed)["review"]["revision"]) == (50, 1)

    def test_of_the_same_words_that_is_erased_leaves_the_review(self, as_alice, project, reviewed):
        upload_judged(as_alice, project)

        removal.delete_file(UploadedFile.objects.order_by("-pk")[0])

        assert (score(as_alice, reviewed), Review.objects.count()) == (50, 1)

    def test_by_other_points_weighs_the_answers_of_the_person(self, as_alice, project, reviewed):
        """Not met of 10 points, now 30; partly of 20; met of 10."""
        configure_project(project, change_rubric(max_points=30), project.owner)
        upload_judged(as_alice, project)

        assert set(sources(as_alice, reviewed).values()) == {"person"}
        assert score(as_alice, reviewed) == pytest.approx(100 * 20 / 60, abs=0.01)
        assert detail(as_alice, reviewed)["review"]["outdated_criteria"] == []

    def test_by_other_points_weighs_answers_of_earlier_releases(self, as_alice, project, reviewed):
        before = Review.objects.get(call=reviewed)
        before.criteria = [
            {name: value for name, value in each.items() if name != "question"} for each in before.criteria
        ]
        before.save()
        migration = importlib.import_module("callscope.reviews.migrations.0020_questions_of_criteria")
        migration.note_questions(apps, None)
        assert all(each["question"] for each in Review.objects.get(call=reviewed).criteria)
        configure_project(project, change_rubric(max_points=30), project.owner)
        upload_judged(as_alice, project)

        assert set(sources(as_alice, reviewed).values()) == {"person"}

    def test_in_another_section_keeps_the_answers_of_the_person(self, as_alice, project, reviewed):
        rubric = change_rubric()
        rubric["rubric"]["sections"][0]["name"] = "Start"
        configure_project(project, rubric, project.owner)
        upload_judged(as_alice, project)

        assert set(sources(as_alice, reviewed).values()) == {"person"}

    def test_by_another_rubric_leaves_the_criteria_that_ask_the_same(self, as_alice, project, reviewed):
        configure_project(project, change_rubric(guideline="The agent greets by name."), project.owner)
        upload_judged(as_alice, project)

        assert sources(as_alice, reviewed) == {
            "greeting": "machine",
            "identity": "person",
            "offer": "person",
        }
        assert detail(as_alice, reviewed)["review"]["outdated_criteria"] == ["greeting"]
        score(as_alice, reviewed)

    def test_by_other_phrases_carries_everything_over(self, as_alice, project, reviewed):
        rule = {"speaker": "agent", "any_of": ["speaking"]}
        configure_project(project, change_rubric(rule=rule), project.owner)
        upload_judged(as_alice, project)

        assert set(sources(as_alice, reviewed).values()) == {"person"}

    def test_a_new_review_of_it_counts(self, as_alice, project, reviewed):
        upload_judged(as_alice, project, OTHER_TALK)

        review(as_alice, reviewed)

        assert (score(as_alice, reviewed), detail(as_alice, reviewed)["review"]["revision"]) == (100, 2)


class TestImports:
    LINE = {
        "file_name": "c1.wav",
        "call_datetime": "2026-03-02T10:00:00+00:00",
        "uploaded_at": "2026-03-02T12:00:00+00:00",
        "analyzed_at": "2026-03-02T12:10:00+00:00",
        "copc": {
            "criterion_scores": [
                {"criterion_id": "a", "name": "A", "section": "S", "score": 2, "max_points": 2},
                {"criterion_id": "b", "name": "B", "section": "S", "score": 1, "max_points": 2},
            ]
        },
    }

    @pytest.fixture
    def project(self, bob):
        return create_project(bob, "Imported")

    def bring(self, project, **changes):
        line = json.dumps(self.LINE | changes).encode()
        result = import_calls(project, io.BytesIO(line), by=project.owner)
        assert result.errors == []
        return result

    def review(self, client):
        answers = [{"criterion_id": "a", "answer": "not_met"}, {"criterion_id": "b", "answer": "met"}]
        answer = review(client, Call.objects.get(file_name="c1.wav").pk, criteria=answers)
        assert answer.status_code == 201, answer.content
        return Call.objects.get(file_name="c1.wav").pk

    def test_repeated_changes_nothing(self, as_bob, project):
        self.bring(project)
        call = self.review(as_bob)

        assert self.bring(project).unchanged == 1
        assert score(as_bob, call) == 50
        assert set(sources(as_bob, call).values()) == {"person"}

    def test_of_other_results_outdate_the_review(self, as_bob, project):
        self.bring(project)
        call = self.review(as_bob)
        scores = [{**row, "score": 2} for row in self.LINE["copc"]["criterion_scores"]]

        self.bring(project, copc={"criterion_scores": scores}, analyzed_at="2026-03-03T12:10:00+00:00")

        assert (score(as_bob, call), detail(as_bob, call)["review_outdated"]) == (100, True)

    def test_of_an_export_gives_the_same_report(self, as_bob, bob, project):
        self.bring(project)
        self.review(as_bob)
        before = as_bob.get(f"/calls/api/report/?project_id={project.pk}").json()
        other = create_project(bob, "Other")

        result = import_calls(other, io.BytesIO(b"\n".join(export_lines(project))), by=bob)

        assert result.errors == []
        after = as_bob.get(f"/calls/api/report/?project_id={other.pk}").json()
        for name in ("headline", "scorecard", "trend"):
            assert after[name] == before[name], name


class TestRemoval:
    def test_of_the_transcript_leaves_points_without_words(self, as_alice, project, call_id):
        criteria = list_answers(**WRONG)
        criteria[0] |= {"quote": "this is Ana speaking", "comment": "canary"}
        review(as_alice, call_id, criteria=criteria)
        file = UploadedFile.objects.get()

        retention._remove_transcripts([file.pk], file.created_at)

        shown = str(detail(as_alice, call_id))
        assert "canary" not in shown
        assert "speaking" not in shown
        assert score(as_alice, call_id) == 50
        TestTheSetting().change(as_alice, project, "machine")
        TestTheSetting().change(as_alice, project, "final")
        assert (score(as_alice, call_id), "canary" in str(detail(as_alice, call_id))) == (50, False)

    def test_of_the_results_takes_everything(self, as_alice, project, call_id):
        review(as_alice, call_id, criteria=list_answers(**WRONG))

        retention._remove_results(project, [UploadedFile.objects.get().pk], timezone.now())

        assert CallAnalysis.objects.filter(machine_copc__isnull=False).count() == 0
        assert report(as_alice)["headline"]["total_calls"] == 0
        assert find_discrepancies() == []

    def test_of_the_call_leaves_no_figure(self, as_alice, call_id):
        review(as_alice, call_id, criteria=list_answers(**WRONG))

        removal.erase_call(Call.objects.get(pk=call_id))

        assert report(as_alice)["reviews"]["reviewed_calls"] == 0
        assert find_discrepancies() == []
