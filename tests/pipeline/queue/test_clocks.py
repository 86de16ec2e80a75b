"""The clocks of two machines are ten minutes apart, and the work of both goes on as if they agreed."""

import datetime as dt
import uuid
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import transaction
from django.utils import timezone

from callscope.contact_reasons.models import Regrouping
from callscope.db import clock
from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId
from callscope.environment import EngineAddress
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.operation import metrics, processes, site_checks
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers import site, states

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.parametrize("minutes", [-10, 10], ids=["behind", "ahead"]),
]

LLM = EngineId("language", "http://llm.example:8000/v1")


@pytest.fixture(autouse=True)
def engines(settings):
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress(LLM.address))
    settings.RETRY_PAUSE = 1.0


@pytest.fixture
def other_machine(monkeypatch, minutes):
    """Return a context in which the code runs on a machine whose clock is `minutes` away."""
    now = timezone.now

    @contextmanager
    def run():
        with monkeypatch.context() as there:
            there.setattr(timezone, "now", lambda: now() + dt.timedelta(minutes=minutes))
            yield

    return run


def claim():
    with transaction.atomic():
        return jobs.claim_next()


def seconds_from_now(moment):
    return (moment - timezone.now()).total_seconds()


class TestClock:
    def test_is_that_of_the_database(self, other_machine):
        with other_machine():
            assert abs(seconds_from_now(clock.read_now())) > 500
        assert abs(seconds_from_now(clock.read_now())) < 5


class TestJob:
    def test_that_was_queued_on_either_machine_is_claimed_at_once_on_the_other(self, project, other_machine):
        jobs.enqueue(Job.Kind.ANALYZE, project, 1)
        with other_machine():
            jobs.enqueue(Job.Kind.ANALYZE, project, 2)
            first = claim()
        second = claim()

        assert {first.subject_id, second.subject_id} == {1, 2}
        assert claim() is None

    @pytest.mark.parametrize("wait", ["delay", "retry", "postpone", "park"])
    def test_waits_for_its_pause_by_both_clocks(self, project, other_machine, wait):
        with other_machine():
            if wait == "delay":
                jobs.enqueue(Job.Kind.REGROUP, project, 1, delay_s=60)
            else:
                jobs.enqueue(Job.Kind.ANALYZE, project, 1)
                job = claim()
                actions = {
                    "retry": lambda: jobs.schedule_retry(replace_attempts(job, 4), "Broken."),
                    "postpone": lambda: jobs.postpone(job, "Full.", pause_s=60),
                    "park": lambda: jobs.park(job, "Busy.", pause_s=60),
                }
                actions[wait]()
            assert not jobs.has_due()

        assert claim() is None
        assert 40 < seconds_from_now(Job.objects.get().run_after) < 80
        Job.objects.update(run_after=timezone.now() - dt.timedelta(seconds=1))
        with other_machine():
            assert claim()

    def test_is_given_up_after_its_patience_by_both_clocks(self, project, other_machine, settings):
        settings.ENGINE_PATIENCE = 300
        job = jobs.enqueue(Job.Kind.ANALYZE, project, 1)
        with other_machine():
            states.record_trouble(LLM, job, Trouble.UNREACHABLE, "Away.")
            job = claim_probe()
            jobs.park(job, "Away.")
            assert not jobs.has_waited_enough(Job.objects.get())
            with transaction.atomic():
                assert jobs.claim_expired(300) is None

        assert not jobs.has_waited_enough(Job.objects.get())
        with transaction.atomic():
            assert jobs.claim_expired(300) is None

    def test_that_is_due_has_waited_for_as_long_by_both_clocks(self, project, other_machine):
        jobs.enqueue(Job.Kind.ANALYZE, project, 1)
        Job.objects.update(run_after=timezone.now() - dt.timedelta(seconds=90))
        sample = 'callscope_oldest_due_job_seconds{queue="llm"}'

        with other_machine():
            assert 85 < metrics.collect_jobs()[sample] < 100

    def test_counts_as_slow_by_both_clocks(self, project, alice, other_machine):
        other = type(project).objects.create(name="Other line", owner=alice)
        jobs.enqueue(Job.Kind.ANALYZE, project, 1)
        with other_machine():
            assert claim()
        jobs.enqueue(Job.Kind.ANALYZE, project, 2)
        jobs.enqueue(Job.Kind.TRANSCRIBE, other, 3)

        with other_machine():
            assert not fair_choice_crowded()
        assert not fair_choice_crowded()


