"""What a sweep removes and leaves of recordings, transcripts, results and calls; on both databases."""

import datetime as dt
from importlib import import_module

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent
from callscope.analysis.models import AnalysisState, CallAnalysis, results_removed
from callscope.calls.models import BytesToErase, Call, UploadedFile
from callscope.pipeline.erasure import due_removal, retention
from callscope.pipeline.files import retry_failed
from callscope.pipeline.files.progress import load_analysis_status
from callscope.pipeline.models import Job
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import Worker, claim_and_start
from callscope.projects.configuration import Retention
from callscope.projects.models import Project
from callscope.reports.call_list.call_detail import find_call
from callscope.reports.models import CallFact, Topic
from callscope.reports.overview.report import build_report
from callscope.reports.store import verify
from callscope.reports.window import Window
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.notes import create_note
from callscope.transcription.models import Transcript
from tests import bucket
from tests.pipeline.conftest import RUBRIC, accept, configure
from tests.pipeline.erasure.test_erasure import MARKERS, run_all, search_backup, search_tables, take_in

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()
WORDS = "kzqjxwords"


def keep(project: Project, **days: int) -> Project:
    """Give the project these days of retention."""
    return configure(project, {**RUBRIC, "retention": days})


def age(call_or_file, days: float) -> None:
    """Make the files of a call, or one file, so old."""
    files = UploadedFile.objects.filter(
        **({"call": call_or_file} if isinstance(call_or_file, Call) else {"pk": call_or_file.pk})
    )
    files.update(created_at=NOW - dt.timedelta(days=days))


def sweep(project: Project):
    return retention.sweep_project(project, now=NOW)


def give_recording(call: Call) -> UploadedFile:
    """Make the file of an analyzed call a recording with a copy for the player."""
    file = call.newest_file
    assert file is not None
    file.file_type = "audio"
    file.playback_key = default_storage.save("copy.flac", ContentFile(b"sound"))
    file.save()
    return file


@pytest.fixture
def calls(judged):
    """A call of 40 days with markers everywhere, and one of yesterday."""
    old = take_in(judged, "zqjxfile.srt", number="+34 919 283 746", agent="wzqjxagent")
    new = take_in(judged, "kept.srt", words="else", topic="plain bill", agent="Ana")
    age(old, 40)
    age(new, 1)
    return old, new


class TestRecordings:
    def test_go_with_their_copies_and_leave_transcript_and_results(self, judged, calls):
        file = give_recording(calls[0])
        give_recording(calls[1])
        keep(judged, recordings_days=30)

        receipt = sweep(judged)

        file.refresh_from_db()
        assert (file.storage_key, file.playback_key, file.sha256) == ("", "", "")
        assert file.content_removed_at == NOW
        assert (receipt.counts["recordings"], receipt.counts.total()) == (1, 1)
        assert len(default_storage.listdir("")[1]) == 2  # those of the other call
        assert not BytesToErase.objects.exists()
        assert Transcript.objects.count() == CallFact.objects.count() == 2

    def test_of_an_uploaded_transcript_are_none(self, judged, calls):
        keep(judged, recordings_days=30)

        assert sweep(judged).counts.total() == 0
        assert len(default_storage.listdir("")[1]) == 2

    def test_count_from_the_upload_and_not_from_the_time_of_the_call(self, judged, calls):
        file = give_recording(calls[1])
        Call.objects.filter(pk=calls[1].pk).update(call_datetime=NOW - dt.timedelta(days=900))
        keep(judged, recordings_days=30)

        sweep(judged)

        file.refresh_from_db()
        assert file.storage_key


