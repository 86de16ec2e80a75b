"""What people decided, in lines of an import: what is refused, added, brought up to date, and kept."""

import datetime as dt
import io
import json

import pytest

from callscope.accounts.models import User
from callscope.calls.models import AgentUser, Call
from callscope.pipeline.transfer.decision_lines import check_decisions
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.pipeline.transfer.result_validation import InvalidLine
from callscope.projects.services import configure_project
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.models import Appeal, Review

MADE, LATER, LATEST = (f"2026-03-0{day}T10:00:00+00:00" for day in (3, 4, 5))
SCORE = {"criterion_id": "a", "name": "A", "section": "S", "score": 2, "max_points": 2}
CRITERION = {"criterion_id": "a", "name": "A", "section": "S", "max_points": 2, "machine_answer": "met"}
REVIEW = {
    "revision": 1,
    "reviewer": "alice@example.com",
    "created_at": MADE,
    "submitted_at": MADE,
    "criteria": [{**CRITERION, "answer": "not_met", "comment": "Not said."}],
}
APPEAL = {
    "criterion_id": "a",
    "reason": "I said it.",
    "appellant": "carol@example.com",
    "created_at": LATER,
    "judged_at": MADE,
    "review": 1,
}
LINE = {
    "file_name": "c1.wav",
    "call_datetime": "2026-03-02T10:00:00+00:00",
    "uploaded_at": "2026-03-02T12:00:00+00:00",
    "analyzed_at": "2026-03-02T12:10:00+00:00",
    "agent_name": "Ana Ruiz",
    "copc": {"criterion_scores": [SCORE]},
}


def bring(project, **fields):
    result = import_calls(project, io.BytesIO(json.dumps(LINE | fields).encode()), by=project.owner)
    assert result.errors == []
    assert find_discrepancies() == []
    return result


def score():
    return Call.objects.get().analyses.get(is_live=True).copc["score_percentage"]


class TestALine:
    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"revision": 0}, "revision is 0; allowed: a revision, "),
            ({"state": "done"}, 'state is "done"; allowed: draft, submitted'),
            ({"created_at": None}, "created_at is missing"),
            ({"submitted_at": ""}, "submitted_at is missing"),
            ({"state": "withdrawn"}, "withdrawn_at is missing"),
            ({"reviewer": "alice"}, 'reviewer is "alice"; allowed: an e-mail'),
            ({"criteria": []}, "criteria is missing or empty"),
            ({"criteria": [CRITERION] * 2}, "criteria holds one criterion_id twice"),
            (
                {"criteria": [{**CRITERION, "answer": "yes"}]},
                'criteria[0].answer is "yes"; allowed: met, partly, not_met, not_applicable',
            ),
            (
                {"criteria": [{**CRITERION, "max_points": 0}]},
                "criteria[0].max_points is 0; allowed: a number",
            ),
            ({"acknowledgements": [{"at": MADE}]}, "acknowledgements[0].user is"),
        ],
    )
    def test_with_a_review_that_cannot_stand_is_refused(self, changes, reason):
        with pytest.raises(InvalidLine) as refused:
            check_decisions({"reviews": [REVIEW | changes]}, dt.UTC)

        assert refused.value.reason.startswith(f"reviews[0].{reason}"), refused.value.reason

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"reviews": {}}, "reviews is an object; allowed: a list"),
            ({"reviews": [7]}, "reviews[0] is 7; allowed: an object"),
            ({"reviews": [REVIEW, {**REVIEW, "revision": 2}]}, "two reviews have the same created_at"),
            ({"appeals": [{**APPEAL, "state": "accepted"}]}, "appeals[0].decided_at belongs to an appeal"),
            ({"appeals": [{**APPEAL, "criterion_id": " "}]}, "appeals[0].criterion_id is missing or blank"),
            ({"agent_users": ["carol@example.com"]}, "agent_users needs agent_id or agent_name"),
            ({"agent_users": [""], "agent_id": "7"}, 'agent_users is ""; allowed: an e-mail'),
        ],
    )
    def test_that_cannot_stand_is_refused(self, fields, reason):
        with pytest.raises(InvalidLine) as refused:
            check_decisions(fields, dt.UTC)

        assert refused.value.reason.startswith(reason), refused.value.reason

    def test_without_decisions_has_none(self):
        assert check_decisions({"file_name": "a", "reviews": [], "appeals": None}, dt.UTC) is None

    def test_allows_what_was_answered(self):
        decisions = check_decisions({"reviews": [REVIEW]}, dt.UTC)

        (criterion,) = decisions.reviews[0]["criteria"]
        assert criterion["allowed"] == ["met", "not_met"]


