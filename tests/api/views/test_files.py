"""Files: upload, list, read, describe, delete."""

import datetime as dt
import os
import struct
import time
from pathlib import Path

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls import storage
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.models import Job
from callscope.projects.models import Project
from tests.api.samples import SRT, VTT, named, wav

pytestmark = pytest.mark.django_db


def upload(client, project, content=SRT, name="call-1.srt", **fields):
    return client.post(
        "/api/files/", {"project": project.pk, "file": named(content, name), **fields}, format="multipart"
    )


def list_arrivals() -> set[Path]:
    """Return the files that are arriving, or that a request has left behind."""
    return set(storage.incoming_folder().glob("*.upload"))


@pytest.fixture
def arrived_before() -> set[Path]:
    """What requests of earlier tests left until their objects are collected as garbage."""
    return list_arrivals()


class TestUpload:
    def test_answers_201_with_the_file_resource(self, as_alice, project):
        response = upload(as_alice, project, campaign="Spring")

        assert response.status_code == 201, response.content
        assert response.json() | {
            "id": 0,
            "task_id": "",
            "created_at": "",
            "call_id": 0,
            "call_metadata": {},
        } == {
            "id": 0,
            "project": project.pk,
            "original_filename": "call-1.srt",
            "file_type": "srt",
            "size": len(SRT),
            "duration_seconds": None,
            "status": "uploaded",
            "error_reason": "",
            "error_detail": "",
            "task_id": "",
            "created_at": "",
            "content_removed_at": None,
            "transcript_removed_at": None,
            "results_removed_at": None,
            "call_id": 0,
            "call_metadata": {},
            "analysis_states": {"calls_analysis_insights": "queued"},
            "analysis_errors": {},
            "waiting_for": None,
        }

    def test_shows_the_metadata_that_came_with_it(self, as_alice, project):
        response = upload(
            as_alice,
            project,
            call_datetime="2026-01-05T10:00:00+01:00",
            agent_id="7",
            agent_name="Ana Ruiz",
            direction="inbound",
            caller_number="+34911",
            campaign="Spring",
        )

        assert response.json()["call_metadata"] == {
            "call_datetime": "2026-01-05T09:00:00Z",
            "call_datetime_source": "api",
            "agent_id": "7",
            "agent_name": "Ana Ruiz",
            "agent_source": "api",
            "direction": "inbound",
            "caller_number": "+34911",
            "campaign": "Spring",
        }

    def test_lets_the_upload_time_stand_in_for_the_call_time(self, as_alice, project):
        response = upload(as_alice, project).json()

        assert response["call_metadata"]["call_datetime"] == response["created_at"]
        assert response["call_metadata"]["call_datetime_source"] == "upload_time"

    def test_keeps_the_bytes_under_a_key_of_their_own(self, as_alice, project, arrived_before):
        file_id = upload(as_alice, project).json()["id"]

        file = UploadedFile.objects.get(pk=file_id)
        assert storage.path_of(file.storage_key).read_bytes() == SRT
        assert list_arrivals() <= arrived_before

    def test_queues_the_transcription_and_every_enabled_analysis(self, as_alice, project):
        body = upload(as_alice, project).json()

        job = Job.objects.get(pk=body["task_id"])
        assert (job.kind, job.state, job.subject_id) == ("transcribe", "queued", body["id"])
        analysis = CallAnalysis.objects.get(file=body["id"])
        assert (analysis.is_newest, analysis.is_live) == (True, False)
        assert analysis.insights_state == AnalysisState.QUEUED
        assert analysis.custom_questions_state is None

    def test_of_a_known_name_is_a_new_file_of_the_same_call(self, as_alice, project):
        first = upload(as_alice, project, campaign="Spring").json()

        second = upload(as_alice, project, direction="outbound").json()

        assert second["call_id"] == first["call_id"]
        assert second["id"] != first["id"]
        assert second["call_metadata"]["campaign"] == "Spring"
        assert second["call_metadata"]["call_datetime"] == second["created_at"]
        assert Call.objects.get().newest_file_id == second["id"]
        assert list(CallAnalysis.objects.filter(is_newest=True).values_list("file", flat=True)) == [
            second["id"]
        ]

    def test_leaves_call_metadata_null_in_a_general_project(self, as_alice, alice):
        notes = Project.objects.create(name="Notes", owner=alice, type="general")

        body = upload(as_alice, notes).json()

        assert body["call_metadata"] is None
        assert body["call_id"] is None
        assert not CallAnalysis.objects.exists()

    def test_refuses_metadata_in_a_general_project(self, as_alice, alice):
        notes = Project.objects.create(name="Notes", owner=alice, type="general")

        response = upload(as_alice, notes, campaign="Spring")

        assert response.status_code == 400
        assert list(response.json()) == ["project"]
        assert not UploadedFile.objects.exists()

    def test_ignores_blank_metadata_even_in_a_general_project(self, as_alice, alice):
        notes = Project.objects.create(name="Notes", owner=alice, type="general")

        assert upload(as_alice, notes, campaign=" ").status_code == 201

    @pytest.mark.parametrize(
        ("content", "name", "kind"),
        [(SRT, "a.srt", "srt"), (VTT, "a.vtt", "vtt"), (wav(1), "a.wav", "audio")],
    )
    def test_tells_the_type_from_the_content(self, as_alice, project, content, name, kind):
        assert upload(as_alice, project, content, name).json()["file_type"] == kind

    @pytest.mark.parametrize(
        ("content", "name", "fields", "where"),
        [
            (b"", "a.srt", {}, "file"),
            (b"just words", "a.txt", {}, "file"),
            (b"\x00\x01\x02junk" * 500, "a.wav", {}, "file"),
            (VTT, "a.srt", {"file_type": "srt"}, "file"),
            (SRT, "a.srt", {"file_type": "audio"}, "file"),
            (SRT, "a.srt", {"file_type": "video"}, "file_type"),
            (SRT, "a.srt", {"direction": "sideways"}, "direction"),
            (SRT, "a.srt", {"agent_id": "x" * 65}, "agent_id"),
            (SRT, "a.srt", {"call_datetime": "yesterday"}, "call_datetime"),
            (SRT, "a.srt", {"campaign": "a\x00b"}, "campaign"),
        ],
    )
    def test_refuses_what_does_not_fit_and_stores_nothing(
        self, as_alice, project, arrived_before, content, name, fields, where
    ):
        response = upload(as_alice, project, content, name, **fields)

        assert response.status_code == 400, response.content
        assert list(response.json()) == [where]
        assert all(isinstance(text, str) for text in response.json()[where])
        assert not UploadedFile.objects.exists()
        assert list_arrivals() <= arrived_before

    @pytest.mark.parametrize("given", ["", "abc", "1e3", "99999999", "-1", str(2**70), "9" * 5000])
    def test_refuses_a_project_that_is_malformed_or_absent(self, as_alice, project, given):
        response = as_alice.post(
            "/api/files/", {"project": given, "file": named(SRT, "a.srt")}, format="multipart"
        )

        assert response.status_code == 400
        assert list(response.json()) == ["project"]

    def test_says_the_same_of_an_absent_and_an_invisible_project(self, as_carol, project):
        invisible = upload(as_carol, project).json()["project"][0]
        absent = as_carol.post("/api/files/", {"project": "999999", "file": named(SRT, "a.srt")}).json()[
            "project"
        ][0]

        assert invisible.replace(str(project.pk), "#") == absent.replace("999999", "#")

    def test_names_everything_that_is_missing(self, as_alice):
        assert set(as_alice.post("/api/files/", {}, format="multipart").json()) == {"project", "file"}

    def test_refuses_a_viewer(self, as_bob, bob_views, project):
        assert upload(as_bob, project).status_code == 403

    def test_lets_an_editor_in(self, as_bob, bob_edits, project):
        assert upload(as_bob, project).status_code == 201

    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            ("../../etc/passwd.srt", "passwd.srt"),
            ("C:\\calls\\a b.srt", "a b.srt"),
            ("x" * 300 + ".srt", None),
        ],
    )
    def test_keeps_only_the_last_part_of_a_name(self, as_alice, project, given, kept):
        name = upload(as_alice, project, name=given).json()["original_filename"]

        assert name == kept if kept else len(name) == 255 and name.endswith(".srt")

    def test_past_the_size_limit_is_refused_with_413(self, as_alice, project, settings, arrived_before):
        import dataclasses

        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, max_upload_mb=1)

        response = upload(as_alice, project, SRT + b"x" * 1_100_000)

        assert response.status_code == 413
        assert "1 MB" in response.json()["detail"]
        assert list_arrivals() <= arrived_before

    def test_clears_what_a_killed_server_left_a_day_ago(self, as_alice, project):
        stale, fresh = (storage.incoming_folder() / name for name in ("stale.upload", "fresh.upload"))
        stale.write_bytes(b"half")
        fresh.write_bytes(b"half")
        os.utime(stale, (time.time() - 90_000,) * 2)

        upload(as_alice, project)

        assert (stale.exists(), fresh.exists()) == (False, True)
        fresh.unlink()

    @pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
    def test_without_a_form_says_that_no_file_was_sent(self, as_alice, project, content_type):
        body = f'{{"project": {project.pk}}}' if "json" in content_type else f"project={project.pk}"

        response = as_alice.generic("POST", "/api/files/", body, content_type=content_type)

        assert response.status_code == 400
        assert "file" in response.json()

    def test_takes_telephone_sound_for_a_recording_whatever_stands_in_it(self, as_alice, project):
        sound = bytearray(b"\xff\x7e\x7d\xfe" * 30_000)
        for place in range(1000, len(sound) - 100, 5000):
            sound[place : place + 40] = b"\n1\n00:00:01,000 --> 00:00:02,000\nHello\n\n"
        shape = struct.pack("<HHIIHH", 7, 1, 8000, 8000, 1, 8)
        body = b"WAVEfmt " + struct.pack("<I", 16) + shape + b"data" + struct.pack("<I", len(sound)) + sound

        response = upload(as_alice, project, b"RIFF" + struct.pack("<I", len(body)) + body, "call.wav")

        assert response.status_code == 201, response.content
        assert response.json()["file_type"] == "audio"