class TestTranscripts:
    def test_go_with_every_quote_and_leave_the_figures(self, judged, calls):
        analysis = CallAnalysis.objects.get(call=calls[0])
        analysis.insights = {**analysis.insights, "goal_quote": f"[00:03] {WORDS}"}
        analysis.save()
        keep(judged, transcripts_days=30)
        before = build_report([judged], Window())

        receipt = sweep(judged)

        assert WORDS not in str(list(CallAnalysis.objects.values_list()))
        assert not Transcript.objects.filter(file__call=calls[0]).exists()
        assert default_storage.listdir("")[1] == ["kept.srt"]
        assert receipt.counts["transcripts"] == 1
        analysis.refresh_from_db()
        (score,) = analysis.copc["criterion_scores"]
        assert (score["score"], score["quote"], score["quote_start"], score["justification"]) == (
            10, "", None, "",
        )  # fmt: skip
        assert analysis.insights["goal_quote"] == ""
        assert build_report([judged], Window()) == before
        assert verify.find_discrepancies() == []

    def test_of_an_import_are_its_quotes(self, judged, calls):
        Transcript.objects.filter(file__call=calls[0]).delete()
        UploadedFile.objects.filter(call=calls[0]).update(storage_key="", file_type="audio")
        keep(judged, transcripts_days=30)

        assert sweep(judged).counts["transcripts"] == 1
        assert sweep(judged).counts.total() == 0
        assert CallAnalysis.objects.get(call=calls[0]).copc["criterion_scores"][0]["quote"] == ""


class TestResults:
    def test_leave_the_reports_and_no_topic_of_theirs_stays(self, judged, calls):
        keep(judged, results_days=30)

        receipt = sweep(judged)

        assert [fact.call_id for fact in CallFact.objects.all()] == [calls[1].pk]
        assert [topic.text for topic in Topic.objects.all()] == ["plain bill"]
        assert "vzqjxtopic" not in search_tables()
        assert receipt.counts["analyses"] == 1
        assert Transcript.objects.count() == 2
        assert verify.find_discrepancies() == []
        assert load_analysis_status([judged])["duplicate_uploads"] == 0

    def test_are_dated_until_others_count(self, judged, calls):
        keep(judged, results_days=30)

        sweep(judged)

        removed = Call.objects.filter(results_removed("pk"))
        assert [call.pk for call in removed] == [calls[0].pk]
        assert UploadedFile.objects.get(call=calls[0]).results_removed_at == NOW
        assert UploadedFile.objects.get(call=calls[1]).results_removed_at is None
        found = find_call([judged], calls[0].pk)
        assert (found.results_removed_at, found.days_until_removal) == (NOW, 40)
        assert found.transcript.file_id == calls[0].newest_file_id

        accept(judged, name="zqjxfile.srt")
        run_all()

        assert not removed.all().exists()
        assert find_call([judged], calls[0].pk).results_removed_at is None

    def test_of_earlier_sweeps_are_dated_by_the_audit_trail(self, judged, calls):
        keep(judged, results_days=30)
        sweep(judged)
        UploadedFile.objects.update(results_removed_at=None)

        import_module("callscope.calls.migrations.0012_results_removed").date_earlier_removals(apps, None)

        event = AuditEvent.objects.get(action="retention.applied")
        assert UploadedFile.objects.get(call=calls[0]).results_removed_at == event.at
        assert UploadedFile.objects.get(call=calls[1]).results_removed_at is None

    def test_link_an_agent_no_longer_whom_only_they_named(self, judged, calls):
        Call.objects.filter(pk=calls[0].pk).update(agent_source="llm")
        keep(judged, results_days=30)

        sweep(judged)

        assert Call.objects.get(pk=calls[0].pk).agent is None
        assert "wzqjxagent" not in search_tables()


class TestAWholeCall:
    def test_goes_with_its_name_and_number_when_nothing_of_it_is_left(self, judged, calls, tmp_path):
        keep(judged, recordings_days=30, transcripts_days=20, results_days=10)

        receipt = sweep(judged)

        assert search_tables() == search_backup(tmp_path / "new.zip") == set()
        assert [call.file_name for call in Call.objects.all()] == ["kept.srt"]
        assert (receipt.counts["calls"], receipt.counts["analyses"], receipt.counts["transcripts"]) == (
            1,
            1,
            1,
        )
        assert verify.find_discrepancies() == []

    def test_stays_while_a_newer_file_keeps_something(self, judged, calls):
        newer = accept(judged, name="zqjxfile.srt")
        run_all()
        keep(judged, transcripts_days=20, results_days=10)

        receipt = sweep(judged)

        assert receipt.counts["calls"] == 0
        assert Call.objects.get(pk=calls[0].pk).newest_file_id == newer.pk
        assert CallFact.objects.filter(call_id=calls[0].pk).exists()
        assert load_analysis_status([judged])["duplicate_uploads"] == 1
        assert verify.find_discrepancies() == []

    def test_goes_later_when_its_last_part_does(self, judged, calls):
        keep(judged, results_days=10)
        sweep(judged)
        keep(judged, results_days=10, transcripts_days=20)

        assert sweep(judged).counts["calls"] == 1
        assert not set(MARKERS) & search_tables()

    def test_of_a_general_project_is_a_file(self, judged, calls):
        Project.objects.filter(pk=judged.pk).update(type="general")
        CallAnalysis.objects.all().delete()
        UploadedFile.objects.update(call=None)
        Call.objects.all().delete()
        judged.refresh_from_db()
        keep(judged, transcripts_days=20)

        assert sweep(judged).counts["files"] == 1
        assert [file.original_filename for file in UploadedFile.objects.all()] == ["kept.srt"]


