"""The way of a file from upload to reports, with the real rooms; engines fail where a test says so."""

import datetime as dt
import errno

import pytest
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.analysis.results.findings import EngineUse
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons import grouping
from callscope.contact_reasons.models import CallReason, ContactReason, Regrouping
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.files import regrouping
from callscope.pipeline.files.progress import load_analysis_status
from callscope.pipeline.files.retry_failed import TaskNotFailed, retry_task
from callscope.pipeline.models import Job, UsageEntry
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers import stages, worker
from callscope.projects.models import Project
from callscope.reports.models import CallFact
from callscope.testing import run_due_jobs
from callscope.transcription import transcribe
from tests.pipeline.conftest import RUBRIC, TALK, accept, configure, srt

pytestmark = pytest.mark.django_db


def raising(error):
    def fail(*_args, **_kwargs):
        raise error

    return fail


def run_next():
    job = worker.claim_and_start()
    stages.run_stage(job)
    job.refresh_from_db()
    return job


@pytest.fixture
def analysis_fails_with(monkeypatch):
    from callscope.analysis import analyze

    return lambda error: monkeypatch.setattr(analyze, "analyze", raising(error))


@pytest.fixture
def transcription_fails_with(monkeypatch):
    return lambda error: monkeypatch.setattr(transcribe, "transcribe", raising(error))


class TestEndlessAnalysis:
    def test_fails_at_once_and_says_why(self, judged, monkeypatch):
        monkeypatch.setattr("callscope.analysis.analyze.RULES_LIMIT_S", -1.0)
        file = accept(judged)
        run_next()

        job = run_next()

        assert (job.kind, job.state, job.attempts) == (Job.Kind.ANALYZE, Job.State.FAILED, 1)
        analysis = CallAnalysis.objects.get(file=file)
        assert "too many phrases for a transcript of this length" in next(iter(analysis.errors.values()))


class TestFile:
    def test_ends_in_the_reports(self, judged):
        file = accept(judged)

        run_due_jobs()

        file.refresh_from_db()
        analysis = CallAnalysis.objects.get(file=file)
        assert file.status == UploadedFile.Status.TRANSCRIBED
        assert (analysis.copc_state, analysis.insights_state) == (AnalysisState.COMPLETED,) * 2
        assert analysis.is_live
        assert analysis.copc["total_points"] == 10
        assert CallFact.objects.filter(call_id=file.call_id).exists()

    def test_that_was_half_heard_is_in_the_reports_without_a_reason(self, judged):
        noise = (
            "glarb fen troo whask brindle mok tarvit sool quendy blarn vesti crump olvid wherz nint frobel"
        )
        file = accept(judged, srt([("Agent", f"Good morning, {noise}"), ("Customer", noise)]))

        run_due_jobs()

        analysis, fact = CallAnalysis.objects.get(file=file), CallFact.objects.get(call_id=file.call_id)
        assert analysis.copc["total_points"] == 10  # the phrase stands there
        assert analysis.insights["topic"] == ""
        assert (fact.half_heard, fact.topic, fact.sentiment) == (True, None, None)
        assert not CallReason.objects.filter(call=file.call_id).exists()

    def test_shows_that_it_is_worked_on(self, judged):
        file = accept(judged)

        job = worker.claim_and_start()
        file.refresh_from_db()
        assert file.status == UploadedFile.Status.TRANSCRIBING

        stages.run_stage(job)
        worker.claim_and_start()
        assert CallAnalysis.objects.get(file=file).copc_state == AnalysisState.PROCESSING

    def test_never_looks_finished_between_upload_and_result(self, judged):
        accept(judged)
        seen = [load_analysis_status([judged])["in_progress"]]
        for _ in range(2):
            job = worker.claim_and_start()
            seen.append(load_analysis_status([judged])["in_progress"])
            assert all(seen)
            stages.run_stage(job)
            seen.append(load_analysis_status([judged])["in_progress"])

        assert seen == [True, True, True, True, False]

    def test_of_a_general_project_is_transcribed_only(self, alice):
        general = Project.objects.create(name="Notes", owner=alice, type=Project.Type.GENERAL)
        file = accept(general)
        CallAnalysis.objects.all().delete()
        UploadedFile.objects.update(call=None)

        run_due_jobs()

        file.refresh_from_db()
        assert file.status == UploadedFile.Status.TRANSCRIBED
        assert list(Job.objects.values_list("kind", "state")) == [("transcribe", "done")]

    def test_that_was_deleted_meanwhile_ends_its_job_quietly(self, judged):
        file = accept(judged)
        CallAnalysis.objects.all().delete()
        file.delete()

        job = run_next()

        assert job.state == Job.State.DONE

    def test_links_the_agent_that_the_analysis_heard(self, judged):
        file = accept(judged)

        run_due_jobs()

        call = Call.objects.get(pk=file.call_id)
        assert (call.agent.name, call.agent_source) == ("Ana", "llm")

    def test_leaves_a_call_alone_whose_agent_was_unlinked(self, judged):
        file = accept(judged)
        Call.objects.update(agent_unlinked=True)

        run_due_jobs()

        assert Call.objects.get(pk=file.call_id).agent is None


