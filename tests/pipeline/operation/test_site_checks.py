"""What `callscope doctor` says of the whole installation."""

import collections
import dataclasses
import datetime as dt

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.environment import EngineAddress
from callscope.pipeline.models import EngineState, Job, SiteProcess
from callscope.pipeline.operation import health_checks, metrics, processes, site_checks
from tests.pipeline.conftest import accept

pytestmark = pytest.mark.django_db
GIGABYTE = 1024**3
Usage = collections.namedtuple("Usage", "total used free")


def worker(queues="asr,llm,default", **values):
    now = timezone.now()
    values = {"host": "w1", "role": "worker", "started_at": now, "seen_at": now, **values}
    return SiteProcess(identity=f"elsewhere/1/{queues}{values['host']}", queues=queues, **values)


class TestDisk:
    @pytest.mark.parametrize(
        ("free", "is_ok", "is_warning"),
        [(50 * GIGABYTE, True, False), (1 * GIGABYTE, False, True), (320 * 1024, False, False)],
    )
    def test_has_thresholds(self, monkeypatch, free, is_ok, is_warning):
        monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(100 * GIGABYTE, 0, free))

        check = site_checks.check_disk()

        assert (check.is_ok, check.is_warning) == (is_ok, is_warning)
        assert bool(check.advice) is not is_ok


class TestClock:
    @pytest.mark.parametrize(
        ("ahead_s", "is_ok", "is_warning"), [(0.5, True, False), (-4, False, True), (40, False, False)]
    )
    def test_of_each_machine_is_compared(self, ahead_s, is_ok, is_warning):
        check = site_checks.check_clock([worker(clock_ahead_ms=ahead_s * 1000)])

        assert (check.is_ok, check.is_warning) == (is_ok, is_warning)
        if not is_ok:
            assert "w1 is" in check.detail

    def test_of_the_database_can_be_asked(self):
        ahead_ms = processes.measure_clock_ms()

        assert ahead_ms is None or abs(ahead_ms) < 60_000


class TestWorkers:
    def test_are_counted_for_each_queue(self):
        check = site_checks.check_workers([worker(), worker("asr", host="w2")])

        assert (check.is_ok, check.detail) == (True, "asr 2, llm 1, default 1")

    def test_that_are_missing_are_a_warning_until_something_waits(self, project):
        before = site_checks.check_workers([worker("asr")])
        Job.objects.create(kind="analyze", queue="llm", project=project, subject_id=1, run_after=Now())
        after = site_checks.check_workers([worker("asr")])

        assert (before.is_ok, before.is_warning) == (False, True)
        assert (after.is_ok, after.is_warning) == (False, False)
        assert "--queues llm,default" in after.advice


class TestJobs:
    def test_that_run_without_a_worker_are_stuck(self, project):
        long_ago = timezone.now() - dt.timedelta(minutes=10)
        Job.objects.create(
            kind="analyze",
            queue="llm",
            project=project,
            subject_id=1,
            state="running",
            run_after=long_ago,
            lease_until=long_ago,
        )

        check = site_checks.check_waiting_jobs([])

        assert (check.is_ok, check.is_warning) == (False, False)
        assert "1 running without a worker" in check.detail

    def test_that_wait_for_hours_are_named(self, project):
        long_ago = timezone.now() - dt.timedelta(hours=3)
        Job.objects.create(kind="analyze", queue="llm", project=project, subject_id=1, run_after=long_ago)

        check = site_checks.check_waiting_jobs([worker()])

        assert check.is_warning
        assert "the oldest for 3.0 h" in check.detail

    def test_that_failed_are_counted_with_what_to_do(self, project):
        reasons = ("", "audio_too_short")  # the second would fail again
        for number, reason in enumerate(reasons):
            file = accept(project, name=f"call-{number}.wav", file_type="audio")
            UploadedFile.objects.filter(pk=file.pk).update(status="failed", error_reason=reason)
        judged = accept(project)
        UploadedFile.objects.filter(pk=judged.pk).update(status="transcribed")
        states = dict.fromkeys(STATE_FIELDS.values(), AnalysisState.COMPLETED)
        failed = {"insights_state": AnalysisState.FAILED}
        CallAnalysis.objects.filter(file=judged).update(**states | failed)  # its job is done
        Job.objects.update(state="done")
        Job.objects.create(
            kind="probe",
            queue="llm",
            project=project,
            subject_id=1,
            run_after=timezone.now(),
            state="failed",
        )

        check = site_checks.check_failed_jobs()

        assert check.is_warning
        assert check.detail == "transcriptions: 1, analyses: 1, probe: 1"
        assert "callscope retry --failed" in check.advice