class TestTrialQuota:
    def test_stores_nothing_past_the_quota_and_says_why(self, as_alice, alice, project):
        alice.trial_quota_us = 20_000_000
        alice.save()
        assert upload(as_alice, project, name="a.srt").status_code == 201  # 12 s

        response = upload(as_alice, project, name="b.srt")

        assert response.status_code == 403
        assert response.json()["reason"] == "free_trial_exceeded"
        assert response.json()["detail"]
        assert UploadedFile.objects.count() == 1
        alice.refresh_from_db()
        assert alice.trial_used_us == 12_000_000

    def test_can_be_used_to_its_last_second(self, as_alice, alice, project):
        alice.trial_quota_us = 12_000_000
        alice.save()

        assert upload(as_alice, project, wav(12), "a.wav").status_code == 201
        assert upload(as_alice, project, wav(12), "b.wav").status_code == 403

    def test_takes_nothing_for_audio_that_is_too_short(self, as_alice, alice, project):
        alice.trial_quota_us = 0
        alice.save()

        assert upload(as_alice, project, wav(9.5), "a.wav").status_code == 201

    def test_leaves_users_without_one_alone(self, as_alice, alice, project):
        upload(as_alice, project)

        alice.refresh_from_db()
        assert alice.trial_used_us == 0