class TestReupload:
    def test_replaces_the_former_results_as_a_whole(self, judged):
        first = accept(judged, name="c1.srt")
        run_due_jobs()
        second = accept(judged, srt([("Agent", "What do you want?"), *TALK[1:]]), name="c1.srt")
        assert CallAnalysis.objects.get(is_live=True).file == first

        run_due_jobs()

        former = CallAnalysis.objects.get(file=first)
        assert CallAnalysis.objects.get(is_live=True).file == second
        assert (former.superseded_by, former.superseded_by_file) == (judged.owner, second)
        assert former.superseded_at is not None
        assert CallFact.objects.count() == 1

    def test_that_fails_leaves_the_former_results_live(self, judged):
        first = accept(judged, name="c1.srt")
        run_due_jobs()
        second = accept(judged, b"no cues here", name="c1.srt")

        run_due_jobs()

        second.refresh_from_db()
        assert second.status == UploadedFile.Status.FAILED
        assert second.error_detail
        assert CallAnalysis.objects.get(is_live=True).file == first
        assert CallAnalysis.objects.get(file=second).copc_state == AnalysisState.FAILED
        assert not load_analysis_status([judged])["in_progress"]

    def test_that_overtakes_its_former_file_stays_live(self, judged):
        first = accept(judged, name="c1.srt")
        second = accept(judged, name="c1.srt")
        Job.objects.filter(subject_id=first.pk).update(run_after=timezone.now() + dt.timedelta(hours=1))
        run_due_jobs()
        Job.objects.filter(subject_id=first.pk).update(run_after=Now())

        run_due_jobs()

        former = CallAnalysis.objects.get(file=first)
        assert CallAnalysis.objects.get(is_live=True).file == second
        assert former.superseded_by_file == second
        assert former.copc_state == AnalysisState.COMPLETED


