"""The breaker of an engine: when it pauses, who tries it, and when work goes on."""

import datetime as dt
import uuid
from dataclasses import replace

import pytest
from django.utils import timezone

from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId
from callscope.environment import EngineAddress
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue.breakers import listing, states
from callscope.pipeline.workers.worker import Worker

pytestmark = pytest.mark.django_db

LLM = EngineId("language", "http://llm.example:8000/v1")
ASR = EngineId("speech", "https://asr.example/v1")
LANGUAGE = {"language", "language_vectors"}  # the needs of work that asks a language model
PAUSED, PROBING, WORKING = EngineState.State.PAUSED, EngineState.State.PROBING, EngineState.State.WORKING


@pytest.fixture(autouse=True)
def engines(settings):
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT,
        llm=EngineAddress("http://user:secret@llm.example:8000/v1/"),
        transcriber=EngineAddress("https://asr.example/v1"),
    )
    settings.RETRY_PAUSE = 1.0


def a_job():
    return Job(id=uuid.uuid4())


def row(engine=LLM):
    return EngineState.objects.get(kind=engine.kind, address=engine.address)


def pause_is_over():
    EngineState.objects.update(probe_at=timezone.now() - dt.timedelta(seconds=1))


def pause_s():
    return (row().probe_at - timezone.now()).total_seconds()


class TestTrouble:
    def test_blocks_the_work_that_needs_the_engine_and_no_other(self):
        states.record_trouble(LLM, a_job(), Trouble.UNREACHABLE, "It cannot be reached.")

        assert states.read_gate() == states.Gate(frozenset(LANGUAGE), {})

    def test_lasts_as_long_as_the_engine_asks(self):
        states.record_trouble(LLM, a_job(), Trouble.BUSY, "Wait.", retry_after_s=90)

        assert 85 < pause_s() <= 90

    def test_lasts_an_hour_at_most(self):
        states.record_trouble(LLM, a_job(), Trouble.BUSY, "Wait.", retry_after_s=1e9)

        assert 3590 < pause_s() <= 3600

    def test_of_an_engine_that_another_setting_replaced_blocks_nothing(self, settings):
        states.record_trouble(LLM, a_job(), Trouble.UNREACHABLE, "It cannot be reached.")
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress("http://new.example/v1"))

        assert states.read_gate() == states.Gate()


class TestFailureOfOneCall:
    def test_blocks_nothing(self):
        job = a_job()

        assert not any(states.record_failure(LLM, job, "500.") for _ in range(6))
        assert states.read_gate() == states.Gate()

    def test_is_the_engines_when_others_fail_too(self):
        first, second = a_job(), a_job()

        assert [states.record_failure(LLM, job, "500.") for job in (first, second, first)] == [
            False,
            False,
            True,
        ]
        assert (row().state, row().reason) == (PAUSED, "failing")

    def test_is_forgotten_when_the_engine_answers_another(self):
        for _ in range(4):
            assert not states.record_failure(LLM, a_job(), "500.")
            assert not states.record_failure(LLM, a_job(), "500.")
            states.record_answer(LLM)

        assert row().state == WORKING


class TestRefusal:
    def test_of_one_job_alone_blocks_nothing(self):
        job = a_job()

        assert not any(states.record_refusal(LLM, job, "400.") for _ in range(6))
        assert states.read_gate() == states.Gate()

    def test_of_several_jobs_in_a_row_is_the_engines(self):
        assert [states.record_refusal(LLM, a_job(), "400.") for _ in range(3)] == [False, False, True]
        assert (row().state, row().reason) == (PAUSED, "failing")

    def test_that_comes_late_changes_nothing(self):
        states.record_trouble(LLM, a_job(), Trouble.KEY, "Wrong key.")

        assert states.record_refusal(LLM, a_job(), "400.")
        assert (row().reason, row().detail) == ("key", "Wrong key.")

    def test_of_a_probe_shows_that_the_engine_is_back(self):
        states.record_trouble(LLM, a_job(), Trouble.UNREACHABLE, "Away.")
        pause_is_over()
        job = a_job()
        states.take_probes(states.read_gate().probes["language"], job)

        assert not states.record_refusal(LLM, job, "400.")
        assert (row().state, row().failures) == (WORKING, 1)


