"""What came in while a project was private stays with private engines after the switch is turned off."""

import dataclasses
import datetime as dt
import importlib
import io
import json

import pytest
from django.apps import apps
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.calls.private_words import engines_for_file, engines_for_projects
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.interfaces.web.presenters import trial
from callscope.pipeline.files import regrouping
from callscope.pipeline.files.retry_failed import retry_task
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.needs import find_needs_of_job
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import ConfigVersion
from callscope.projects.services import configure_project
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import RUBRIC, accept, srt

pytestmark = pytest.mark.django_db
PRIVATE = {**RUBRIC, "private_transcription": True}


@pytest.fixture
def outside(settings):
    """A server of another company: language model, embedder and speech recognizer of common projects."""
    with ScriptedChatServer(lambda _request, _number: ScriptedReply("{}")) as server:
        address = EngineAddress(server.url, "", "outside")
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, llm=address, embed_url=address, transcriber=address
        )
        yield server


@pytest.fixture
def upload(alice, client, project):
    """Upload a transcript as its owner does."""

    def send(name: str = "call.srt") -> UploadedFile:
        client.force_login(alice)
        content = io.BytesIO(srt())
        content.name = name
        answer = client.post("/api/files/", {"project": project.pk, "file": content})
        assert answer.status_code == 201, answer.content
        return UploadedFile.objects.get(pk=answer.json()["id"])

    return send


def open_up(project) -> None:
    """Turn the switch off, as the project's owner does."""
    configure_project(project, RUBRIC, project.owner)


class TestACallOfFormerDays:
    @pytest.fixture
    def file(self, project, outside, upload):
        configure_project(project, PRIVATE, project.owner)
        file = upload()
        run_due_jobs()
        assert Transcript.objects.filter(file=file).exists()
        open_up(project)
        return file

    def fail_analysis(self, file) -> Job:
        job = Job.objects.get(kind=Job.Kind.ANALYZE, subject_id=file.pk)
        Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, error="It failed.")
        CallAnalysis.objects.filter(file=file).update(copc_state=AnalysisState.FAILED)
        return job

    def test_is_analyzed_again_without_the_common_model(self, file, outside):
        retry_task(self.fail_analysis(file).pk)
        run_due_jobs()

        analysis = CallAnalysis.objects.get(file=file)
        assert analysis.copc_state == AnalysisState.COMPLETED
        assert analysis.provenance["engine"] == "rules"
        assert outside.requests == []
        assert not AuditEvent.objects.filter(action="engine.called").exists()

    def test_waits_for_the_private_model_alone(self, project, file):
        project.refresh_from_db()
        job = jobs.enqueue(Job.Kind.ANALYZE, project, file.pk, file=UploadedFile.objects.get(pk=file.pk))

        assert job.needs == find_needs_of_job(job) == "private_language"

    def test_is_tried_without_the_common_model(self, project, alice, file, outside):
        project.refresh_from_db()
        transcript = trial.find_transcript(Call.objects.get(project=project))

        trial.analyze_as_trial(transcript, project.configuration, by=alice)

        assert outside.requests == []

    def test_is_regrouped_without_the_common_embedder(self, project, file, outside):
        project.refresh_from_db()
        job = jobs.enqueue(Job.Kind.REGROUP, project, project.pk)
        assert job.needs == "private_vectors"

        regrouping.request_regrouping([project])
        run_due_jobs()

        assert outside.requests == []
        assert engines_for_projects(project).is_private

    def test_goes_to_the_common_model_once_its_owner_uploads_it_again(self, project, file, outside, upload):
        again = upload()
        run_due_jobs()

        assert not again.is_private
        assert outside.requests
        assert CallAnalysis.objects.filter(file=file).exists()


class TestARecordingOfFormerDays:
    def test_is_transcribed_by_the_private_engine_or_nowhere(self, project, outside):
        configure_project(project, PRIVATE, project.owner)
        file = accept(project, file_type="audio")
        UploadedFile.objects.filter(pk=file.pk).update(is_private=True)
        open_up(project)
        file.refresh_from_db()

        assert engines_for_file(file, project.configuration).is_private
        assert find_needs_of_job(Job.objects.get(subject_id=file.pk)) == "private_speech"


class TestAMark:
    def test_is_set_on_what_comes_in_while_the_project_is_private(self, project, upload):
        assert not upload("before.srt").is_private
        configure_project(project, PRIVATE, project.owner)
        assert upload("then.srt").is_private
        open_up(project)
        assert not upload("after.srt").is_private

    def test_is_set_on_what_came_in_before_and_is_transcribed_then(self, project, upload):
        file = upload()
        configure_project(project, PRIVATE, project.owner)

        run_due_jobs()

        file.refresh_from_db()
        assert file.is_private

    @pytest.mark.parametrize("config", [PRIVATE, RUBRIC])
    def test_is_set_on_imported_calls(self, project, config):
        configure_project(project, config, project.owner)
        line = {"file_name": "a.wav", "topic": "wrong invoice", "sentiment": "negative"}
        for topic in ("wrong invoice", "late parcel"):  # new, then another result
            import_calls(project, io.BytesIO(json.dumps({**line, "topic": topic}).encode()))

        marks = set(UploadedFile.objects.filter(project=project).values_list("is_private", flat=True))
        assert marks == {config is PRIVATE}

    def test_is_set_on_files_of_former_versions(self, project, alice):
        """By the migration: what came in, or was transcribed, while a version was private."""
        now = timezone.now()
        days = {"before": 9, "heard then": 9, "then": 7, "after": 3}
        files = {name: accept(project, name=f"{name}.srt") for name in days}
        for name, file in files.items():
            UploadedFile.objects.filter(pk=file.pk).update(created_at=now - dt.timedelta(days=days[name]))
        Transcript.objects.create(file=files["heard then"], project=project, segments=[], engine="subtitles")
        Transcript.objects.update(created_at=now - dt.timedelta(days=7))
        for number, (is_private, age) in enumerate([(False, 10), (True, 8), (True, 7), (False, 5)], start=1):
            ConfigVersion.objects.create(
                project=project, number=number, document={"private_transcription": is_private}
            )
            at = now - dt.timedelta(days=age)
            ConfigVersion.objects.filter(project=project, number=number).update(created_at=at)

        importlib.import_module("callscope.calls.migrations.0007_private_files").mark_private_files(
            apps, None
        )

        marked = UploadedFile.objects.filter(is_private=True).values_list("original_filename", flat=True)
        assert sorted(marked) == ["heard then.srt", "then.srt"]
