"""Replays: what they come to, that no report sees them, and that they survive a worker that dies."""

import copy
import json

import pytest
from django.apps import apps
from django.utils import timezone

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import Job, Replay, ReplayedCall, Rescore
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.replays import drafts, portions, publishing, rescoring
from callscope.pipeline.rubric_changes.replays.progress import read_progress
from callscope.pipeline.rubric_changes.replays.quotes import load_changes
from callscope.pipeline.workers import stages, worker
from callscope.projects.models import ConfigVersion, Project
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.window import ALL_TIME, Window
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import RUBRIC, TALK, accept, configure, srt

pytestmark = pytest.mark.django_db

RUDE = [("Agent", "What do you want?"), *TALK[1:]]
#: All that a replay writes; every other table is as it was.
WRITTEN = {"Replay", "ReplayedCall", "Job", "AuditEvent", "AuditEventProject", "AuditHead", "UsageEntry"}


def draft(phrase="how can I help", *, critical=False):
    document = json.loads(json.dumps(RUBRIC))
    criterion = document["rubric"]["sections"][0]["criteria"][0]
    criterion["rule"]["any_of"] = [phrase]
    criterion["critical"] = critical
    return document


def read_tables():
    models = [m for m in apps.get_models() if m.__module__.startswith("callscope.") and m._meta.managed]
    return {
        model.__name__: list(model._base_manager.order_by("pk").values())
        for model in models
        if model.__name__ not in WRITTEN
    }


def read_report(project):
    return json.dumps(report_json(build_report([project], ALL_TIME)))


def run_next():
    job = worker.claim_and_start()
    stages.run_stage(job)
    job.refresh_from_db()
    return job


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's call project with four calls: three greet, one does not."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        judged = configure(Project.objects.create(name="Service line", owner=alice), RUBRIC)
        for lines in (TALK, TALK, TALK, RUDE):
            accept(judged, srt(lines))
        run_due_jobs()
        # It would become due some time.
        Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.QUEUED).delete()
        judged.refresh_from_db()
        return judged


