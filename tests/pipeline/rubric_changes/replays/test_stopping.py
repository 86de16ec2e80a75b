"""Stopping a replay: no more calls are judged, what was judged is kept, and no job takes it up again."""

import threading

import pytest
from django.db import connection

from callscope.accounts.models import AuditEvent
from callscope.pipeline.models import Job, Replay, ReplayedCall
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.replays import portions
from callscope.pipeline.rubric_changes.replays.drafts import request_replay
from callscope.pipeline.rubric_changes.replays.progress import read_phases, read_progress
from callscope.pipeline.rubric_changes.replays.publishing import NotPublishable, publish_draft
from callscope.pipeline.rubric_changes.replays.stopping import stop_replay
from callscope.pipeline.workers import stages, worker
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import RUBRIC, TALK, configure
from tests.pipeline.rubric_changes.conftest import bring

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judged(project):
    """A project with three calls."""
    return bring(configure(project, RUBRIC), TALK, TALK, TALK)


def start(project):
    document = {**project.config, "goal": {"description": "Sold", "phrases": []}}
    return request_replay(project, document, by=project.owner)


class TestAStop:
    def test_keeps_and_compares_the_calls_that_were_judged(self, judged, monkeypatch):
        monkeypatch.setattr(portions, "CALLS_AT_ONCE", 2)
        replay = start(judged)
        stages.run_stage(worker.claim_and_start())

        assert stop_replay(replay, by=judged.owner)

        replay.refresh_from_db()
        found = read_progress(replay)
        assert (found.state, found.done, found.calls) == ("stopped", 2, 3)
        assert found.stopped == {"calls": 2, "drawn": 3}
        assert found.change["calls"] == 2
        assert {row["kind"]: row["calls"] for row in found.besides["kinds"]}["goal"] == 2
        assert Job.objects.get(kind=Job.Kind.REPLAY).state == Job.State.DONE
        event = AuditEvent.objects.get(action="project.replay_stopped")
        assert (event.actor, event.subject) == (judged.owner, f"project {judged.pk}")
        assert event.detail == {"replay": replay.pk}

    def test_leaves_no_draft_to_publish(self, judged):
        replay = start(judged)
        stop_replay(replay, by=judged.owner)

        with pytest.raises(NotPublishable, match="was stopped"):
            publish_draft(replay, by=judged.owner, rescore=None)

        replay.refresh_from_db()
        assert replay.published_version is None

    def test_of_a_replay_that_waits_leaves_nothing_to_do(self, judged, model):
        replay = start(judged)

        assert stop_replay(replay, by=judged.owner)
        run_due_jobs()

        replay.refresh_from_db()
        assert read_progress(replay).stopped == {"calls": 0, "drawn": 3}
        assert model.prompts == []

    def test_twice_or_after_the_end_changes_nothing(self, judged):
        stopped, ended = start(judged), start(judged)
        assert stop_replay(stopped, by=judged.owner)
        run_due_jobs()
        before = list(Replay.objects.order_by("pk").values("completed_at", "outcome"))

        assert [stop_replay(each, by=judged.owner) for each in (stopped, ended)] == [False, False]

        assert list(Replay.objects.order_by("pk").values("completed_at", "outcome")) == before
        ended.refresh_from_db()
        assert read_progress(ended).state == "completed"
        assert AuditEvent.objects.filter(action="project.replay_stopped").count() == 1


class TestAWorker:
    def test_judges_no_more_and_adds_the_call_in_progress(self, judged, model):
        asked, stopped = threading.Event(), threading.Event()

        def decide(_transcript, number):
            if not stopped.is_set():
                asked.set()
                assert stopped.wait(30)
            return "met"

        def work():
            try:
                stages.run_stage(worker.claim_and_start())
            finally:
                connection.close()

        model.decide = decide
        replay = start(judged)
        at_work = threading.Thread(target=work)
        at_work.start()
        assert asked.wait(30)

        assert stop_replay(replay, by=judged.owner)
        replay.refresh_from_db()
        assert (read_progress(replay).state, read_progress(replay).done) == ("stopped", 0)
        assert read_progress(replay).is_stopping and read_phases([replay]) == {replay.pk: "stopping"}
        stopped.set()
        at_work.join(30)

        replay.refresh_from_db()
        asked_for = len(model.prompts)
        assert read_progress(replay).stopped == {"calls": 1, "drawn": 3}
        assert not read_progress(replay).is_stopping and read_phases([replay]) == {replay.pk: "ended"}
        run_due_jobs()
        assert len(model.prompts) == asked_for
        assert Job.objects.get(kind=Job.Kind.REPLAY).state == Job.State.DONE

    def test_does_not_go_on_after_one_that_died(self, judged, model):
        replay = start(judged)
        lost = worker.claim_and_start()  # and its process is killed
        stop_replay(replay, by=judged.owner)
        jobs.requeue_interrupted(lost)

        run_due_jobs()

        assert model.prompts == []
        assert not ReplayedCall.objects.filter(answers__isnull=False).exists()