class TestEngineStates:
    def test_name_what_work_pauses_for(self, settings):
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, llm=EngineAddress("http://llm.example/v1")
        )
        now = timezone.now()
        EngineState.objects.create(
            kind="language",
            address="http://llm.example/v1",
            state="paused",
            reason="key",
            detail="It refuses the key.",
            since=now,
            probe_at=now,
        )

        check = site_checks.check_engine_states()

        assert check.is_warning
        assert "language http://llm.example/v1 is paused: It refuses the key." in check.detail
        assert "Correct its key" in check.advice


class TestEnginesOfOtherHosts:
    """A web process whose own settings name no engine."""

    SPEECH = "https://asr.example/v1"

    @pytest.fixture
    def asr_worker(self):
        """A live worker of another host, which waits for its speech engine."""
        now = timezone.now()
        EngineState.objects.create(
            kind="speech",
            address=self.SPEECH,
            state="paused",
            reason="key",
            detail="It refuses the key.",
            since=now,
            probe_at=now + dt.timedelta(minutes=1),
        )
        return SiteProcess.objects.create(
            identity="elsewhere/1/asr",
            role="worker",
            host="asr1",
            queues="asr",
            settings={"CALLSCOPE_TRANSCRIBER": "https://me:***@asr.example/v1/"},
            started_at=now,
            seen_at=now,
        )

    def test_are_shown_while_they_are_in_trouble(self, asr_worker):
        assert f"speech {self.SPEECH} is paused" in site_checks.check_engine_states().detail

        SiteProcess.objects.update(seen_at=timezone.now() - dt.timedelta(minutes=5))

        assert site_checks.check_engine_states().is_ok

    def test_pause_their_jobs(self, asr_worker, project):
        long_ago = timezone.now() - dt.timedelta(hours=3)
        job = {"project": project, "run_after": long_ago}
        Job.objects.create(kind="transcribe", queue="asr", needs="speech", subject_id=1, **job)

        check = site_checks.check_waiting_jobs([asr_worker])
        found = metrics.collect_metrics()

        assert check.is_ok
        assert "0 due, 1 in a pause" in check.detail
        assert found['callscope_jobs{queue="asr",state="due"}'] == 0
        assert found['callscope_jobs{queue="asr",state="paused"}'] == 1
        assert found['callscope_oldest_due_job_seconds{queue="asr"}'] == 0
        assert found[f'callscope_engine_paused{{address="{self.SPEECH}",kind="speech"}}'] == 1

        EngineState.objects.update(state="working", probe_at=None)

        assert not site_checks.check_waiting_jobs([asr_worker]).is_ok
        assert metrics.collect_jobs()['callscope_jobs{queue="asr",state="due"}'] == 1

    def test_that_hear_speech_are_asked_there(self, asr_worker, settings):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, transcriber=EngineAddress(""))

        speech, private, *_ = health_checks.check_engines([asr_worker])

        assert (speech.is_ok, speech.detail) == (True, "asked on asr1; run `callscope doctor` there")
        assert "asr1" not in private.detail


class TestReportStore:
    def test_is_fine_in_a_new_installation(self):
        assert site_checks.check_report_store().is_ok
