"""What a replay compares a draft with: one version of the settings, whichever version judged a call."""

import copy

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import ReplayedCall, UsageEntry
from callscope.pipeline.rubric_changes.replays import drafts
from callscope.pipeline.rubric_changes.replays.progress import read_progress
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import RUBRIC, TALK, configure
from tests.pipeline.rubric_changes.conftest import bring

pytestmark = pytest.mark.django_db


def settings_of(phrase, **others):
    document = copy.deepcopy(RUBRIC)
    document["rubric"]["sections"][0]["criteria"][0]["rule"]["any_of"] = [phrase]
    return {**document, **others}


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's call project with three calls, judged by its first version."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = configure(Project.objects.create(name="Service line", owner=alice), RUBRIC)
        return bring(project, TALK, TALK, TALK)


@pytest.fixture
def analyzed(made, db):
    return copy.deepcopy(made)


def run_replay(project, document, **options):
    replay = drafts.request_replay(project, document, by=project.owner, **options)
    run_due_jobs()
    replay.refresh_from_db()
    return read_progress(replay)


class TestWhereRulesJudge:
    @pytest.fixture
    def changed(self, analyzed):
        """The second version finds the greeting in no call; the stored results are of the first."""
        configure_project(analyzed, settings_of("buenos días"))
        return analyzed

    def test_a_draft_that_changes_nothing_changes_no_call(self, changed):
        found = run_replay(changed, changed.config)

        assert found.change == {"calls": 3, "average": 0.0, "low": 0.0, "high": 0.0}
        assert (found.before, found.most_changed) == (found.after, [])
        assert (found.before["average_score"], found.baseline) == (0.0, {"judged_again": 3})
        answers = ReplayedCall.objects.values_list("answers", flat=True)
        assert all(each["before"] == each["after"] for each in answers)

    def test_a_draft_shows_its_own_change_alone(self, changed):
        found = run_replay(changed, settings_of("how can I help"))

        assert (found.before["average_score"], found.after["average_score"]) == (0.0, 100.0)
        assert (found.change["average"], found.critical_gained, found.critical_lost) == (100.0, 0, 0)

    def test_settings_saved_while_it_runs_leave_what_it_is_compared_with(self, changed):
        replay = drafts.request_replay(changed, changed.config, by=changed.owner)
        configure_project(changed, settings_of("how can I help"))
        run_due_jobs()

        replay.refresh_from_db()
        assert read_progress(replay).change["average"] == 0.0

    def test_results_that_were_imported_or_a_model_gave_are_judged_again(self, analyzed):
        live = CallAnalysis.objects.filter(project=analyzed, is_live=True).order_by("pk")
        copc = {**live[0].copc, "score_percentage": 12.0}
        CallAnalysis.objects.filter(pk=live[0].pk).update(copc=copc, config_version=None)
        CallAnalysis.objects.filter(pk=live[1].pk).update(copc=copc)

        found = run_replay(analyzed, analyzed.config)

        assert (found.change["average"], found.before["average_score"]) == (0.0, 100.0)

    def test_is_free(self, changed):
        plan = drafts.plan_replay(changed, changed.config)

        assert (plan.estimate["calls"], plan.estimate["judgments"], plan.estimate["requests"]) == (3, 6, 0)
        assert plan.estimate["cost_micros"] == 0


class TestWhereALanguageModelJudges:
    def test_calls_of_this_version_are_not_judged_again(self, analyzed, model):
        plan = drafts.plan_replay(analyzed, settings_of("how can I help"))
        assert (plan.estimate["judgments"], plan.estimate["requests"]) == (3, 3)

        found = run_replay(analyzed, settings_of("how can I help"))

        assert (len(model.prompts), found.baseline) == (3, {"judged_again": 0})

    def test_calls_of_other_versions_are_estimated_and_paid_for(self, analyzed, model):
        configure_project(analyzed, settings_of("buenos días"))
        newest = CallAnalysis.objects.filter(project=analyzed, is_live=True).latest("pk")
        CallAnalysis.objects.filter(pk=newest.pk).update(config_version=analyzed.config_version)
        model.decide = lambda transcript, number: "not_met"
        plan = drafts.plan_replay(analyzed, analyzed.config)
        assert (plan.estimate["calls"], plan.estimate["judgments"], plan.estimate["requests"]) == (3, 5, 5)

        found = run_replay(analyzed, analyzed.config)

        assert (len(model.prompts), found.baseline) == (5, {"judged_again": 2})
        assert UsageEntry.objects.filter(kind=UsageEntry.Kind.TRIAL).count() == 5
        # The call of this version has its stored answer, the others what the model says by it.
        assert [row["before"] for row in found.most_changed] == [100.0]

    def test_versions_that_differ_in_nothing_that_is_judged_are_alike(self, analyzed, model):
        configure_project(analyzed, {**analyzed.config, "targets": {"average_score": 80}})

        found = run_replay(analyzed, analyzed.config)

        assert (analyzed.config_version, len(model.prompts), found.baseline) == (2, 3, {"judged_again": 0})

    def test_of_a_private_project_no_word_goes_out(self, analyzed, model):
        configure_project(analyzed, settings_of("buenos días", private_transcription=True))

        found = run_replay(analyzed, {**analyzed.config, "private_transcription": False})

        # A private project without a model of its own: the rules judge, and no word goes out.
        assert (model.prompts, found.change["average"], found.baseline) == ([], 0.0, {"judged_again": 3})
