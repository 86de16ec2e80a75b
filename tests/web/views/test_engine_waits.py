"""Work that waits for an engine in trouble says so: on pages, in the list of files and in the API."""

import datetime as dt
import json
import uuid
from dataclasses import replace

import pytest
from django.utils import timezone

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId
from callscope.environment import EngineAddress
from callscope.interfaces.web.templatetags.formatting import moment
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers import states
from callscope.projects.models import ProjectShare
from tests.web.conftest import visitor_of

pytestmark = pytest.mark.django_db

LLM = EngineId("language", "http://llm.example:8000/v1")
SENTENCE = "The language model at llm.example:8000 cannot be reached."


@pytest.fixture
def waiting(world, settings):
    """A call that was uploaded again, and whose analysis waits for the language model."""
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, llm=EngineAddress("http://me:secret@llm.example:8000/v1")
    )
    file = world[0].newest_file
    CallAnalysis.objects.filter(file=file).update(copc_state=AnalysisState.PROCESSING)
    jobs.enqueue(Job.Kind.ANALYZE, file.project, file.pk)
    Job.objects.update(parked_at=timezone.now())
    states.record_trouble(
        LLM, Job(id=uuid.uuid4()), Trouble.UNREACHABLE, "It quoted his card.", retry_after_s=900
    )
    return file


def until():
    return EngineState.objects.get().probe_at


class TestPages:
    @pytest.mark.parametrize(
        "address", ["/projects/{project}/files/", "/calls/{call}/", "/report/progress/?project_id={project}"]
    )
    def test_say_which_engine_why_and_until_when(self, as_alice, waiting, address):
        path = address.format(project=waiting.project_id, call=waiting.call_id)
        shown = as_alice.get(path).content.decode()

        assert f"{SENTENCE} The next attempt is at {moment(until())}" in shown
        assert "his card" not in shown
        assert "secret" not in shown

    def test_say_it_to_those_who_only_read(self, waiting, bob):
        ProjectShare.objects.create(project=waiting.project, user=bob, role=ProjectShare.Role.VIEWER)

        shown = visitor_of(bob).get(f"/calls/{waiting.call_id}/").content.decode()

        assert SENTENCE in shown

    def test_say_nothing_of_files_that_are_done(self, as_alice, waiting):
        EngineState.objects.update(since=timezone.now())
        CallAnalysis.objects.update(copc_state=AnalysisState.COMPLETED)

        for path in (f"/projects/{waiting.project_id}/files/", f"/calls/{waiting.call_id}/"):
            assert SENTENCE not in as_alice.get(path).content.decode()

    def test_speak_spanish(self, as_alice, waiting):
        path = f"/calls/{waiting.call_id}/"
        shown = as_alice.get(path, headers={"accept-language": "es"}).content.decode()

        assert "no responde. El próximo intento es" in shown

    def test_of_an_upload_get_it_as_a_reason(self, as_alice, waiting):
        asked = {"project": waiting.project_id, "names": [waiting.original_filename]}
        answer = as_alice.post("/upload/states/", json.dumps(asked), content_type="application/json").json()

        [state] = answer["files"].values()
        assert (state["label"], state["final"]) == ("Waiting for an engine", False)
        assert state["reason"].startswith(SENTENCE)


class TestApi:
    def test_file_names_the_engine_and_keeps_its_states(self, as_alice, waiting):
        for resource in (
            as_alice.get(f"/api/files/{waiting.pk}/").json(),
            next(
                file
                for file in as_alice.get(f"/api/files/?project={waiting.project_id}").json()["results"]
                if file["id"] == waiting.pk
            ),
        ):
            assert resource["status"] == "transcribed"
            assert resource["analysis_states"]["calls_analysis_copc"] == "processing"
            wait = resource["waiting_for"]
            assert wait.keys() == {"engine", "address", "reason", "since", "until"}
            assert (wait["engine"], wait["address"]) == ("language", LLM.address)
            assert wait["reason"] == "unreachable"
            assert dt.datetime.fromisoformat(wait["until"]) == until()

    def test_file_waits_for_nothing_when_the_engine_works(self, as_alice, waiting):
        states.record_answer(LLM)

        assert as_alice.get(f"/api/files/{waiting.pk}/").json()["waiting_for"] is None

    def test_a_recording_that_was_not_started_waits_too(self, as_alice, waiting, settings):
        settings.ENVIRONMENT = replace(
            settings.ENVIRONMENT, transcriber=EngineAddress("http://asr.example/v1")
        )
        UploadedFile.objects.filter(pk=waiting.pk).update(status="uploaded", file_type="audio")
        Job.objects.all().delete()
        jobs.enqueue(
            Job.Kind.TRANSCRIBE,
            waiting.project,
            waiting.pk,
            file=UploadedFile.objects.get(pk=waiting.pk),
        )
        asr = EngineId("speech", "http://asr.example/v1")
        states.record_trouble(asr, Job(id=uuid.uuid4()), Trouble.KEY, "No.")

        wait = as_alice.get(f"/api/files/{waiting.pk}/").json()["waiting_for"]

        assert (wait["engine"], wait["reason"]) == ("speech", "key")

    def test_status_counts_the_files(self, as_alice, waiting):
        status = as_alice.get(f"/calls/api/analysis-status/?project_id={waiting.project_id}").json()

        assert status["in_progress"] is True
        [wait] = status["waiting_for"]
        assert (wait["engine"], wait["reason"], wait["files"]) == ("language", "unreachable", 1)

    def test_status_is_empty_for_others(self, as_carol, waiting):
        status = as_carol.get(f"/calls/api/analysis-status/?project_id={waiting.project_id}").json()

        assert status["waiting_for"] == []
