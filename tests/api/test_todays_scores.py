"""What people would score once the rule or the criteria changed: people and machine by the same ones."""

import importlib
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from callscope.interfaces.web.templatetags.formatting import number
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.models import CallFact, ReviewedCall
from callscope.reports.overview.loader import count_scored_by_people
from callscope.reports.overview.origin.sentences import explain_no_estimate
from callscope.reports.overview.people.sentences import describe_people
from callscope.reports.overview.report import build_report
from callscope.reports.window import Window
from callscope.reviews.models import Review
from tests.api.review_samples import RUBRIC, change_rubric, list_answers, review, upload_judged

pytestmark = pytest.mark.django_db

NAMES = ["a.srt", "b.srt"]
FLAG = {"rubric": {**RUBRIC["rubric"], "on_critical_error": "flag"}}
ADDED = {"id": "thanks", "name": "Thanks", "max_points": 10, "rule": {"any_of": ["thank you"]}}


def configure(project, changes):
    project = Project.objects.get(pk=project.pk)
    configure_project(project, {**project.config, **changes}, project.owner)


def score_all_again(client, project, changes):
    configure(project, changes)
    return [upload_judged(client, project, name=name) for name in NAMES]


def read_reviews(client, project):
    found = client.get("/calls/api/report/", {"project_id": project.pk}).json()["reviews"]
    return found["sampled_calls"], found["sampled_score"], found["sampled_machine_score"]


def describe(project):
    report = build_report([project], Window())
    return describe_people(report.reviews, number), explain_no_estimate(report, number)


@pytest.fixture
def drawn(as_alice, project, alice):
    """Two calls, drawn at random and reviewed while a critical error was only named."""
    configure(project, FLAG)
    calls = [upload_judged(as_alice, project, name=name) for name in NAMES]
    given = {"project_id": project.pk, "per_agent": 5, "reviewers": [alice.email]}
    sample = as_alice.post("/calls/api/review-samples/", given, format="json").json()
    assert {call["call_id"] for call in sample["calls"]} == set(calls)
    for call_id in calls:
        answer = review(as_alice, call_id, criteria=list_answers(identity="not_met"))
        assert answer.json()["score_percentage"] == 50
    return calls


class TestAfterAnotherRule:
    def test_people_are_compared_with_the_machine_by_it(self, as_alice, project, drawn):
        assert read_reviews(as_alice, project) == (2, 50, 75)

        score_all_again(as_alice, project, RUBRIC)

        assert read_reviews(as_alice, project) == (2, 0, 75)
        details = [as_alice.get(f"/calls/api/calls/{pk}/").json()["record"] for pk in drawn]
        assert {each["score_percentage"] for each in details} == {0}

    def test_they_are_also_where_the_machine_counts(self, as_alice, project, drawn):
        score_all_again(as_alice, project, {**RUBRIC, "reviews": {"counts": "machine"}})

        assert read_reviews(as_alice, project) == (2, 0, 75)

    def test_unreliable_calls_stay_scored_by_people_alone(self, as_alice, project, drawn):
        score_all_again(as_alice, project, RUBRIC)
        CallFact.objects.update(half_heard=True)

        assert count_scored_by_people([project.pk], Window(), None) == 2

    def test_each_review_keeps_the_score_that_it_was_given(self, as_alice, project, drawn):
        score_all_again(as_alice, project, RUBRIC)

        [kept] = as_alice.get(f"/calls/api/{drawn[0]}/reviews/").json()["results"]
        assert kept["score_percentage"] == 50

    def test_an_older_store_is_scored_again_by_the_migration(self, as_alice, project, drawn):
        score_all_again(as_alice, project, RUBRIC)
        ReviewedCall.objects.update(score_bp=5000)
        name = "callscope.reports.migrations.0020_reviews_by_the_rule_of_today"

        importlib.import_module(name).score_reviews(apps, SimpleNamespace(connection=connection))

        assert set(ReviewedCall.objects.values_list("score_bp", flat=True)) == {0}


class TestAfterOtherCriteria:
    @pytest.mark.parametrize(
        "changes",
        [
            change_rubric(guideline="The agent greets by name."),
            {"rubric": {"sections": [*RUBRIC["rubric"]["sections"], {"name": "End", "criteria": [ADDED]}]}},
        ],
        ids=["changed", "added"],
    )
    def test_reviews_that_do_not_fit_are_left_out_and_counted(self, as_alice, project, drawn, changes):
        assert describe(project)[0] == ""
        assert "only 2 calls drawn at random were reviewed" in describe(project)[1]

        score_all_again(as_alice, project, changes)

        assert read_reviews(as_alice, project) == (0, None, None)
        assert describe(project) == (
            "What people would score is not estimated: 2 reviewed calls no longer count for it, since their "
            "criteria or transcripts have changed.",
            "",
        )

    def test_the_call_is_in_again_once_it_is_reviewed_by_them(self, as_alice, project, drawn):
        score_all_again(as_alice, project, change_rubric(guideline="The agent greets by name."))

        review(as_alice, drawn[0])

        assert read_reviews(as_alice, project) == (1, 100, 75)
        assert "is not estimated: 1 reviewed call no longer counts for it" in describe(project)[0]

    def test_a_removed_criterion_leaves_the_others_of_the_review(self, as_alice, project, drawn):
        sections = RUBRIC["rubric"]["sections"][:1]

        score_all_again(as_alice, project, {"rubric": {**FLAG["rubric"], "sections": sections}})

        assert Review.objects.filter(outdated_criteria=["offer"]).count() == 2
        assert read_reviews(as_alice, project) == (2, 33.33, 100)