class TestList:
    def test_pages_a_hundred_files_newest_first(self, as_alice, project):
        now = timezone.now()
        UploadedFile.objects.bulk_create(
            UploadedFile(project=project, original_filename=f"{n}.srt", file_type="srt", created_at=now)
            for n in range(103)
        )

        first = as_alice.get(f"/api/files/?project={project.pk}").json()
        second = as_alice.get(first["next"]).json()

        assert (first["count"], len(first["results"]), first["previous"]) == (103, 100, None)
        assert first["results"][0]["original_filename"] == "102.srt"
        assert [f["original_filename"] for f in second["results"]] == ["2.srt", "1.srt", "0.srt"]
        assert second["next"] is None

    @pytest.mark.parametrize("page", ["0", "2", "abc", "-1", str(2**70), "9" * 5000])
    def test_answers_404_for_a_page_that_is_not_there(self, as_alice, project, page):
        response = as_alice.get(f"/api/files/?project={project.pk}&page={page}")

        assert response.status_code == 404
        assert response.json() == {"detail": "Invalid page."}

    @pytest.mark.parametrize("given", ["999999", str(2**70), "9" * 5000, "-5"])
    def test_is_empty_for_an_unreachable_project(self, as_alice, project, given):
        assert as_alice.get(f"/api/files/?project={given}").json()["count"] == 0

    @pytest.mark.parametrize("given", ["abc", "1.5", "0x1", "1 2", "%00"])
    def test_refuses_a_project_that_is_no_integer(self, as_alice, given):
        response = as_alice.get(f"/api/files/?project={given}")

        assert response.status_code == 400
        assert list(response.json()) == ["project"]

    def test_shows_nobody_elses_files(self, as_alice, as_carol, project):
        upload(as_alice, project)

        assert as_carol.get("/api/files/").json()["count"] == 0


