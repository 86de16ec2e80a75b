"""Retrying everything that failed: what is queued, what is left, and two who retry at once."""

import threading

import pytest
from django.db import connections

from callscope.accounts.models import AuditEvent
from callscope.analysis import analyze
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.engines.errors import EngineRejected
from callscope.pipeline.files.prospects import Prospect
from callscope.pipeline.files.retry_failed import RetryCounts, count_prospects, retry_failed, retry_task
from callscope.pipeline.models import Job
from callscope.testing import run_due_jobs
from callscope.transcription import transcribe
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import accept

pytestmark = pytest.mark.django_db


def raising(error):
    def fail(*_, **__):
        raise error

    return fail


@pytest.fixture
def break_transcription(monkeypatch):
    """Accept files whose transcription fails with a sentence."""

    def fail(project, count, sentence="The key is wrong."):
        files = [accept(project) for _ in range(count)]
        with monkeypatch.context() as broken:
            broken.setattr(transcribe, "transcribe", raising(EngineRejected(sentence)))
            run_due_jobs()
        return files

    return fail


@pytest.fixture
def break_analysis(monkeypatch):
    """Accept files whose analysis fails with a sentence."""

    def fail(project, count, sentence="The quota is used up."):
        files = [accept(project) for _ in range(count)]
        with monkeypatch.context() as broken:
            broken.setattr(analyze, "analyze", raising(EngineRejected(sentence)))
            run_due_jobs()
        return files

    return fail


