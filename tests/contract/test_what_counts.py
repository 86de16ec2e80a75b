"""docs/api.md, "What counts": calls, files, re-uploads and what the reports hold, as a client sees it."""

import pytest
from cast import with_key

from callscope.analysis.models import CallAnalysis
from callscope.pipeline.workers import worker
from callscope.projects.models import Project
from callscope.testing import run_due_jobs
from tests.api.samples import named
from tests.pipeline.conftest import RUBRIC, TALK, configure, srt

pytestmark = pytest.mark.django_db

TYPES = ("calls_analysis_copc", "calls_analysis_no_protocol", "calls_analysis_custom_questions")
ALL_ASKED = {
    **RUBRIC,
    "no_protocol": {"prompts": [{"id": "recording", "text": "Says it is recorded", "any_of": ["recorded"]}]},
    "custom_questions": ["Why?"],
}
RUDE = srt([("Agent", "What do you want?"), *TALK[1:]])


@pytest.fixture
def asked(project) -> Project:
    return configure(project, ALL_ASKED)


@pytest.fixture
def api(alice):
    return with_key(alice)[1]


@pytest.fixture
def upload(api, asked):
    def upload(content: bytes | None = None, name: str = "c1.srt", **fields):
        file = named(srt() if content is None else content, name)
        response = api.post("/api/files/", {"project": asked.pk, "file": file, **fields}, format="multipart")
        assert response.status_code == 201, response.content
        return response.json()

    return upload


def status(api):
    return api.get("/calls/api/analysis-status/").json()


def listed(api):
    return api.get("/calls/api/calls/").json()["results"]


class TestACall:
    def test_is_in_no_report_before_its_first_analysis(self, api, upload):
        upload()

        assert listed(api) == []
        assert api.get("/calls/api/report/").json()["total_calls_all_time"] == 0
        assert status(api)["analyzed_calls"] == 0

    def test_is_in_list_report_and_count_after_it(self, api, upload):
        body = upload(call_datetime="2026-03-02T10:00:00Z", direction="inbound")
        run_due_jobs()

        item = listed(api)[0]
        report = api.get("/calls/api/report/").json()

        assert (item["id"], item["file_id"], item["file_name"]) == (body["call_id"], body["id"], "c1.srt")
        assert (report["headline"]["total_calls"], report["total_calls_all_time"]) == (1, 1)
        assert report["headline"]["calls_with_metadata"] == 1
        assert [s["total_calls"] for s in report["shifts"]] == [1, 0]
        assert status(api)["analyzed_calls"] == 1

    def test_without_a_given_time_is_at_its_upload_and_in_no_shift(self, api, upload):
        body = upload()
        run_due_jobs()

        report = api.get("/calls/api/report/").json()
        record = api.get(f"/calls/api/calls/{body['call_id']}/").json()["record"]

        assert (record["call_datetime"], record["call_datetime_source"]) == (
            body["created_at"],
            "upload_time",
        )
        assert report["headline"]["calls_with_metadata"] == 0
        assert [s["total_calls"] for s in report["shifts"]] == [0, 0]


class TestAnalysisStatus:
    def test_has_every_type_with_all_four_states_from_the_moment_of_acceptance(self, api, upload):
        assert status(api)["in_progress"] is False

        upload()

        shown = status(api)
        assert set(shown["analysis_status"]) == {*TYPES, "calls_analysis_insights"}
        for states in shown["analysis_status"].values():
            assert states == {"queued": 1, "processing": 0, "completed": 0, "failed": 0}
        assert (shown["in_progress"], shown["last_analyzed_at"]) == (True, None)

    def test_never_says_done_before_the_last_result(self, api, upload):
        from callscope.pipeline.workers import stages

        upload()
        while (job := worker.claim_and_start()) is not None:
            if job.kind != "regroup":
                assert status(api)["in_progress"] is True
            stages.run_stage(job)

        shown = status(api)
        assert shown["in_progress"] is False
        assert all(states["completed"] == 1 for states in shown["analysis_status"].values())
        assert shown["last_analyzed_at"].endswith("Z")

    def test_has_custom_questions_only_where_there_are_some(self, api, asked):
        configure(asked, RUBRIC)

        assert "calls_analysis_custom_questions" not in status(api)["analysis_status"]

    def test_of_an_unreachable_project_is_zeroed(self, api, upload):
        upload()

        assert api.get("/calls/api/analysis-status/?project_id=99999").json() == {
            "analysis_status": {},
            "analyzed_calls": 0,
            "duplicate_uploads": 0,
            "in_progress": False,
            "reclustering": False,
            "last_analyzed_at": None,
            "waiting_for": [],
        }