@pytest.fixture
def analyzed(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def alice(analyzed):
    return analyzed.owner


class TestReplay:
    def test_compares_answers_before_and_after(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, draft("what do you want", critical=True), by=alice)
        assert read_progress(replay).state == "queued"

        run_due_jobs()

        replay.refresh_from_db()
        found = read_progress(replay)
        assert (found.state, found.calls, found.done) == ("completed", 4, 4)
        assert (found.before["average_score"], found.after["average_score"]) == (75.0, 25.0)
        assert found.before["low"] < 75.0 < found.before["high"]
        assert [b["calls"] for b in found.after["distribution"]] == [3, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        [criterion] = found.criteria
        assert (criterion["criterion_id"], criterion["changed"]) == ("greeting", 4)
        assert criterion["table"] == {"met": {"not_met": 3}, "not_met": {"met": 1}}
        assert criterion["kappa"] == pytest.approx(-0.6)
        assert (found.critical_gained, found.critical_lost) == (3, 0)
        assert [abs(row["after"] - row["before"]) for row in found.most_changed] == [100.0] * 4

    def test_shows_what_both_judgments_quote_without_keeping_it(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, draft("what do you want"), by=alice)
        run_due_jobs()
        replay.refresh_from_db()
        most_changed = [row["call_id"] for row in read_progress(replay).most_changed]

        changes = load_changes(replay, most_changed)

        assert sorted(
            (change.before, change.after, [q.text for q in change.before_quotes + change.after_quotes])
            for [change] in changes.values()
        ) == [
            ("met", "not_met", [TALK[0][1]]),
            ("met", "not_met", [TALK[0][1]]),
            ("met", "not_met", [TALK[0][1]]),
            ("not_met", "met", [RUDE[0][1]]),
        ]
        stored = json.dumps(list(ReplayedCall.objects.values_list("answers", flat=True)))
        assert "orning" not in stored + json.dumps(replay.outcome)
        Transcript.objects.all().delete()
        [change] = load_changes(replay, most_changed)[most_changed[0]]
        assert change.before_quotes + change.after_quotes == []

    def test_of_the_same_settings_changes_no_answer(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, analyzed.config, by=alice)
        run_due_jobs()

        replay.refresh_from_db()
        found = read_progress(replay)
        assert (found.before, [row["changed"] for row in found.criteria]) == (found.after, [0])
        assert found.most_changed == []

    def test_changes_nothing_that_a_report_counts(self, analyzed, alice):
        tables, report = read_tables(), read_report(analyzed)

        drafts.request_replay(analyzed, draft(critical=True), by=alice)
        run_due_jobs()

        assert read_tables() == tables
        assert read_report(analyzed) == report

    def test_works_in_portions_that_let_others_in_between(self, analyzed, alice, monkeypatch):
        monkeypatch.setattr(portions, "CALLS_AT_ONCE", 1)
        replay = drafts.request_replay(analyzed, draft(), by=alice)

        first = run_next()

        assert (first.kind, first.state) == (Job.Kind.REPLAY, Job.State.QUEUED)
        assert (read_progress(replay).state, read_progress(replay).done) == ("running", 1)
        file = accept(analyzed)
        ran = [run_next() for _ in range(2)]
        assert file.pk in [job.subject_id for job in ran if job.kind == Job.Kind.TRANSCRIBE]
        run_due_jobs()
        replay.refresh_from_db()
        assert (read_progress(replay).state, read_progress(replay).done) == ("completed", 4)

    def test_goes_on_after_a_worker_that_died(self, analyzed, alice, monkeypatch):
        monkeypatch.setattr(portions, "CALLS_AT_ONCE", 2)
        replay = drafts.request_replay(analyzed, draft(), by=alice)
        run_next()
        lost = worker.claim_and_start()  # and its process is killed
        jobs.requeue_interrupted(lost)

        stages.run_stage(lost)  # had it lived on, it would write nothing

        assert ReplayedCall.objects.filter(replay=replay, answers__isnull=False).count() == 2
        run_due_jobs()
        replay.refresh_from_db()
        assert (read_progress(replay).state, read_progress(replay).done) == ("completed", 4)

    def test_says_that_it_failed(self, analyzed, alice, monkeypatch):
        from callscope.analysis import analyze
        from callscope.engines.errors import EngineRejected

        def refuse(*_args, **_kwargs):
            raise EngineRejected("No such model.")

        monkeypatch.setattr(analyze, "analyze", refuse)
        replay = drafts.request_replay(analyzed, draft(), by=alice)

        run_due_jobs()

        assert read_progress(replay).state == "failed"

    def test_draws_a_sample_or_takes_a_window(self, analyzed, alice):
        today = timezone.localdate()

        sample = drafts.request_replay(analyzed, draft(), by=alice, sample=2)
        window = drafts.request_replay(analyzed, draft(), by=alice, window=Window(today, today))
        past = Window(end=today.replace(year=2000, day=1))
        nothing = drafts.request_replay(analyzed, draft(), by=alice, window=past)
        run_due_jobs()

        for replay, calls in ((sample, 2), (window, 4), (nothing, 0)):
            replay.refresh_from_db()
            assert (read_progress(replay).state, read_progress(replay).calls) == ("completed", calls)

    def test_refuses_a_window_of_too_many_calls(self, analyzed, alice, monkeypatch):
        monkeypatch.setattr(drafts, "MOST_CALLS", 3)

        with pytest.raises(drafts.InvalidReplay):
            drafts.request_replay(analyzed, draft(), by=alice, window=Window(timezone.localdate()))

    def test_forgets_calls_that_are_erased(self, analyzed, alice):
        from callscope.pipeline.erasure import removal

        replay = drafts.request_replay(analyzed, draft("what do you want"), by=alice)
        run_due_jobs()
        gone = CallAnalysis.objects.filter(project=analyzed).latest("pk").call

        removal.erase_call(gone)

        replay.refresh_from_db()
        assert gone.pk not in [row["call_id"] for row in read_progress(replay).most_changed]
        assert not ReplayedCall.objects.filter(call=gone.pk).exists()


class TestPublishing:
    def test_saves_the_draft_and_leaves_history(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, draft("what do you want"), by=alice)
        run_due_jobs()
        replay.refresh_from_db()
        report = read_report(analyzed)

        published = publishing.publish_draft(replay, by=alice, rescore=None)
        run_due_jobs()

        analyzed.refresh_from_db()
        assert (published.version, published.rescore) == (analyzed.config_version, None)
        assert ConfigVersion.objects.filter(project=analyzed, number=published.version).exists()
        assert json.loads(read_report(analyzed))["headline"] == json.loads(report)["headline"]

    def test_scores_history_again(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, draft("what do you want"), by=alice)
        run_due_jobs()
        replay.refresh_from_db()

        published = publishing.publish_draft(replay, by=alice, rescore=ALL_TIME)
        run_due_jobs()

        published.rescore.refresh_from_db()
        assert (published.rescore.done, published.rescore.completed_at is not None) == (4, True)
        assert build_report([analyzed], ALL_TIME).headline.average_score == 25.0
        versions = CallAnalysis.objects.filter(project=analyzed).values_list("config_version", flat=True)
        assert set(versions) == {published.version}

    def test_waits_for_the_replay(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, draft(), by=alice)

        with pytest.raises(publishing.NotPublishable):
            publishing.publish_draft(replay, by=alice, rescore=None)

    def test_overwrites_no_settings_that_were_saved_meanwhile(self, analyzed, alice):
        from callscope.projects.services import configure_project

        replay = drafts.request_replay(analyzed, draft(), by=alice)
        run_due_jobs()
        configure_project(analyzed, draft("hello"), by=alice)

        with pytest.raises(publishing.NotPublishable):
            publishing.publish_draft(replay, by=alice, rescore=None)

    @pytest.mark.parametrize(
        ("name", "value"),
        [("targets", {"average_score": 80}), ("redact", ["emails"]), ("vocabulary", ["Vantage Fiber"])],
    )
    def test_keeps_what_was_saved_meanwhile_that_no_judgment_depends_on(self, analyzed, alice, name, value):
        from callscope.projects.services import configure_project

        replay = drafts.request_replay(analyzed, draft("what do you want"), by=alice)
        run_due_jobs()
        replay.refresh_from_db()
        configure_project(analyzed, {**analyzed.config, name: value}, by=alice)
        saved = analyzed.configuration.as_document()[name]

        published = publishing.publish_draft(replay, by=alice, rescore=None)

        analyzed.refresh_from_db()
        assert (published.version, analyzed.config[name]) == (3, saved)
        assert analyzed.config["rubric"] == replay.config["rubric"]

    def test_overwrites_no_targets_where_the_draft_has_others(self, analyzed, alice):
        from callscope.projects.services import configure_project

        mine = {**draft(), "targets": {"average_score": 70}}
        replay = drafts.request_replay(analyzed, mine, by=alice)
        run_due_jobs()
        replay.refresh_from_db()
        configure_project(analyzed, {**analyzed.config, "targets": {"average_score": 80}}, by=alice)

        with pytest.raises(publishing.NotPublishable):
            publishing.publish_draft(replay, by=alice, rescore=None)


class TestRescoring:
    def test_replaces_results_call_by_call(self, analyzed, alice, monkeypatch):
        monkeypatch.setattr(rescoring, "CALLS_AT_ONCE", 1)
        analyzed.config = {**analyzed.config, **draft("what do you want")}
        analyzed.config_version += 1
        analyzed.save()
        rescoring.request_rescore(analyzed, by=alice)
        scores = []

        while jobs.has_due():
            if run_next().kind == Job.Kind.RESCORE:  # a regrouping may become due in between
                scores.append(build_report([analyzed], ALL_TIME).headline.average_score)

        # Of the three that greet each loses its points, and the fourth gains them, in the order of the calls.
        assert scores[:4] == [50.0, 25.0, 0.0, 25.0]
        assert CallAnalysis.objects.filter(project=analyzed, is_live=True).count() == 4

    def test_goes_on_behind_the_last_call_after_a_worker_that_died(self, analyzed, alice, monkeypatch):
        monkeypatch.setattr(rescoring, "CALLS_AT_ONCE", 2)
        rescore = rescoring.request_rescore(analyzed, by=alice)
        run_next()
        lost = worker.claim_and_start()
        jobs.requeue_interrupted(lost)

        stages.run_stage(lost)

        rescore.refresh_from_db()
        assert rescore.done == 2
        run_due_jobs()
        rescore.refresh_from_db()
        assert (rescore.done, rescore.completed_at is not None) == (4, True)

    def test_of_a_window_leaves_the_other_calls(self, analyzed, alice):
        before = list(CallAnalysis.objects.order_by("pk").values_list("completed_at", flat=True))

        rescore = rescoring.request_rescore(
            analyzed, by=alice, window=Window(end=timezone.localdate().replace(year=2000, day=1))
        )
        run_due_jobs()

        rescore.refresh_from_db()
        assert (rescore.calls, rescore.done, rescore.completed_at is not None) == (0, 0, True)
        assert list(CallAnalysis.objects.order_by("pk").values_list("completed_at", flat=True)) == before


def test_are_deleted_with_their_project(analyzed, alice):
    from callscope.pipeline.erasure import removal

    drafts.request_replay(analyzed, draft(), by=alice)
    rescoring.request_rescore(analyzed, by=alice)

    removal.delete_project(analyzed)

    assert not Replay.objects.exists()
    assert not Rescore.objects.exists()
    assert not ReplayedCall.objects.exists()
