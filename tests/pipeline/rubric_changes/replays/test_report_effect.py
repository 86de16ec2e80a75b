"""What is said beforehand of the average of the report is what it is after calls are scored again."""

import copy
import datetime as dt

import pytest
from django.utils import timezone

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.models import ReplayedCall
from callscope.pipeline.rubric_changes.replays import drafts
from callscope.pipeline.rubric_changes.replays.publishing import publish_draft
from callscope.pipeline.rubric_changes.replays.report_effect import (
    Average,
    Move,
    count_stored,
    expect_scores,
)
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.overview.report import build_report
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.criteria import describe_criterion
from callscope.reviews.models import HeldCriteria
from callscope.reviews.revisions import GivenReview
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import RUBRIC, TALK, configure
from tests.pipeline.rubric_changes.conftest import bring

pytestmark = pytest.mark.django_db

CURT = [("Agent", "What is it?"), *TALK[1:]]


def settings_of(phrase="good morning", *, sorry=30, guideline="", **others):
    """Return settings that look for a greeting, and for an apology if it has points."""
    document = copy.deepcopy(RUBRIC)
    criteria = document["rubric"]["sections"][0]["criteria"]
    criteria[0]["rule"]["any_of"] = [phrase]
    criteria[0]["guideline"] = guideline
    if sorry:
        rule = {"speaker": "agent", "any_of": ["I am sorry"]}
        criteria.append({"id": "sorry", "name": "Is sorry", "max_points": sorry, "rule": rule})
    return {**document, **others}


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's call project: four calls judged by version 1, which found a greeting in three of them.

    Version 2 finds it in none, and nothing was scored again. Alice has heard one in the last call.
    """
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = configure(Project.objects.create(name="Service line", owner=alice), RUBRIC)
        project = bring(project, TALK, TALK, TALK, CURT)
        call = Call.objects.filter(project=project).latest("pk")
        create_review(call.pk, GivenReview([GivenAnswer("greeting", "met")], submits=True), alice)
        configure_project(project, settings_of("buenos días", sorry=0))
        return project


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made)


def replay_of(project, document, **options):
    replay = drafts.request_replay(project, document, by=project.owner, **options)
    run_due_jobs()
    replay.refresh_from_db()
    return replay


def read_average(project):
    headline = build_report([project], ALL_TIME).headline
    return Average(headline.scored_calls, headline.average_score)


def publish(replay):
    publish_draft(replay, by=replay.created_by, rescore=ALL_TIME)
    run_due_jobs()


class TestExpectation:
    def test_tells_what_versions_change_from_what_the_draft_changes(self, project):
        replay = replay_of(project, settings_of("hola", sorry=0))

        found = expect_scores(replay, project)

        assert found.today == read_average(project) == Average(4, 100.0)
        assert found.unchanged == found.draft == Average(4, 25.0)  # a person heard the greeting of one
        assert (found.change, found.change_by_draft, found.by_people, found.is_few) == (-75.0, 0.0, 1, True)
        publish(replay)
        assert read_average(project) == found.draft

    @pytest.mark.parametrize(
        ("document", "expected", "by_people"),
        [
            (settings_of("buenos días"), 81.25, 1),
            (settings_of("buenos días", guideline="By name."), 75.0, 0),  # it asks something else
            (settings_of("buenos días", reviews={"counts": "machine"}), 75.0, 0),
            ({"rubric": {"sections": []}}, None, 0),
        ],
        ids=["fits", "another criterion", "the machine counts", "no rubric"],
    )
    def test_is_what_the_report_shows_afterwards(self, project, document, expected, by_people):
        replay = replay_of(project, document)

        found = expect_scores(replay, project)

        assert (found.draft.score, found.by_people) == (expected, by_people)
        publish(replay)
        assert read_average(project) == found.draft

    def test_leaves_out_what_waits_for_a_person(self, project):
        project.refresh_from_db()
        waits = settings_of("buenos días", reviews={"weak_criteria": "ask_a_person"})
        replay = replay_of(project, waits)
        config = project.configuration
        [(section, criterion)] = config.rubric.criteria()
        held = {**describe_criterion(section, criterion), "n": 30, "kappa": 0.1, "kappa_high": 0.3}
        HeldCriteria.objects.create(
            project=project, criteria=[held], measured_at=timezone.now(), measured_of="x"
        )

        found = expect_scores(replay, project)

        assert found.draft == Average(4, 100.0)  # the apology alone, and the greeting that a person heard
        publish(replay)
        assert read_average(project) == found.draft

    def test_counts_no_answer_to_other_words(self, project):
        call = Call.objects.filter(project=project).latest("pk")
        create_review(call.pk, GivenReview([GivenAnswer("greeting", "met")], submits=True), project.owner)
        replay = replay_of(project, settings_of("buenos días"))
        call.reviews.update(is_outdated=True)
        assert expect_scores(replay, project).by_people == 1

        call.reviews.update(transcript_digest="of other words")

        assert expect_scores(replay, project).by_people == 0

    def test_is_of_the_calls_that_are_scored_again(self, project):
        first, second, *_ = Call.objects.filter(project=project).order_by("pk")
        replay = replay_of(project, settings_of("hola", sorry=0))
        Transcript.objects.filter(file__call=first).delete()
        assert expect_scores(replay, project).calls == 3
        day = dt.date(2030, 5, 1)
        Call.objects.filter(pk=second.pk).update(call_datetime=dt.datetime(2030, 5, 2, tzinfo=dt.UTC))

        found = expect_scores(replay, project, window=Window(day, None))

        assert (found.calls, found.today, found.draft) == (1, Average(1, 100.0), Average(1, 0.0))

    def test_of_few_calls_is_withheld_where_one_of_them_is_hidden(self, project):
        replay = replay_of(project, settings_of("hola", sorry=0))
        call = Call.objects.filter(project=project).latest("pk")

        assert expect_scores(replay, project, hidden={call.pk}).is_withheld
        assert not expect_scores(replay, project, hidden={call.pk + 1}).is_withheld

    def test_says_nothing_of_versions_where_a_replay_compared_any(self, project):
        replay = replay_of(project, settings_of("hola", sorry=0))
        for row in ReplayedCall.objects.filter(replay=replay):
            row.answers.pop("is_judged_again")
            row.save()

        found = expect_scores(replay, project)

        assert (found.unchanged, found.change_by_draft, found.change) == (None, None, -75.0)

    def test_asks_a_fixed_number_of_queries(self, project, django_assert_max_num_queries):
        replay = replay_of(project, settings_of("hola"))

        with django_assert_max_num_queries(5):
            expect_scores(replay, project)


class TestMove:
    def test_is_of_calls_that_have_a_score_today_and_afterwards(self, project):
        replay = replay_of(project, settings_of("hola", sorry=0))
        row = ReplayedCall.objects.filter(replay=replay).earliest("call")
        row.answers["after"]["score"] = None
        row.save()

        found = expect_scores(replay, project)

        assert (found.today.calls, found.draft.calls, found.move.calls) == (4, 3, 3)
        assert found.change == round(found.move.points, 2) == -66.67

    @pytest.mark.parametrize(
        ("pairs", "points", "low", "high"),
        [
            ([], None, None, None),
            ([(80.0, 70.0)], -10.0, None, None),
            ([(80.0, 70.0), (80.0, 70.0)], -10.0, -10.0, -10.0),
            ([(90.0, 70.0), (80.0, 70.0), (70.0, 70.0)], -10.0, -34.84, 14.84),
            ([(100.0, 0.0), (0.0, 100.0)], 0.0, -100.0, 100.0),
        ],
    )
    def test_has_the_interval_of_differences_within_calls(self, pairs, points, low, high):
        found = Move.of(pairs)

        assert found.calls == len(pairs)
        assert found.points == points
        assert [found.low, found.high] == (
            [low, high] if low is None else pytest.approx([low, high], abs=0.01)
        )


class TestStoredResults:
    def test_say_how_many_are_of_versions_that_judge_otherwise(self, project):
        configure_project(project, {**project.config, "targets": {"average_score": 90}})

        found = count_stored(project)

        assert found.report == read_average(project)
        assert (found.apart, found.versions, found.imported) == (4, [1], 0)

    def test_do_not_count_versions_that_judge_alike(self, project):
        configure_project(project, RUBRIC)  # version 3 is version 1 again

        assert (count_stored(project).apart, count_stored(project).versions) == (0, [])

    def test_count_imported_ones(self, project):
        Call.objects.filter(project=project).first().analyses.update(config_version=None)

        assert (count_stored(project).apart, count_stored(project).imported) == (4, 1)

    def test_are_of_a_window(self, project):
        assert count_stored(project, Window(dt.date(2030, 5, 1), None)).report == Average(0, None)
