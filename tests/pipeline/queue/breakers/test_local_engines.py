# ruff: noqa: F811, fixtures of the other tests
"""An engine of the worker's process that is not there, or does not load, is no failure of a call."""

import datetime as dt
import io
import socket
import sys
import wave
from dataclasses import replace

import numpy as np
import pytest
from django.utils import timezone, translation

from callscope.calls.models import UploadedFile
from callscope.engines.asr import demo
from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.interfaces.cli.commands.serve import _require_nothing_left
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.messages.translation import translate_stored
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.operation import metrics, processes, site_checks
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers import needs, site, states
from callscope.pipeline.queue.breakers.listing import list_engine_states, list_engines_in_trouble
from callscope.pipeline.workers.worker import Worker
from callscope.testing import run_due_jobs
from tests.engines.embeddings.test_embedders import folder  # noqa: F401, a fixture: a tiny sentence model
from tests.pipeline.conftest import RUBRIC, accept, configure

pytestmark = pytest.mark.django_db

TRIES = 2  # what is final fails at the first
HOST = socket.gethostname()


def tone(seconds: float) -> bytes:
    """Return a recording without words."""
    buffer = io.BytesIO()
    samples = (np.sin(np.arange(int(8000 * seconds)) * 0.3) * 9000).astype(np.int16)
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(samples.tobytes())
    return buffer.getvalue()


def accept_recordings(project, count, *, seconds=12):
    files = [accept(project, tone(seconds), file_type="audio") for _ in range(count)]
    for job in Job.objects.filter(subject_id__in=[file.pk for file in files]):
        Job.objects.filter(pk=job.pk).update(needs=needs.find_needs_of_job(job))  # as an upload does
    return files


def transcriptions():
    rows = Job.objects.filter(kind=Job.Kind.TRANSCRIBE).values_list("state", "attempts")
    return sorted(rows)


def analyses():
    return sorted(Job.objects.filter(kind=Job.Kind.ANALYZE).values_list("state", "attempts"))


def end_pause():
    EngineState.objects.update(probe_at=timezone.now() - dt.timedelta(seconds=1))


def try_again(times=TRIES):
    for _ in range(times):
        end_pause()
        run_due_jobs()


@pytest.fixture
def without_recognizer(settings, monkeypatch):
    """The demo recognizer is chosen and not installed; the fixture takes that back."""
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, transcriber=EngineAddress("demo"), embedder="words")
    with monkeypatch.context() as patch:
        patch.setattr(demo, "_cached_decoder", None)
        patch.setitem(sys.modules, "pocketsphinx", None)
        yield patch


@pytest.fixture
def broken_model(settings, tmp_path):
    """The folder of a speech model whose files hold nothing."""
    folder = tmp_path / "whisper"
    folder.mkdir()
    for name in ("model.bin", "tokenizer.json"):
        (folder / name).write_bytes(b"{}")
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, transcriber=EngineAddress("local", model=str(folder)), whisper_device="cpu"
    )
    return folder


class TestRecordingDuringAPause:
    def test_that_is_too_short_fails_right_after_its_upload(self, judged, without_recognizer, settings):
        settings.RETRY_PAUSE = 3600
        accept_recordings(judged, 1)
        run_due_jobs()
        (short,) = accept_recordings(judged, 1, seconds=2)

        run_due_jobs()

        short.refresh_from_db()
        assert (short.status, short.error_reason) == ("failed", "audio_too_short")
        assert EngineState.objects.get().failures == 1

    def test_that_is_long_enough_is_measured_once_and_waits(self, judged, without_recognizer, settings):
        settings.RETRY_PAUSE = 3600
        accept_recordings(judged, 1)
        run_due_jobs()
        (second,) = accept_recordings(judged, 1)

        assert run_due_jobs() == 1
        assert run_due_jobs() == 0

        second.refresh_from_db()
        assert second.duration_us == 12_000_000
        assert transcriptions() == [("queued", 0)] * 2
        assert EngineState.objects.get().failures == 1


def test_draining_leaves_what_waits_for_a_model_that_is_not_there(judged, without_recognizer, settings):
    settings.RETRY_PAUSE = 3600
    accept_recordings(judged, 1)
    worker = Worker()
    assert not worker.is_drained()

    run_due_jobs()

    assert worker.is_drained()
    with pytest.raises(Failure, match=r"1 job waits\. The demo recognizer is not installed\."):
        _require_nothing_left(jobs.QUEUES)