class TestEngineThatIsAway:
    def test_is_asked_five_times_and_then_the_file_fails(self, judged, transcription_fails_with):
        file = accept(judged)
        transcription_fails_with(EngineUnavailable("The engine at asr.example does not answer."))

        for attempt in range(1, jobs.MAX_ATTEMPTS + 1):
            job = run_next()
            assert job.attempts == attempt

        file.refresh_from_db()
        assert job.state == Job.State.FAILED
        assert (file.status, file.error_reason) == ("failed", "")
        assert file.error_detail == "The engine at asr.example does not answer."
        assert not load_analysis_status([judged])["in_progress"]

    def test_keeps_the_analysis_in_progress_while_it_is_asked_again(self, judged, analysis_fails_with):
        accept(judged)
        run_next()
        analysis_fails_with(EngineUnavailable("busy"))

        job = run_next()

        assert job.state == Job.State.QUEUED
        assert load_analysis_status([judged])["in_progress"]

    def test_is_paid_for_what_it_answered_before(self, judged, analysis_fails_with):
        file = accept(judged)
        run_next()
        error = EngineUnavailable("busy")
        error.usage = [EngineUse(engine="llm", model="m", input_tokens=70, output_tokens=9, cost_micros=5)]
        analysis_fails_with(error)

        run_next()

        entry = UsageEntry.objects.get(kind=UsageEntry.Kind.ANALYSIS)
        assert (entry.file, entry.input_tokens, entry.output_tokens, entry.cost_micros) == (file, 70, 9, 5)

    @pytest.mark.parametrize("error", [EngineRejected("The key is wrong."), BadOutput("No answer fits.")])
    def test_is_not_asked_again_when_the_answer_is_final(self, judged, analysis_fails_with, error):
        file = accept(judged)
        run_next()
        analysis_fails_with(error)

        job = run_next()

        analysis = CallAnalysis.objects.get(file=file)
        assert job.state == Job.State.FAILED
        assert analysis.copc_state == AnalysisState.FAILED
        assert analysis.errors["calls_analysis_copc"] == str(error)
        assert not analysis.is_live
        assert not CallFact.objects.exists()

    def test_gives_the_reason_that_the_interface_names(self, judged, transcription_fails_with):
        file = accept(judged)
        transcription_fails_with(transcribe.TranscriptionFailed("audio_too_short", "It has 8.0 s."))

        run_next()

        file.refresh_from_db()
        assert (file.status, file.error_reason) == ("failed", "audio_too_short")
        assert not UsageEntry.objects.exists()


class TestFullDisk:
    def test_is_no_verdict_on_a_recording(self, judged, transcription_fails_with, settings):
        settings.RETRY_PAUSE = 1
        file = accept(judged)
        transcription_fails_with(OSError(errno.ENOSPC, "No space left on device"))

        for _ in range(jobs.MAX_ATTEMPTS + 2):
            Job.objects.update(run_after=Now())
            job = run_next()

        file.refresh_from_db()
        assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
        assert job.run_after > timezone.now()
        assert "disk is full" in job.error
        assert file.status == UploadedFile.Status.TRANSCRIBING

    def test_that_is_over_lets_the_work_go_on(self, judged, monkeypatch):
        file = accept(judged)
        with monkeypatch.context() as patch:
            patch.setattr(transcribe, "transcribe", raising(OSError(errno.ENOSPC, "No space left on device")))
            run_next()
        Job.objects.update(run_after=Now())

        run_due_jobs()

        file.refresh_from_db()
        assert file.status == UploadedFile.Status.TRANSCRIBED


class TestMistakeOfOurs:
    def test_is_tried_again_and_reported_by_name_only(self, judged, transcription_fails_with):
        file = accept(judged)
        transcription_fails_with(ZeroDivisionError("secret words of a caller"))

        for _ in range(jobs.MAX_ATTEMPTS):
            run_next()

        file.refresh_from_db()
        assert "ZeroDivisionError" in file.error_detail
        assert "secret" not in file.error_detail


class TestLostLease:
    @pytest.mark.parametrize("stage", ["transcribe", "analyze"])
    def test_leaves_no_trace_of_the_loser(self, judged, stage):
        file = accept(judged)
        if stage == "analyze":
            run_next()
        job = worker.claim_and_start()
        Job.objects.filter(pk=job.pk).update(token=None, state=Job.State.QUEUED)

        stages.run_stage(job)

        file.refresh_from_db()
        assert not CallAnalysis.objects.filter(completed_at__isnull=False).exists()
        assert not CallFact.objects.exists()
        assert file.status == ("transcribing" if stage == "transcribe" else "transcribed")
        assert Job.objects.exclude(pk=job.pk).filter(state=Job.State.QUEUED).count() == 0


