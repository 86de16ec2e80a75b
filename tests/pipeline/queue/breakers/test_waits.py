"""What the work of a file waits for, as people of its project see it."""

import datetime as dt
from dataclasses import replace

import pytest
from django.utils import timezone

from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId
from callscope.environment import EngineAddress
from callscope.pipeline.models import EngineState, Job, SiteProcess
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers import needs, states, waits
from callscope.projects.models import Project

pytestmark = pytest.mark.django_db

LLM = EngineId("language", "http://llm.example:8000/v1")


@pytest.fixture(autouse=True)
def engines(settings):
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, llm=EngineAddress("http://user:secret@llm.example:8000/v1/")
    )


def pause(trouble=Trouble.UNREACHABLE, **options):
    states.record_trouble(LLM, Job(id=None), trouble, "It said 'my card is 4111'.", **options)


def analyze(project, *files):
    return [jobs.enqueue(Job.Kind.ANALYZE, project, file) for file in files]


class TestWait:
    def test_names_engine_reason_and_next_attempt_without_its_words_or_credentials(self, project):
        analyze(project, 7)
        pause(retry_after_s=600)

        [wait] = waits.find_waits([7]).values()

        assert (wait.kind, wait.address, wait.reason) == ("language", LLM.address, "unreachable")
        assert 590 < (wait.until - timezone.now()).total_seconds() <= 601
        assert "my card" not in repr(wait)

    def test_is_that_of_work_which_needs_the_engine_alone(self, project):
        analyze(project, 7)
        jobs.enqueue(Job.Kind.TRANSCRIBE, project, 8)
        pause()

        assert waits.find_waits([7, 8]).keys() == {7}

    def test_is_over_when_the_engine_answers(self, project):
        analyze(project, 7)
        pause()
        states.record_answer(LLM)

        assert waits.find_waits([7]) == {}
        assert waits.list_waits([project.pk]) == []

    def test_is_none_of_a_job_that_runs(self, project):
        analyze(project, 7)
        pause()
        Job.objects.update(state=Job.State.RUNNING)

        assert waits.find_waits([7]) == {}

    def test_may_be_that_of_a_call_alone(self, project):
        analyze(project, 7, 8)
        soon = timezone.now() + dt.timedelta(minutes=1)
        Job.objects.filter(subject_id=7).update(parked_at=timezone.now(), run_after=soon)

        found = waits.find_waits([7, 8])

        assert {pk: (wait.reason, wait.until) for pk, wait in found.items()} == {7: ("alone", soon)}

    def test_of_a_call_alone_is_for_the_model_before_its_embeddings(self, project, settings):
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, embed_url=EngineAddress("http://emb.example/v1"))
        analyze(project, 7)
        soon = timezone.now() + dt.timedelta(minutes=1)
        Job.objects.update(needs=needs.LANGUAGE_VECTORS, parked_at=timezone.now(), run_after=soon)

        assert waits.find_waits([7])[7].address == LLM.address

    def test_counts_the_files_of_the_projects_asked_for(self, project, alice):
        other = Project.objects.create(name="Other line", owner=alice)
        analyze(project, 1, 2, 3)
        analyze(other, 4)
        pause()

        assert [wait.files for wait in waits.list_waits([project.pk])] == [3]
        assert [wait.files for wait in waits.list_waits([project.pk, other.pk])] == [4]

    def test_is_known_to_a_web_process_that_does_not_know_the_engine(self, project, settings):
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress(""))
        now = timezone.now()
        SiteProcess.objects.create(
            identity="elsewhere/1/llm", role="worker", host="llm1", queues="llm",
            settings={"CALLSCOPE_LLM_URL": LLM.address}, started_at=now, seen_at=now,
        )  # fmt: skip
        analyze(project, 7)
        EngineState.objects.create(
            kind=LLM.kind, address=LLM.address, state="paused", reason="key", since=now, probe_at=now
        )

        assert waits.find_waits([7])[7].reason == "key"

    def test_costs_one_query_where_all_engines_work(self, project, django_assert_num_queries):
        analyze(project, 7)

        with django_assert_num_queries(1):
            assert waits.list_waits([project.pk]) == []