class TestProbe:
    def test_is_taken_by_one_job_alone(self):
        states.record_trouble(LLM, a_job(), Trouble.UNREACHABLE, "Away.")
        pause_is_over()
        first, second = states.read_gate(), states.read_gate()

        assert states.take_probes(first.probes["language"], a_job())
        assert not states.take_probes(second.probes["language"], a_job())

    def test_blocks_others_while_its_job_runs(self, project):
        states.record_trouble(LLM, a_job(), Trouble.UNREACHABLE, "Away.")
        pause_is_over()
        job = Job.objects.create(
            project=project, kind="analyze", subject_id=1, state="running", run_after=timezone.now()
        )
        states.take_probes(states.read_gate().probes["language"], job)
        assert states.read_gate().blocked == LANGUAGE

        Job.objects.update(state="queued")  # its worker was stopped

        assert "language" in states.read_gate().probes

    def test_that_succeeds_lets_all_work_go_on(self):
        states.record_trouble(LLM, a_job(), Trouble.KEY, "Wrong key.")
        pause_is_over()
        states.take_probes(states.read_gate().probes["language"], a_job())

        states.record_answer(LLM)

        assert states.read_gate() == states.Gate()
        assert listing.list_engines_in_trouble() == []

    def test_that_fails_pauses_for_longer(self):
        pauses = []
        job = a_job()
        states.record_trouble(LLM, job, Trouble.UNREACHABLE, "Away.")
        for _ in range(5):
            pauses.append(pause_s())
            pause_is_over()
            job = a_job()
            states.take_probes(states.read_gate().probes["language"], job)
            states.record_trouble(LLM, job, Trouble.UNREACHABLE, "Away.")

        for pause, expected in zip(pauses, (1, 4, 16, 60, 60), strict=True):
            assert 0.6 * expected <= pause <= 1.3 * expected

    def test_is_not_hurried_by_a_late_answer_of_an_engine_that_asked_to_wait(self):
        states.record_trouble(LLM, a_job(), Trouble.BUSY, "Wait.", retry_after_s=90)

        states.record_answer(LLM)

        assert row().state == PAUSED

    def test_comes_at_once_when_a_worker_starts_with_another_key(self, monkeypatch):
        monkeypatch.setattr("callscope.pipeline.workers.worker.close_old_connections", lambda: None)
        states.record_trouble(LLM, a_job(), Trouble.KEY, "Wrong key.")
        states.record_trouble(ASR, a_job(), Trouble.BUSY, "Wait.", retry_after_s=90)

        worker = Worker([])
        worker.run_once()  # by polling and for a broker alike

        assert set(states.read_gate().probes) == LANGUAGE
        assert states.read_gate().blocked == {"speech"}

        states.record_trouble(LLM, a_job(), Trouble.KEY, "Wrong key.")
        EngineState.objects.update(probe_at=timezone.now() + dt.timedelta(hours=1))
        worker.run_once()

        assert states.read_gate().blocked == LANGUAGE | {"speech"}


class TestListing:
    def test_shows_every_engine_without_credentials(self):
        states.record_trouble(LLM, a_job(), Trouble.QUOTA, "No money.")

        found = {status.kind: status for status in listing.list_engine_states()}

        assert found["language"].address == "http://llm.example:8000/v1"
        assert (found["language"].state, found["language"].reason) == ("paused", "quota")
        assert found["language"].detail == "No money."
        assert found["language"].needs_a_person
        assert found["language"].since <= timezone.now() < found["language"].next_probe_at
        assert (found["speech"].state, found["speech"].since, found["speech"].failures) == (
            "working",
            None,
            0,
        )