class TestRegrouping:
    def test_follows_when_the_project_is_quiet(self, judged, due_at_once):
        for _ in range(3):
            accept(judged)

        run_due_jobs()

        assert Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.DONE).count() == 1
        assert CallReason.objects.filter(project=judged).count() == 3
        assert not Regrouping.objects.exists()

    def test_waits_for_the_last_open_file(self, judged, due_at_once):
        accept(judged)
        late = accept(judged)
        Job.objects.filter(subject_id=late.pk).update(run_after=timezone.now() + dt.timedelta(hours=1))

        run_due_jobs()

        assert not Job.objects.filter(kind=Job.Kind.REGROUP).exists()

    def test_does_not_repeat_itself_without_new_calls(self, judged, due_at_once):
        accept(judged)
        run_due_jobs()
        with transaction.atomic():
            regrouping.request_if_idle(judged)

        assert Job.objects.filter(kind=Job.Kind.REGROUP).count() == 1

    def test_is_shown_from_request_to_end(self, judged):
        accept(judged)
        run_due_jobs()
        assert regrouping.request_regrouping([judged]) == [judged.pk]
        assert load_analysis_status([judged])["reclustering"]

        run_due_jobs()

        assert not load_analysis_status([judged])["reclustering"]

    def test_is_made_again_when_a_person_changed_a_reason_meanwhile(self, judged, due_at_once, monkeypatch):
        accept(judged)
        run_due_jobs()
        propose, reasons = grouping.propose_reasons, []

        def propose_while_somebody_renames(project):
            plan = propose(project)
            if not reasons:
                reasons.append(ContactReason.objects.filter(project=project).latest("pk"))
                reason_edits.edit_reason(reasons[0].pk, {"name": "By hand"}, project.owner)
            return plan

        monkeypatch.setattr(grouping, "propose_reasons", propose_while_somebody_renames)
        regrouping.request_regrouping([judged])
        before = Job.objects.filter(kind=Job.Kind.REGROUP).count()

        run_due_jobs()

        assert Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.DONE).count() == before + 1
        assert ContactReason.objects.get(pk=reasons[0].pk).name == "By hand"
        assert not load_analysis_status([judged])["reclustering"]

    def test_is_requested_once_however_often_one_asks(self, judged):
        for _ in range(3):
            assert regrouping.request_regrouping([judged]) == [judged.pk]

        assert Job.objects.filter(kind=Job.Kind.REGROUP).count() == 1

    def test_skips_predefined_codes_and_general_projects(self, project, alice):
        codes = {"contact_reasons": {"mode": "predefined", "codes": [{"code": "Billing"}]}}
        configure(project, codes)
        general = Project.objects.create(name="Notes", owner=alice, type=Project.Type.GENERAL)

        assert regrouping.request_regrouping([project, general]) == []
        assert not Job.objects.exists()

    def test_that_fails_takes_its_flag_down(self, judged, monkeypatch):
        from callscope.contact_reasons import grouping

        regrouping.request_regrouping([judged])
        monkeypatch.setattr(grouping, "propose_reasons", raising(EngineRejected("No such model.")))

        job = run_next()

        assert job.state == Job.State.FAILED
        assert not load_analysis_status([judged])["reclustering"]


class TestRequestDuringRegrouping:
    """A regrouping that is running has read its calls, so a request then means another one."""

    @pytest.fixture
    def running(self, judged):
        accept(judged)
        run_due_jobs()
        Job.objects.all().delete()
        regrouping.request_regrouping([judged])
        with transaction.atomic():
            return worker.claim_and_start()

    def test_leads_to_one_more_however_many_requests_come(self, judged, running):
        for _ in range(3):
            regrouping.request_regrouping([judged])
        assert Job.objects.filter(kind="regroup").count() == 1

        stages.run_stage(running)

        (following,) = Job.objects.filter(kind="regroup", state=Job.State.QUEUED)
        assert load_analysis_status([judged])["reclustering"]
        run_due_jobs()
        assert not load_analysis_status([judged])["reclustering"]
        assert not Job.objects.filter(kind="regroup", state__in=jobs.OPEN_STATES).exists()
        assert following.pk != running.pk

    def test_leads_to_one_more_when_the_running_one_fails(self, judged, running, monkeypatch):
        regrouping.request_regrouping([judged])
        with monkeypatch.context() as broken:
            broken.setattr(grouping, "propose_reasons", raising(EngineRejected("No such model.")))
            stages.run_stage(running)

        assert Job.objects.filter(kind="regroup", state=Job.State.QUEUED).count() == 1

    def test_is_not_needed_after_it(self, judged, running):
        stages.run_stage(running)

        assert not Job.objects.filter(kind="regroup", state=Job.State.QUEUED).exists()
        assert not load_analysis_status([judged])["reclustering"]