class TestDescribe:
    def test_changes_only_what_is_sent(self, as_alice, project):
        file_id = upload(as_alice, project, campaign="Spring", direction="inbound").json()["id"]

        response = as_alice.patch(f"/api/files/{file_id}/", {"campaign": "Autumn"}, format="json")

        assert response.status_code == 200
        assert response.json()["call_metadata"]["campaign"] == "Autumn"
        assert response.json()["call_metadata"]["direction"] == "inbound"

    @pytest.mark.parametrize("form", ["json", "multipart"])
    def test_clears_a_field_by_an_empty_text(self, as_alice, project, form):
        file_id = upload(as_alice, project, campaign="Spring").json()["id"]

        response = as_alice.patch(f"/api/files/{file_id}/", {"campaign": ""}, format=form)

        assert response.json()["call_metadata"]["campaign"] == ""

    @pytest.mark.parametrize(
        "value", [None, "", "  ", "soon", "2026-02-30T10:00", "0001-01-01T00:00Z", 7, [], {}]
    )
    def test_refuses_to_clear_the_call_time(self, as_alice, project, value):
        file_id = upload(as_alice, project).json()["id"]

        response = as_alice.patch(f"/api/files/{file_id}/", {"call_datetime": value}, format="json")

        assert response.status_code == 400
        assert list(response.json()) == ["call_datetime"]

    @pytest.mark.parametrize("field", ["agent_id", "agent_name", "direction", "caller_number", "campaign"])
    @pytest.mark.parametrize("value", [None, True, [], {}, "x\x00", "x" * 256])
    def test_refuses_values_that_are_no_text(self, as_alice, project, field, value):
        file_id = upload(as_alice, project).json()["id"]

        response = as_alice.patch(f"/api/files/{file_id}/", {field: value}, format="json")

        assert response.status_code == 400
        assert list(response.json()) == [field]

    def test_refuses_half_a_surrogate_pair(self, as_alice, project):
        file_id = upload(as_alice, project).json()["id"]

        response = as_alice.generic(
            "PATCH", f"/api/files/{file_id}/", '{"campaign": "\\ud800"}', content_type="application/json"
        )

        assert response.status_code == 400

    def test_unlinks_the_agent_when_both_texts_are_empty(self, as_alice, project):
        file_id = upload(as_alice, project, agent_id="7", agent_name="Ana").json()["id"]

        shown = as_alice.patch(
            f"/api/files/{file_id}/", {"agent_id": "", "agent_name": ""}, format="json"
        ).json()

        assert (shown["call_metadata"]["agent_name"], shown["call_metadata"]["agent_source"]) == ("", "")
        assert Call.objects.get().agent_unlinked

    @pytest.mark.parametrize("field", ["agent_id", "agent_name"])
    def test_keeps_the_agent_when_one_text_is_cleared(self, as_alice, project, field):
        file_id = upload(as_alice, project, agent_id="7", agent_name="Ana").json()["id"]

        shown = as_alice.patch(f"/api/files/{file_id}/", {field: ""}, format="json").json()["call_metadata"]

        assert (shown["agent_id"], shown["agent_name"]) == ("7", "Ana")

    @pytest.mark.parametrize(("field", "text"), [("agent_id", "7"), ("agent_name", "Ana")])
    def test_unlinks_the_agent_when_the_only_text_it_is_known_by_is_cleared(
        self, as_alice, project, field, text
    ):
        file_id = upload(as_alice, project, **{field: text}).json()["id"]

        shown = as_alice.patch(f"/api/files/{file_id}/", {field: ""}, format="json").json()["call_metadata"]

        assert (shown["agent_id"], shown["agent_name"], shown["agent_source"]) == ("", "", "")
        assert Call.objects.get().agent_unlinked

    def test_runs_no_analysis_again(self, as_alice, project):
        body = upload(as_alice, project).json()
        jobs = Job.objects.count()

        as_alice.patch(f"/api/files/{body['id']}/", {"campaign": "x"}, format="json")

        assert Job.objects.count() == jobs

    def test_is_400_for_a_file_of_another_project_type(self, as_alice, alice):
        notes = Project.objects.create(name="Notes", owner=alice, type="general")
        file_id = upload(as_alice, notes).json()["id"]

        response = as_alice.patch(f"/api/files/{file_id}/", {"campaign": "x"}, format="json")

        assert response.status_code == 400
        assert list(response.json()) == ["project"]

    def test_is_404_for_a_call_that_is_erased_meanwhile(self, as_alice, project, monkeypatch):
        file_id = upload(as_alice, project).json()["id"]
        monkeypatch.setattr(
            "callscope.pipeline.files.corrections.lock_project", lambda _: Call.objects.all().delete()
        )

        assert as_alice.patch(f"/api/files/{file_id}/", {"campaign": "x"}, format="json").status_code == 404

    def test_is_403_for_a_viewer_and_404_for_a_stranger(self, as_alice, as_bob, as_carol, bob_views, project):
        file_id = upload(as_alice, project).json()["id"]

        assert as_bob.patch(f"/api/files/{file_id}/", {"campaign": "x"}, format="json").status_code == 403
        assert as_carol.patch(f"/api/files/{file_id}/", {"campaign": "x"}, format="json").status_code == 404
        assert as_carol.patch("/api/files/999999/", {"campaign": "x"}, format="json").status_code == 404