class TestASweep:
    def test_leaves_alone_what_is_being_processed(self, judged, calls):
        accept(judged, name="zqjxfile.srt")  # waits for its transcription
        keep(judged, transcripts_days=20, results_days=10)

        assert sweep(judged).counts.total() == 0
        assert due_removal.forecast_removal(judged, judged.configuration.retention, NOW).is_empty

    def test_is_forecast_exactly(self, judged, calls):
        give_recording(calls[0])
        days = Retention(recordings_days=30, transcripts_days=30, results_days=30)
        keep(judged, recordings_days=30, transcripts_days=30, results_days=30)

        found = due_removal.forecast_removal(judged, days, NOW)
        counts = sweep(judged).counts

        assert found == due_removal.Forecast(recordings=1, transcripts=1, results=1, calls=1)
        assert (counts["recordings"], counts["transcripts"], counts["analyses"], counts["calls"]) == (
            1,
            1,
            1,
            1,
        )
        assert due_removal.forecast_removal(judged, days, NOW).is_empty

    def test_is_forecast_with_the_texts_of_notes(self, judged, calls):
        create_note(calls[0], "said something", 1.0, judged.owner, is_shared=False)
        days = Retention(transcripts_days=30)
        keep(judged, transcripts_days=30)

        found = due_removal.forecast_removal(judged, days, NOW)
        sweep(judged)

        assert found == due_removal.Forecast(recordings=0, transcripts=1, results=0, calls=0, notes=1)
        assert CoachingNote.objects.get().text == ""
        assert due_removal.forecast_removal(judged, days, NOW).is_empty

    def test_works_in_portions_each_with_its_event(self, judged, calls, monkeypatch):
        monkeypatch.setattr(retention, "FILES_AT_ONCE", 1)
        age(calls[1], 50)
        keep(judged, transcripts_days=20, results_days=10)

        receipt = sweep(judged)

        events = AuditEvent.objects.filter(action="retention.applied").order_by("number")
        assert receipt.audit_events == [event.number for event in events]
        assert [event.detail["erased"]["calls"] for event in events] == [1, 1]
        assert events[0].detail["days"]["results_days"] == 10
        assert receipt.chain_hash == events[1].digest
        assert audit.verify_chain().problems == []

    def test_that_ends_on_the_way_is_taken_up_by_the_next(self, judged, calls, monkeypatch):
        monkeypatch.setattr(retention, "FILES_AT_ONCE", 1)
        age(calls[1], 50)
        keep(judged, transcripts_days=20, results_days=10)
        real, erased = retention._record, []

        def die_at_the_second(*arguments):
            if erased:
                raise KeyboardInterrupt
            erased.append(real(*arguments))

        monkeypatch.setattr(retention, "_record", die_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            sweep(judged)
        assert Call.objects.count() == 1
        assert verify.find_discrepancies() == []

        monkeypatch.setattr(retention, "_record", real)
        assert sweep(judged).counts["calls"] == 1
        assert not Call.objects.exists()

    def test_of_bytes_that_storage_does_not_give_is_ended_by_a_worker(self, judged, calls, monkeypatch):
        keep(judged, transcripts_days=20)
        with monkeypatch.context() as patch:

            def refuse(keys):
                raise OSError("away")

            patch.setattr("callscope.calls.storage.remove", refuse)
            sweep(judged)

        assert [marker.storage_key for marker in BytesToErase.objects.all()] == ["zqjxfile.srt"]
        from callscope.calls import erasure

        erasure.erase_stale(now=timezone.now() + dt.timedelta(days=2))
        assert default_storage.listdir("")[1] == ["kept.srt"]


class TestEveryDay:
    def test_a_worker_sweeps_projects_that_have_days_once(self, judged, calls):
        Project.objects.create(name="Keeps all", owner=judged.owner)
        keep(judged, transcripts_days=20, results_days=10)

        Worker().run_maintenance()
        run_all()
        assert retention.enqueue_due_sweeps(now=timezone.now()) == 0

        assert [call.file_name for call in Call.objects.all()] == ["kept.srt"]
        assert [job.state for job in Job.objects.filter(kind="retention")] == ["done"]

        assert retention.enqueue_due_sweeps(now=timezone.now() + dt.timedelta(days=1, minutes=1)) == 1
        assert Job.objects.filter(kind="retention").count() == 1

    def test_a_failure_touches_no_file_of_the_same_number(self, judged, calls, monkeypatch):
        keep(judged, transcripts_days=20)
        retention.enqueue_due_sweeps(now=timezone.now())
        job = claim_and_start()
        job.attempts = 99
        CallAnalysis.objects.update(insights_state=AnalysisState.QUEUED)
        Job.objects.filter(pk=job.pk).update(subject_id=calls[0].newest_file_id)
        job.subject_id = calls[0].newest_file_id

        def fail(*_arguments, **_options):
            raise ValueError

        monkeypatch.setattr(retention, "sweep_project", fail)
        run_stage(job)

        assert Job.objects.get(pk=job.pk).state == "failed"
        assert set(CallAnalysis.objects.values_list("insights_state", flat=True)) == {AnalysisState.QUEUED}


class TestWorkingAgain:
    def fail(self, call: Call, kind: str) -> Job:
        job = Job.objects.get(kind=kind, subject_id=call.newest_file_id)
        Job.objects.filter(pk=job.pk).update(state="failed")
        CallAnalysis.objects.filter(call=call).update(insights_state=AnalysisState.FAILED)
        return Job.objects.get(kind="transcribe", subject_id=call.newest_file_id)

    @pytest.mark.parametrize(
        ("kind", "code"), [("transcribe", "content_removed"), ("analyze", "transcript_removed")]
    )
    def test_on_what_was_removed_is_refused(self, judged, calls, kind, code):
        keep(judged, transcripts_days=20)
        sweep(judged)

        with pytest.raises(retry_failed.ContentRemoved) as refusal:
            retry_failed.retry_task(self.fail(calls[0], kind).pk)

        assert refusal.value.message.code == code

    @pytest.mark.parametrize("kind", ["transcribe", "analyze"])
    def test_ends_with_a_sentence_where_a_sweep_was_faster(self, judged, calls, kind):
        keep(judged, transcripts_days=20)
        sweep(judged)
        with transaction.atomic():
            Job.objects.filter(subject_id=calls[0].newest_file_id).delete()
            from callscope.pipeline.queue import jobs

            job = jobs.enqueue(kind, judged, calls[0].newest_file_id)
        run_all()

        job.refresh_from_db()
        assert job.state == "failed"
        assert "removed by the retention" in job.error


class TestInABucket:
    def test_objects_go_too(self, judged, calls, monkeypatch, settings):
        with bucket.served() as address:
            variables = bucket.environment(address)
            for name, value in variables.items():
                monkeypatch.setenv(name, value)
            url = variables["CALLSCOPE_STORAGE_URL"]
            name, _, prefix = url.removeprefix("s3://").partition("/")
            settings.STORAGES = {
                **settings.STORAGES,
                "default": {
                    "BACKEND": "tests.bucket.storage",
                    "OPTIONS": {"bucket_name": name, "location": prefix},
                },
            }
            stored = take_in(judged, "in-a-bucket.srt")
            age(stored, 40)
            assert len(bucket.objects(address, url)) == 1
            keep(judged, transcripts_days=30)

            assert sweep(judged).counts["transcripts"] == 2
            assert bucket.objects(address, url) == []
            bucket.storage.cache_clear()
