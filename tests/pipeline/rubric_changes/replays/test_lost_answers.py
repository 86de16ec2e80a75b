"""The answers of people that are said to be lost are those that are, once calls are scored again."""

import copy
import datetime as dt

import pytest

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.rubric_changes.replays import drafts
from callscope.pipeline.rubric_changes.replays.lost_answers import LosingCriterion, count_lost_answers
from callscope.pipeline.rubric_changes.replays.publishing import publish_draft
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import RUBRIC, TALK, configure
from tests.pipeline.rubric_changes.conftest import bring

pytestmark = pytest.mark.django_db

NOTHING = (0, 0, [])


def settings_of(*, greeting=None, sorry=None, **others):
    """Return settings with a greeting and an apology, each with these other values; {}: as they were."""
    document = copy.deepcopy(RUBRIC)
    [section] = document["rubric"]["sections"]
    [first] = section["criteria"]
    second = {"id": "sorry", "name": "Is sorry", "max_points": 30, "rule": {"any_of": ["I am sorry"]}}
    found = [{**first, **(greeting or {})}, {**second, **(sorry or {})}]
    section["criteria"] = [each for each in found if not each.pop("is_gone", False)]
    return {**document, **others}


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's project: four calls judged by its first version, of which she has reviewed the last three.

    In the very last she says nothing of the apology.
    """
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = configure(Project.objects.create(name="Service line", owner=alice), settings_of())
        bring(project, TALK, TALK, TALK, TALK)
        both = [GivenAnswer("greeting", "met"), GivenAnswer("sorry", "not_met")]
        for call, given in zip(list_calls(project)[1:], [both, both, both[:1]], strict=True):
            create_review(call.pk, GivenReview(given, submits=True, is_partial=given != both), alice)
        return Project.objects.get(pk=project.pk)


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made)


def list_calls(project):
    return list(Call.objects.filter(project=project).order_by("pk"))


def replay_of(project, document, *, sample=1):
    replay = drafts.request_replay(project, document, by=project.owner, sample=sample)
    run_due_jobs()
    replay.refresh_from_db()
    return replay


def count(replay, window=ALL_TIME):
    found = count_lost_answers(replay, replay.project, window)
    return found.answers, found.calls, found.criteria


class TestLostAnswers:
    @pytest.mark.parametrize(
        ("document", "expected"),
        [
            (settings_of(greeting={"max_points": 5}), NOTHING),
            (settings_of(greeting={"guideline": "At once."}), (3, 3, [LosingCriterion("Greets", 3)])),
            (settings_of(sorry={"name": "Regrets it"}), (2, 2, [LosingCriterion("Regrets it", 2)])),
            (settings_of(sorry={"is_gone": True}), (2, 2, [LosingCriterion("Is sorry", 2)])),
            (
                settings_of(greeting={"critical": True}, sorry={"partial_credit": True}),
                (5, 3, [LosingCriterion("Greets", 3), LosingCriterion("Is sorry", 2)]),
            ),
            (
                {"rubric": {"sections": []}},
                (5, 3, [LosingCriterion("Greets", 3), LosingCriterion("Is sorry", 2)]),
            ),
        ],
        ids=["points", "guideline", "name", "gone", "both", "no rubric"],
    )
    def test_are_those_of_all_calls_that_are_scored_again(self, project, document, expected):
        replay = replay_of(project, document)

        found = count(replay)

        assert found == expected
        publish_draft(replay, by=project.owner, rescore=ALL_TIME)
        run_due_jobs()
        outdated = Review.objects.filter(is_current=True).values_list("outdated_criteria", flat=True)
        assert sum(len(each) for each in outdated) == found[0]

    def test_include_what_an_earlier_version_changed(self, project):
        changed = {"guideline": "At once."}
        configure_project(project, settings_of(greeting=changed))

        found = count(replay_of(project, settings_of(greeting=changed, sorry={"max_points": 5})))

        assert found == (3, 3, [LosingCriterion("Greets", 3)])

    def test_leave_out_what_counts_no_more_already(self, project):
        configure_project(project, settings_of(sorry={"is_gone": True}))
        replay = replay_of(project, settings_of(sorry={"is_gone": True}, greeting={"guideline": "At once."}))
        assert count(replay)[0] == 5
        Review.objects.filter(call=list_calls(project)[-2]).update(outdated_criteria=["sorry"])

        assert count(replay)[0] == 4

    def test_leave_out_drafts_and_withdrawn_reviews(self, project):
        replay = replay_of(project, settings_of(greeting={"guideline": "At once."}))
        first, second, *_ = list_calls(project)
        given = [GivenAnswer("greeting", "met")]
        create_review(first.pk, GivenReview(given, blind=True, submits=False), project.owner)
        assert count(replay)[0] == 3
        second.reviews.update(is_current=False, state=Review.State.WITHDRAWN)

        assert count(replay)[0] == 2

    def test_leave_out_calls_that_are_not_scored_again(self, project):
        replay = replay_of(project, settings_of(greeting={"guideline": "At once."}))
        *_, third, fourth = list_calls(project)
        Transcript.objects.filter(file__call=third).delete()
        assert count(replay)[0] == 2
        Call.objects.filter(pk=fourth.pk).update(call_datetime=dt.datetime(2030, 5, 2, tzinfo=dt.UTC))

        assert count(replay, Window(dt.date(2030, 5, 1), None)) == (1, 1, [LosingCriterion("Greets", 1)])

    @pytest.mark.parametrize("today", ["machine", "final"])
    def test_are_none_where_the_machine_counts(self, project, today):
        configure_project(project, settings_of(reviews={"counts": today}))
        draft = settings_of(greeting={"guideline": "At once."}, reviews={"counts": "machine"})

        assert count(replay_of(project, draft)) == NOTHING

    def test_ask_a_fixed_number_of_queries(self, project, django_assert_max_num_queries):
        replay = replay_of(project, settings_of(greeting={"guideline": "At once."}))

        with django_assert_max_num_queries(4):
            count(replay)