class TestDelete:
    def test_erases_rows_and_bytes(self, as_alice, project, django_capture_on_commit_callbacks):
        body = upload(as_alice, project).json()
        path = storage.path_of(UploadedFile.objects.get().storage_key)

        with django_capture_on_commit_callbacks(execute=True):
            response = as_alice.delete(f"/api/files/{body['id']}/")

        assert response.status_code == 204
        assert not path.exists()
        assert not UploadedFile.objects.exists()
        assert not Call.objects.exists()
        assert not Job.objects.exists()
        assert AuditEvent.objects.filter(action="file.deleted", subject=f"file {body['id']}").exists()

    def test_lets_the_call_fall_back_to_the_file_before(self, as_alice, project):
        first = upload(as_alice, project, campaign="Spring").json()
        second = upload(as_alice, project).json()
        CallAnalysis.objects.filter(file=first["id"]).update(
            completed_at=timezone.now(), superseded_at=timezone.now(), insights_state=3
        )
        CallAnalysis.objects.filter(file=second["id"]).update(
            completed_at=timezone.now() + dt.timedelta(seconds=1), is_live=True, insights_state=3
        )

        as_alice.delete(f"/api/files/{second['id']}/")

        call = Call.objects.get(pk=first["call_id"])
        assert (call.newest_file_id, call.campaign) == (first["id"], "Spring")
        analysis = CallAnalysis.objects.get(call=call)
        assert (analysis.is_live, analysis.is_newest, analysis.superseded_at) == (True, True, None)

    def test_is_403_for_a_viewer_and_404_for_a_stranger(self, as_alice, as_bob, as_carol, bob_views, project):
        file_id = upload(as_alice, project).json()["id"]

        assert as_bob.delete(f"/api/files/{file_id}/").status_code == 403
        assert as_carol.delete(f"/api/files/{file_id}/").status_code == 404