class TestRetry:
    def test_runs_a_failed_transcription_again(self, judged, transcription_fails_with, monkeypatch):
        file = accept(judged)
        with monkeypatch.context() as broken:
            broken.setattr(transcribe, "transcribe", raising(EngineRejected("The key is wrong.")))
            run_next()

        job = retry_task(file.task_id)

        file.refresh_from_db()
        assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
        assert (file.status, file.error_detail) == ("uploaded", "")
        assert load_analysis_status([judged])["in_progress"]
        run_due_jobs()
        assert CallAnalysis.objects.get(is_live=True).file == file

    def test_runs_a_failed_analysis_again_by_the_task_of_its_file(self, judged, monkeypatch):
        from callscope.analysis import analyze

        file = accept(judged)
        run_next()
        with monkeypatch.context() as broken:
            broken.setattr(analyze, "analyze", raising(EngineRejected("The key is wrong.")))
            run_next()

        retry_task(file.task_id)

        assert CallAnalysis.objects.get(file=file).copc_state == AnalysisState.QUEUED
        run_due_jobs()
        analysis = CallAnalysis.objects.get(file=file)
        assert analysis.is_live
        assert analysis.errors == {}

    def test_is_refused_while_the_task_is_open_and_after_it_is_done(self, judged):
        file = accept(judged)
        with pytest.raises(TaskNotFailed):
            retry_task(file.task_id)

        run_due_jobs()

        with pytest.raises(TaskNotFailed, match='The task is "done"'):
            retry_task(file.task_id)

    def test_knows_only_tasks_that_exist(self, judged):
        import uuid

        with pytest.raises(Job.DoesNotExist):
            retry_task(uuid.uuid4())


class TestProgress:
    def test_counts_calls_by_the_state_of_their_newest_file(self, judged):
        accept(judged, name="c1.srt")
        run_due_jobs()
        accept(judged, name="c1.srt")
        accept(judged, name="c2.srt")

        status = load_analysis_status([judged])

        copc = status["analysis_status"]["calls_analysis_copc"]
        assert copc == {"queued": 2, "processing": 0, "completed": 0, "failed": 0}
        assert status["analyzed_calls"] == 1
        assert status["duplicate_uploads"] == 1
        assert status["last_analyzed_at"] is not None

    def test_names_the_enabled_types_with_all_states(self, judged):
        status = load_analysis_status([judged])["analysis_status"]

        assert list(status) == ["calls_analysis_copc", "calls_analysis_insights"]
        assert status["calls_analysis_insights"] == dict.fromkeys(
            ("queued", "processing", "completed", "failed"), 0
        )

    def test_is_all_zero_for_no_projects(self):
        assert load_analysis_status([]) == {
            "analysis_status": {},
            "analyzed_calls": 0,
            "duplicate_uploads": 0,
            "in_progress": False,
            "reclustering": False,
            "last_analyzed_at": None,
            "waiting_for": [],
        }

    def test_drops_the_count_of_a_type_that_is_not_asked_for_any_more(self, judged):
        accept(judged)
        configure(judged, {**RUBRIC, "rubric": {"sections": []}})

        run_due_jobs()

        assert list(load_analysis_status([judged])["analysis_status"]) == ["calls_analysis_insights"]
