"""Stopping a probe: nothing more is asked, what was judged is kept, and no job takes it up again."""

import threading

import pytest
from django.db import connection

from callscope.accounts.models import AuditEvent
from callscope.pipeline.models import Job, Probe, ProbedCall
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.progress import read_changed_calls, read_progress
from callscope.pipeline.rubric_changes.probes.stopping import stop_probe
from callscope.pipeline.rubric_changes.replays import portions
from callscope.pipeline.workers import stages, worker
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import RUBRIC, TALK, configure
from tests.pipeline.rubric_changes.conftest import NAMED, bring

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judged(project):
    """A project with three calls."""
    return bring(configure(project, RUBRIC), NAMED, NAMED, TALK)


def start(project, **settings):
    return requests.request_probe(project, requests.plan_steadiness(project, **settings), by=project.owner)


def work_in_a_thread():
    """Run the next job in another thread, as a worker does."""

    def work():
        try:
            stages.run_stage(worker.claim_and_start())
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


class TestAStop:
    def test_keeps_the_calls_that_were_judged(self, judged, monkeypatch):
        monkeypatch.setattr(portions, "CALLS_AT_ONCE", 4)  # the second call is judged once of three times
        probe = start(judged)
        stages.run_stage(worker.claim_and_start())

        assert stop_probe(probe, by=judged.owner)

        probe.refresh_from_db()
        found = read_progress(probe)
        assert (found.state, found.done, found.judgments) == ("stopped", 4, 9)
        assert found.stopped == {"calls": 1, "drawn": 3}
        assert (found.steadiness["calls"], found.steadiness["judgments"]) == (1, 3)
        assert read_changed_calls([probe]) == {probe.pk: (0, 1)}
        assert Job.objects.get(kind=Job.Kind.PROBE).state == Job.State.DONE
        event = AuditEvent.objects.get(action="project.probe_stopped")
        assert (event.actor, event.subject) == (judged.owner, f"project {judged.pk}")
        assert event.detail == {"kind": "steadiness", "probe": probe.pk}

    def test_of_a_probe_that_waits_leaves_nothing_to_do(self, judged, model):
        probe = start(judged)

        assert stop_probe(probe, by=None)
        run_due_jobs()

        probe.refresh_from_db()
        assert read_progress(probe).stopped == {"calls": 0, "drawn": 3}
        assert model.prompts == []

    def test_of_a_fairness_probe_compares_whole_calls(self, judged, monkeypatch):
        monkeypatch.setattr(portions, "CALLS_AT_ONCE", 4)
        plan = requests.plan_fairness(judged, groups=["order"])
        probe = requests.request_probe(judged, plan, by=None)
        stages.run_stage(worker.claim_and_start())

        stop_probe(probe, by=None)

        probe.refresh_from_db()
        found = read_progress(probe)
        assert found.stopped == {"calls": 1, "drawn": 3}
        assert found.fairness["calls"] == 1

    def test_twice_or_after_the_end_changes_nothing(self, judged):
        stopped, ended = start(judged), start(judged, repetitions=2)
        assert stop_probe(stopped, by=None)
        run_due_jobs()
        before = list(Probe.objects.order_by("pk").values("completed_at", "outcome"))

        assert [stop_probe(each, by=None) for each in (stopped, ended)] == [False, False]

        assert list(Probe.objects.order_by("pk").values("completed_at", "outcome")) == before
        ended.refresh_from_db()
        assert read_progress(ended).state == "completed"
        assert AuditEvent.objects.filter(action="project.probe_stopped").count() == 1


class TestAWorker:
    def test_asks_nothing_more_and_adds_the_call_in_progress(self, judged, model):
        asked, stopped = threading.Event(), threading.Event()

        def decide(_transcript, number):
            if len(model.prompts) == 4:  # the first call is judged, the second one is being judged
                asked.set()
                assert stopped.wait(30)
            return "met"

        model.decide = decide
        probe = start(judged)
        at_work = work_in_a_thread()
        assert asked.wait(30)

        assert stop_probe(probe, by=judged.owner)
        assert not stop_probe(probe, by=judged.owner)
        probe.refresh_from_db()
        assert (read_progress(probe).state, read_progress(probe).done) == ("stopped", 0)  # none is stored yet
        stopped.set()
        at_work.join(30)

        probe.refresh_from_db()
        found = read_progress(probe)
        assert (found.state, found.done, len(model.prompts)) == ("stopped", 4, 4)
        assert found.stopped == {"calls": 1, "drawn": 3}
        run_due_jobs()
        assert len(model.prompts) == 4
        assert Job.objects.get(kind=Job.Kind.PROBE).state == Job.State.DONE

    def test_does_not_go_on_after_one_that_died(self, judged, model):
        probe = start(judged)
        lost = worker.claim_and_start()  # and its process is killed
        stop_probe(probe, by=None)
        jobs.requeue_interrupted(lost)

        run_due_jobs()

        assert model.prompts == []
        assert not ProbedCall.objects.filter(judgment__isnull=False).exists()
        assert Job.objects.get(kind=Job.Kind.PROBE).state == Job.State.DONE

    def test_that_judged_the_last_call_meanwhile_has_judged_all(self, judged, model):
        asked, stopped = threading.Event(), threading.Event()

        def decide(_transcript, number):
            if len(model.prompts) == 6:
                asked.set()
                assert stopped.wait(30)
            return "met"

        model.decide = decide
        probe = start(judged, repetitions=2)
        at_work = work_in_a_thread()
        assert asked.wait(30)
        stop_probe(probe, by=None)
        stopped.set()
        at_work.join(30)

        probe.refresh_from_db()
        found = read_progress(probe)
        assert (found.state, found.done, found.steadiness["calls"]) == ("completed", 6, 3)