class TestSpeechModel:
    def test_that_is_not_installed_parks_recordings_until_it_is(self, judged, without_recognizer):
        accept_recordings(judged, 2)

        try_again()

        assert transcriptions() == [("queued", 0)] * 2
        (status,) = list_engines_in_trouble()
        assert (status.kind, status.address, status.reason) == (
            "speech",
            f"pocketsphinx on {HOST}",
            "missing",
        )
        assert status.needs_a_person
        assert "is not installed" in status.detail
        without_recognizer.undo()
        end_pause()
        run_due_jobs()
        assert transcriptions() == [("done", 1)] * 2
        assert list_engines_in_trouble() == []

    def test_whose_file_is_broken_parks_recordings(self, judged, broken_model):
        pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
        files = accept_recordings(judged, 1)

        try_again()

        assert transcriptions() == [("queued", 0)]
        detail = list_engines_in_trouble()[0].detail
        assert "not a whole Whisper model" in detail
        with translation.override("es"):  # as the pages show it
            assert translate_stored(detail).endswith("Copie o descargue el modelo de nuevo.")
        assert not UploadedFile.objects.filter(pk__in=[f.pk for f in files], status="failed").exists()

    def test_costs_one_try_a_pause(self, judged, without_recognizer, settings):
        settings.RETRY_PAUSE = 3600
        accept_recordings(judged, 2)

        run_due_jobs()
        run_due_jobs()

        assert EngineState.objects.get().failures == 1

    def test_of_a_private_project_is_reported_for_each_recording(self, project, settings, broken_model):
        private = configure(project, {**RUBRIC, "private_transcription": True})
        settings.ENVIRONMENT = replace(
            settings.ENVIRONMENT, private_transcriber=settings.ENVIRONMENT.transcriber
        )
        (file,) = accept_recordings(private, 1)

        run_due_jobs()

        file.refresh_from_db()
        assert (file.status, file.error_reason) == ("failed", "private_transcription_unavailable")
        assert list_engines_in_trouble() == []

    def test_leaves_transcripts_alone(self, judged, without_recognizer):
        accept_recordings(judged, 1)
        run_due_jobs()
        file = accept(judged)

        run_due_jobs()

        file.refresh_from_db()
        assert file.status == "transcribed"

    def test_is_shown_by_doctor_metrics_and_the_counts(self, judged, without_recognizer):
        accept_recordings(judged, 2)
        run_due_jobs()
        processes.beat("worker", jobs.QUEUES)

        check = site_checks.check_engine_states()
        samples = metrics.collect_metrics()

        assert (
            f"speech pocketsphinx on {HOST} is paused: The demo recognizer is not installed." in check.detail
        )
        assert "tried again every minute" in check.advice
        assert samples[f'callscope_engine_paused{{address="pocketsphinx on {HOST}",kind="speech"}}'] == 1
        assert samples['callscope_jobs{queue="asr",state="paused"}'] == 2

    def test_of_another_machine_holds_nothing_back_here(self, judged, without_recognizer):
        processes.beat("worker", jobs.QUEUES)
        EngineState.objects.create(
            kind="speech", address="pocketsphinx on asr2", state="paused", reason="missing",
            since=timezone.now() - dt.timedelta(days=2), probe_at=timezone.now() + dt.timedelta(hours=1),
        )  # fmt: skip

        assert states.read_gate() == states.Gate()
        assert site.find_blocked_needs() == set()

    def test_that_works_on_another_machine_gives_no_recording_up(self, judged, without_recognizer, settings):
        accept_recordings(judged, 1)
        run_due_jobs()
        past = timezone.now() - dt.timedelta(seconds=settings.ENGINE_PATIENCE + 1)
        EngineState.objects.update(since=past)
        processes.beat("worker", jobs.QUEUES)
        assert states.find_blocked_for(settings.ENGINE_PATIENCE) == ["speech"]

        row = processes.list_alive()[0]
        row.pk, row.identity, row.host = None, "asr2:1:1", "asr2"
        row.save(force_insert=True)

        assert states.find_blocked_for(settings.ENGINE_PATIENCE) == []

    def test_is_not_listed_while_it_never_failed(self, settings):
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, transcriber=EngineAddress("demo"))

        assert list_engine_states() == []


@pytest.fixture
def missing_folder(settings, tmp_path):
    place = tmp_path / "absent"
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, embed_model_dir=str(place))
    return place


class TestSentenceModel:
    def test_that_is_not_there_parks_calls_until_it_is(self, judged, missing_folder, folder):
        for _ in range(2):
            accept(judged)

        try_again()

        assert analyses() == [("queued", 0)] * 2
        assert [status.reason for status in list_engines_in_trouble()] == ["missing"]
        missing_folder.symlink_to(folder)
        end_pause()
        run_due_jobs()
        assert analyses() == [("done", 1)] * 2
        assert list_engines_in_trouble() == []

    def test_of_a_private_project_parks_its_calls_too(self, project, missing_folder):
        accept(configure(project, {**RUBRIC, "private_transcription": True}))

        try_again()

        assert analyses() == [("queued", 0)]

    def test_is_not_needed_where_a_language_model_judges(self, judged, missing_folder, settings):
        with ScriptedChatServer(lambda *_: ScriptedReply("bad key", status=401)) as server:
            settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress(server.url, model="m"))
            accept(judged)

            run_due_jobs()

        assert [status.kind for status in list_engines_in_trouble()] == ["language"]


class TestEmbeddingServer:
    def test_that_is_away_lets_no_language_model_be_asked_in_vain(self, project, judged, settings):
        """Trackers are compared by meaning after the language model has answered, which is paid for."""
        settings.ENVIRONMENT = replace(
            settings.ENVIRONMENT,
            llm=EngineAddress("http://llm.example/v1"),
            embed_url=EngineAddress("http://vectors.example/v1"),
        )
        rule = {"speaker": "customer", "any_of": ["they took the money two times"]}
        trackers = [{"id": "twice", "name": "Twice", "rule": rule}]
        assert needs.find_needs(Job.Kind.ANALYZE, judged, UploadedFile()) == needs.LANGUAGE
        configure(project, {**RUBRIC, "trackers": trackers})
        assert needs.find_needs(Job.Kind.ANALYZE, project, UploadedFile()) == needs.LANGUAGE_VECTORS

        vectors = EngineId("embeddings", "http://vectors.example/v1")
        states.record_trouble(vectors, Job(), Trouble.UNREACHABLE, "It cannot be reached.")

        assert states.read_gate().blocked == {needs.LANGUAGE_VECTORS, needs.EMBEDDINGS}
        assert site.find_blocked_needs() == {needs.LANGUAGE_VECTORS, needs.EMBEDDINGS}