class TestTranscript:
    def test_has_no_segments_until_it_is_there(self, as_alice, project):
        file_id = upload(as_alice, project).json()["id"]

        body = as_alice.get(f"/api/transcripts/{file_id}/").json()

        assert (body["id"], body["status"], body["segments"]) == (file_id, "uploaded", [])
        assert body["mean_confidence"] is None

    def test_shows_segments_and_the_reason_of_a_failure(self, as_alice, project):
        from callscope.transcription.models import Transcript

        file_id = upload(as_alice, project).json()["id"]
        segment = {"start": 0.0, "end": 1.5, "speaker": None, "text": "Hello", "confidence": 0.5}
        Transcript.objects.create(file_id=file_id, project=project, segments=[segment], engine="subtitles")
        UploadedFile.objects.update(status="failed", error_reason="audio_too_short")

        body = as_alice.get(f"/api/transcripts/{file_id}/").json()

        assert body["segments"] == [segment]
        assert body["mean_confidence"] == 0.5
        assert body["error_reason"] == "audio_too_short"

    def test_is_404_for_a_stranger(self, as_alice, as_carol, project):
        file_id = upload(as_alice, project).json()["id"]

        assert as_carol.get(f"/api/transcripts/{file_id}/").status_code == 404


class TestRetry:
    def test_is_409_until_the_task_has_failed(self, as_alice, project):
        task = upload(as_alice, project).json()["task_id"]

        response = as_alice.post(f"/api/tasks/{task}/retry/")

        assert response.status_code == 409
        assert response.json()["detail"]

    def test_queues_a_failed_task_again(self, as_alice, project):
        body = upload(as_alice, project).json()
        Job.objects.update(state="failed")
        UploadedFile.objects.update(status="failed", error_reason="private_transcription_unavailable")

        response = as_alice.post(f"/api/tasks/{body['task_id']}/retry/")

        assert response.status_code == 202
        assert response.json() == {"task_id": body["task_id"], "kind": "transcribe", "state": "queued"}
        assert as_alice.get(f"/api/files/{body['id']}/").json()["status"] == "uploaded"

    def test_is_403_for_a_viewer_and_404_for_strangers_and_junk(
        self, as_alice, as_bob, as_carol, bob_views, project
    ):
        task = upload(as_alice, project).json()["task_id"]

        assert as_bob.post(f"/api/tasks/{task}/retry/").status_code == 403
        assert as_carol.post(f"/api/tasks/{task}/retry/").status_code == 404
        assert as_alice.post("/api/tasks/no-uuid/retry/").status_code == 404