class TestBreaker:
    def test_pauses_for_as_long_as_the_engine_asks_by_both_clocks(self, project, other_machine):
        with other_machine():
            states.record_trouble(LLM, Job(id=uuid.uuid4()), Trouble.BUSY, "Wait.", retry_after_s=60)
            assert "language" in states.read_gate().blocked

        row = EngineState.objects.get()
        assert "language" in states.read_gate().blocked
        assert 50 < seconds_from_now(row.probe_at) <= 61
        assert -5 < seconds_from_now(row.since) < 5

    def test_lets_a_job_try_the_engine_when_the_pause_is_over_by_both_clocks(self, project, other_machine):
        job = jobs.enqueue(Job.Kind.ANALYZE, project, 1)
        states.record_trouble(LLM, job, Trouble.UNREACHABLE, "Away.")
        EngineState.objects.update(probe_at=timezone.now() - dt.timedelta(seconds=1))

        with other_machine():
            assert claim().pk == job.pk
            row = EngineState.objects.get()

        assert row.state == EngineState.State.PROBING
        assert 0 < seconds_from_now(row.probe_at) < 500

    def test_does_not_take_an_early_answer_for_the_end_of_the_wait(self, project, other_machine):
        states.record_trouble(LLM, Job(id=uuid.uuid4()), Trouble.BUSY, "Wait.", retry_after_s=300)

        with other_machine():
            states.record_answer(LLM)

        assert EngineState.objects.get().state == EngineState.State.PAUSED

    def test_is_tried_at_once_where_a_worker_starts(self, project, other_machine):
        states.record_trouble(LLM, Job(id=uuid.uuid4()), Trouble.KEY, "Refused.", retry_after_s=300)

        with other_machine():
            states.hurry_probes()

        assert "language" in states.read_gate().probes


class TestProcess:
    def test_is_alive_by_both_clocks_so_that_its_clock_is_found_wrong(self, other_machine, monkeypatch):
        monkeypatch.setattr(processes, "measure_clock_ms", lambda: 600_000)
        with other_machine():
            processes.beat("worker", ["asr"])

        alive = processes.list_alive()

        assert len(alive) == 1
        assert not site_checks.check_clock(alive).is_ok

    def test_states_engines_that_count_by_both_clocks(self, other_machine):
        with other_machine():
            processes.beat("worker", ["llm"])

        assert LLM in set().union(*site.list_stated_engines().values())


class TestRegrouping:
    def test_is_not_repeated_because_a_clock_is_ahead(self, project, other_machine):
        with other_machine():
            regrouping.request_regrouping([project])
        job = claim()

        regrouping.finish_regrouping(job)

        assert not Job.objects.filter(state=Job.State.QUEUED).exists()
        assert not Regrouping.objects.exists()

    def test_that_was_asked_for_while_one_runs_follows_it(self, project, other_machine):
        regrouping.request_regrouping([project])
        job = claim()
        with other_machine():
            regrouping.request_regrouping([project])

        regrouping.finish_regrouping(job)

        assert Job.objects.filter(state=Job.State.QUEUED).count() == 1


def replace_attempts(job, attempts):
    job.attempts = attempts
    return job


def claim_probe():
    EngineState.objects.update(probe_at=timezone.now() - dt.timedelta(days=1))
    return claim()


def fair_choice_crowded():
    from callscope.pipeline.queue import fair_choice

    return fair_choice.load_running().crowded