class TestAReupload:
    def test_keeps_call_and_metadata_and_moves_the_file(self, api, upload):
        first = upload(campaign="Spring", call_datetime="2026-03-02T10:00:00Z", agent_id="7")
        run_due_jobs()
        before = listed(api)

        second = upload(RUDE)

        waiting = listed(api)
        assert second["call_id"] == first["call_id"]
        assert [(c["file_id"], c["score_percentage"]) for c in waiting] == [(second["id"], 100.0)]
        assert {k: v for k, v in waiting[0].items() if k != "file_id"} == {
            k: v for k, v in before[0].items() if k != "file_id"
        }
        assert status(api)["duplicate_uploads"] == 1
        run_due_jobs()
        after = listed(api)
        assert [(c["id"], c["file_id"], c["score_percentage"]) for c in after] == [
            (first["call_id"], second["id"], 0.0)
        ]
        assert (after[0]["campaign"], after[0]["agent"]) == ("Spring", "7")
        assert api.get("/calls/api/report/").json()["headline"]["total_calls"] == 1
        assert status(api)["analyzed_calls"] == 1

    def test_moves_a_time_that_stands_in_together_with_the_results(self, api, upload):
        first = upload()
        run_due_jobs()

        second = upload(RUDE)

        assert listed(api)[0]["call_datetime"] == first["call_metadata"]["call_datetime"]
        run_due_jobs()
        assert listed(api)[0]["call_datetime"] == second["created_at"]
        assert first["created_at"] < second["created_at"]

    def test_that_fails_loses_nothing(self, api, upload, monkeypatch):
        from callscope.transcription import transcribe

        upload(campaign="Spring")
        run_due_jobs()
        report = api.get("/calls/api/report/").json()
        detail = api.get(f"/calls/api/calls/{listed(api)[0]['id']}/").json()

        def fail(*_args, **_named):
            raise transcribe.TranscriptionFailed("hallucinated_transcript", "It ends too late.")

        monkeypatch.setattr(transcribe, "transcribe", fail)
        second = upload(RUDE)
        run_due_jobs()

        file = api.get(f"/api/files/{second['id']}/").json()
        assert (file["status"], file["error_reason"]) == ("failed", "hallucinated_transcript")
        assert (
            api.get(f"/api/transcripts/{second['id']}/").json()["error_reason"] == "hallucinated_transcript"
        )
        # Only the number of calls that could not be analyzed tells of it.
        assert api.get("/calls/api/report/").json() == report | {"failed_calls": 1}
        again = api.get(f"/calls/api/calls/{listed(api)[0]['id']}/").json()
        assert (again["copc"], again["custom_questions"]) == (detail["copc"], detail["custom_questions"])
        states = status(api)["analysis_status"]["calls_analysis_copc"]
        assert states == {"queued": 0, "processing": 0, "completed": 0, "failed": 1}
        assert status(api)["in_progress"] is False

    def test_keeps_the_superseded_results_with_who_and_when(self, api, alice, upload):
        first = upload()
        run_due_jobs()
        second = upload(RUDE)
        run_due_jobs()

        kept = CallAnalysis.objects.get(file=first["id"])
        assert (kept.superseded_by, kept.superseded_by_file_id) == (alice, second["id"])
        assert kept.superseded_at is not None
        assert kept.copc["score_percentage"] == 100


class TestCustomQuestions:
    def test_name_the_call_by_its_id(self, api, upload):
        body = upload()
        run_due_jobs()

        shown = api.get("/calls/api/custom-questions/").json()

        assert [c["call_analysis_id"] for c in shown["calls"]] == [body["call_id"]]
        assert shown["questions"] == ["Why?"]
        assert set(shown["calls"][0]["answers"]["Why?"]) == {"answer", "quotes"}

    def test_of_an_older_set_have_no_entry_for_newer_ones(self, api, asked, upload):
        upload(name="old.srt", call_datetime="2026-03-01T10:00:00Z")
        run_due_jobs()
        configure(asked, {**ALL_ASKED, "custom_questions": ["How long?"]})
        upload(name="new.srt", call_datetime="2026-03-02T10:00:00Z")
        run_due_jobs()

        shown = api.get("/calls/api/custom-questions/").json()

        assert shown["questions"] == ["How long?", "Why?"]
        assert [list(c["answers"]) for c in shown["calls"]] == [["How long?"], ["Why?"]]


class TestMetadataThatChanges:
    def test_moves_the_call_in_the_reports_and_leaves_its_results(self, api, upload):
        body = upload(call_datetime="2026-03-02T10:00:00Z")
        run_due_jobs()
        before = api.get(f"/calls/api/calls/{body['call_id']}/").json()

        changes = {"call_datetime": "2026-03-02T22:00:00Z", "agent_name": "Ana", "campaign": "x"}
        api.patch(f"/api/files/{body['id']}/", changes, format="json")

        report = api.get("/calls/api/report/").json()
        after = api.get(f"/calls/api/calls/{body['call_id']}/").json()
        assert [s["total_calls"] for s in report["shifts"]] == [0, 1]
        assert [a["agent"] for a in report["agents"]] == ["Ana"]
        assert (after["copc"], after["insights"]) == (before["copc"], before["insights"])
        assert status(api)["in_progress"] is False