class TestRetryFailed:
    def test_queues_failed_transcriptions_and_failed_analyses_alike(
        self, judged, break_transcription, break_analysis
    ):
        unheard, unjudged = break_transcription(judged, 2), break_analysis(judged, 3)

        counts = retry_failed([judged])

        assert counts == RetryCounts(transcriptions=2, analyses=3, left=0)
        assert set(UploadedFile.objects.filter(pk__in=[f.pk for f in unheard]).values_list("status")) == {
            ("uploaded",)
        }
        run_due_jobs()
        live = CallAnalysis.objects.filter(is_live=True).values_list("file_id", flat=True)
        assert set(live) == {file.pk for file in [*unheard, *unjudged]}

    def test_says_in_the_trail_what_was_tried_again(self, judged, break_analysis):
        (file,) = break_analysis(judged, 1)

        retry_failed([judged], by=judged.owner)

        event = AuditEvent.objects.get(action="file.retried")
        assert (event.subject, event.actor_id) == (f"file {file.pk}", judged.owner_id)
        assert event.detail == {"project": judged.pk, "stage": "analyze"}

    def test_changes_nothing_when_it_is_repeated(self, judged, break_transcription, break_analysis):
        break_transcription(judged, 1)
        break_analysis(judged, 1)
        retry_failed([judged])

        assert retry_failed([judged]) == RetryCounts()
        assert Job.objects.filter(state=Job.State.QUEUED).count() == 2

    def test_runs_an_analysis_again_of_which_only_a_part_failed(self, judged):
        file = accept(judged)
        run_due_jobs()
        CallAnalysis.objects.filter(file=file).update(insights_state=AnalysisState.FAILED)

        assert retry_failed([judged]) == RetryCounts(analyses=1)
        run_due_jobs()
        assert CallAnalysis.objects.get(file=file).insights_state == AnalysisState.COMPLETED

    def test_leaves_recordings_that_would_fail_again_unless_they_are_named(self, judged, break_transcription):
        short, other = break_transcription(judged, 2)
        UploadedFile.objects.filter(pk=short.pk).update(error_reason="audio_too_short", error_detail="")

        hopeless = {"audio_too_short": 1}
        assert retry_failed([judged]) == RetryCounts(transcriptions=1, left=1, hopeless=hopeless)
        assert retry_failed([judged], reason="audio_too_short") == RetryCounts(transcriptions=1)
        assert Job.objects.filter(state=Job.State.QUEUED, subject_id=other.pk).count() == 1

    def test_chooses_by_the_words_of_the_reason(self, judged, break_transcription, break_analysis):
        break_transcription(judged, 1, "The key is wrong.")
        break_analysis(judged, 2, "The quota is used up.")

        assert retry_failed([judged], reason="QUOTA") == RetryCounts(analyses=2, left=1)
        assert retry_failed([judged], reason="The key") == RetryCounts(transcriptions=1)

    def test_leaves_files_that_a_newer_upload_replaced(self, judged, break_transcription):
        (old,) = break_transcription(judged, 1)
        accept(judged, name=old.original_filename)
        run_due_jobs()

        assert retry_failed([judged]) == RetryCounts()
        assert UploadedFile.objects.get(pk=old.pk).status == "failed"

    def test_leaves_what_has_no_recording_or_no_transcript_any_more(
        self, judged, break_transcription, break_analysis
    ):
        (unheard,), (unjudged,) = break_transcription(judged, 1), break_analysis(judged, 1)
        UploadedFile.objects.filter(pk=unheard.pk).update(storage_key="")
        Transcript.objects.filter(file=unjudged).delete()

        assert retry_failed([judged]) == RetryCounts(left=2)
        assert not Job.objects.filter(state=Job.State.QUEUED).exists()

    def test_retries_as_many_as_were_counted_that_may_end_better(
        self, judged, break_transcription, break_analysis
    ):
        refused = "The language model at llm.example refused to answer."
        short, gone, _ = break_transcription(judged, 3)
        UploadedFile.objects.filter(pk=short.pk).update(error_reason="audio_too_short", error_detail="")
        UploadedFile.objects.filter(pk=gone.pk).update(storage_key="")
        unjudged, again, damaged, *_ = break_analysis(judged, 5)
        Transcript.objects.filter(file=unjudged).delete()
        for file, why in ((again, refused), (damaged, "The recording cannot be decoded.")):
            CallAnalysis.objects.filter(file=file).update(errors={"calls_analysis_insights": why})

        assert count_prospects(judged) == {Prospect.GOOD: 3, Prospect.AFTER_A_CHANGE: 1, Prospect.NONE: 4}
        assert retry_failed([judged]).retried == 4
        assert +count_prospects(judged) == {Prospect.NONE: 4}

    def test_makes_a_new_task_where_the_former_is_gone(self, judged, break_transcription):
        (file,) = break_transcription(judged, 1)
        Job.objects.all().delete()

        assert retry_failed([judged]) == RetryCounts(transcriptions=1)
        file.refresh_from_db()
        assert Job.objects.get(pk=file.task_id).state == Job.State.QUEUED

    def test_gives_a_job_all_its_attempts_and_a_place_in_the_fair_order(self, judged, break_analysis):
        break_analysis(judged, 2)
        Job.objects.filter(kind="analyze").update(attempts=5)

        retry_failed([judged])

        queued = Job.objects.filter(state=Job.State.QUEUED)
        assert set(queued.values_list("attempts", flat=True)) == {0}
        assert len(set(queued.values_list("turn", flat=True))) == 2

    def test_keeps_what_was_completed_when_the_next_try_lacks_it(self, judged, monkeypatch):
        file = accept(judged)
        run_due_jobs()
        CallAnalysis.objects.filter(file=file).update(insights_state=AnalysisState.FAILED, insights=None)
        real = analyze.analyze

        def lose_the_scorecard(*arguments, **options):
            findings = real(*arguments, **options)
            findings.copc = None
            findings.errors["calls_analysis_copc"] = "The answer was nonsense."
            return findings

        monkeypatch.setattr(analyze, "analyze", lose_the_scorecard)
        before = CallAnalysis.objects.get(file=file).copc
        retry_failed([judged])
        run_due_jobs()

        after = CallAnalysis.objects.get(file=file)
        assert (after.copc, after.copc_state) == (before, AnalysisState.COMPLETED)
        assert after.insights_state == AnalysisState.COMPLETED
        assert after.errors == {}


@pytest.mark.django_db(transaction=True)
class TestRace:
    def test_queues_each_file_once_however_many_retry_at_once(
        self, judged, break_transcription, break_analysis
    ):
        unheard, unjudged = break_transcription(judged, 5), break_analysis(judged, 5)
        start = threading.Barrier(4)
        counts, errors = [], []

        def retry(single):
            try:
                start.wait(timeout=60)
                if single:
                    for file in [*unjudged, *unheard]:
                        try:
                            retry_task(UploadedFile.objects.get(pk=file.pk).task_id)
                            counts.append(1)
                        except Exception as error:
                            if type(error).__name__ != "TaskNotFailed":
                                raise
                else:
                    counts.append(retry_failed([judged]).retried)
            except Exception as error:
                errors.append(error)
            finally:
                connections.close_all()

        threads = [threading.Thread(target=retry, args=(n == 0,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)

        assert errors == []
        assert sum(counts) == 10
        assert Job.objects.filter(state=Job.State.QUEUED).count() == 10
        assert AuditEvent.objects.filter(action="file.retried").count() == 10
        run_due_jobs()
        assert CallAnalysis.objects.filter(is_live=True).count() == 10