@pytest.mark.django_db
@pytest.mark.one_database
class TestAnImport:
    def test_of_a_review_lets_it_count(self, project, alice):
        result = bring(project, reviews=[REVIEW])

        review = Review.objects.get()
        assert (result.reviews, result.unknown_users, score()) == (1, [], 0)
        assert (review.reviewer, review.is_current, review.is_corrected) == (alice, True, True)
        assert Call.objects.get().analyses.get().machine_copc["score_percentage"] == 100

    def test_leaves_the_result_to_the_machine_where_the_project_does(self, project):
        configure_project(project, {**project.config, "reviews": {"counts": "machine"}}, project.owner)

        bring(project, reviews=[REVIEW], machine_copc=LINE["copc"],
              copc={"criterion_scores": [{**SCORE, "score": 0, "source": "person"}]})  # fmt: skip

        assert (score(), Review.objects.get().is_current) == (100, True)

    def test_follows_a_withdrawal_and_a_later_revision(self, project):
        bring(project, reviews=[REVIEW])
        withdrawn = {**REVIEW, "state": "withdrawn", "withdrawn_at": LATER}

        assert bring(project, reviews=[withdrawn]).unchanged == 0
        assert (score(), Review.objects.filter(is_current=True).count()) == (100, 0)
        again = {**REVIEW, "revision": 2, "created_at": LATEST, "submitted_at": LATEST}
        bring(project, reviews=[withdrawn, again])
        assert (score(), Review.objects.get(is_current=True).revision) == (0, 2)
        assert bring(project, reviews=[REVIEW]).unchanged == 1  # an older export takes nothing back
        assert Review.objects.get(revision=1).state == "withdrawn"

    def test_keeps_reviews_that_were_made_here(self, project):
        bring(project, reviews=[REVIEW])
        other = {
            **REVIEW,
            "created_at": LATER,
            "submitted_at": LATER,
            "criteria": [{**CRITERION, "answer": "met"}],
        }

        bring(project, reviews=[other])

        assert [(r.revision, r.is_current) for r in Review.objects.order_by("revision")] == [
            (1, False),
            (2, True),
        ]
        assert score() == 100

    def test_names_people_once_they_have_an_account(self, project):
        someone = {**REVIEW, "reviewer": "Ben@Example.com "}
        assert bring(project, reviews=[someone]).unknown_users == ["ben@example.com"]
        assert (Review.objects.get().reviewer, score()) == (None, 0)
        ben = User.objects.create_user("ben@example.com", "secret words")

        assert bring(project, reviews=[someone]).reviews == 0
        assert Review.objects.get().reviewer == ben

    def test_of_an_appeal_keeps_what_it_is_about_and_follows_its_decision(self, project, carol):
        bring(project, reviews=[REVIEW], appeals=[APPEAL])
        assert Appeal.objects.get().review == Review.objects.get()
        second = {**REVIEW, "revision": 2, "created_at": LATEST, "submitted_at": LATEST}
        second["criteria"] = [{**CRITERION, "answer": "met"}]
        accepted = {**APPEAL, "state": "accepted", "decided_at": LATEST, "new_answer": "met", "new_review": 2}

        result = bring(project, reviews=[REVIEW, second], appeals=[accepted])

        appeal = Appeal.objects.get()
        assert (result.appeals, appeal.state, appeal.new_review.revision) == (0, "accepted", 2)
        assert (appeal.appellant, score()) == (carol, 100)

    def test_of_an_appeal_follows_its_withdrawal(self, project):
        bring(project, appeals=[APPEAL])

        bring(project, appeals=[{**APPEAL, "state": "withdrawn", "decided_at": LATER}])

        stored = Appeal.objects.get()
        assert (stored.state, stored.decided_by) == ("withdrawn", None)

    def test_links_the_users_of_an_agent_once(self, project):
        bring(project, agent_users=["carol@example.com"])
        assert bring(project, agent_users=["carol@example.com"]).unchanged == 1

        link = AgentUser.objects.get()
        assert (link.email, link.agent.name) == ("carol@example.com", "Ana Ruiz")

    def test_of_other_results_outdates_what_is_marked_so(self, project):
        bring(project, reviews=[{**REVIEW, "outdated_criteria": ["a"]}])

        assert (Review.objects.get().is_outdated, score()) == (True, 100)

    def test_redacts_what_people_wrote_and_keeps_their_names(self, project, alice):
        configure_project(project, {**project.config, "redact": ["cards", "emails"]}, alice)
        row = {**CRITERION, "answer": "met", "comment": "The card 4111 1111 1111 1111 was read out."}

        bring(project, reviews=[{**REVIEW, "criteria": [row]}], agent_users=["carol@example.com"])

        review = Review.objects.get()
        assert "4111" not in review.answers.get().comment
        assert (review.reviewer, AgentUser.objects.get().email) == (alice, "carol@example.com")

    def test_exports_an_agents_users_in_one_line_alone(self, project):
        bring(project, agent_users=["carol@example.com"])
        bring(project, file_name="c2.wav")

        lines = [json.loads(line) for line in export_lines(project)]
        assert [line.get("agent_users") for line in lines] == [["carol@example.com"], None]
