"""What people do through the doors is in the audit trail, without names of files or customers."""

import dataclasses
import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone

from callscope.accounts.audit import verify_chain
from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.chaining import chain_notes
from callscope.accounts.trail.notes import note
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.models import Job
from callscope.projects import services
from callscope.transcription.models import Transcript
from tests.api.views.test_files import upload

pytestmark = pytest.mark.django_db
LATER = dt.timedelta(minutes=2)


@pytest.fixture(autouse=True)
def _own_data_folder(settings, tmp_path):
    """On SQLite the notes are in a file that no rollback empties."""
    settings.DATA_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)


def actions() -> list[str]:
    chain_notes(now=timezone.now() + LATER)
    return list(AuditEvent.objects.order_by("number").values_list("action", flat=True))


@pytest.fixture
def signed_in(alice):
    client = Client()
    client.force_login(alice)
    return client


class TestTheTrail:
    def test_holds_uploads_and_what_they_replace(self, as_alice, project):
        first = upload(as_alice, project, caller_number="+34999zqjx").json()
        upload(as_alice, project)

        assert actions() == ["file.uploaded", "file.replaced"]
        replaced = AuditEvent.objects.get(action="file.replaced")
        assert (replaced.detail["former"], replaced.detail["project"]) == (first["id"], project.pk)
        assert "zqjx" not in str(list(AuditEvent.objects.values()))
        assert verify_chain().problems == []

    def test_holds_a_refused_upload_nowhere(self, as_carol, project):
        upload(as_carol, project)

        assert actions() == []

    def test_holds_regroupings_and_printed_reports(self, as_alice, project):
        as_alice.post("/calls/api/recluster/", {"project_id": project.pk})
        assert as_alice.get(f"/calls/api/report/pdf/?project_id={project.pk}").status_code == 200

        assert actions() == ["project.regrouped", "report.printed"]

    @pytest.mark.parametrize(
        "path", ["/calls/export.csv", "/calls/export.xlsx", "/questions/export.csv", "/questions/export.xlsx"]
    )
    def test_holds_exported_tables(self, signed_in, project, path):
        response = signed_in.get(path)

        assert response.status_code == 200
        assert actions() == ["table.exported"]
        event = AuditEvent.objects.get(action="table.exported")
        assert event.detail["projects"] == [project.pk]

    def test_holds_a_sign_in(self, alice):
        Client().post("/login/", {"username": "alice@example.com", "password": "alice-password"})

        event = AuditEvent.objects.get(action="user.signed_in")
        assert (event.actor, event.subject) == (alice, f"user {alice.pk}")

    def test_holds_both_values_of_a_setting_that_protects_people(self, alice, project):
        services.configure_project(project, {"private_transcription": True}, by=alice)

        detail = AuditEvent.objects.get(action="project.configured").detail
        assert detail["private_transcription"] == {"former": False, "new": True}

    @pytest.mark.parametrize("config", [{"private_transcription": True}, {"redact": []}])
    def test_holds_such_a_setting_that_an_editor_tried_to_change(
        self, as_bob, bob_edits, bob, project, config
    ):
        answer = as_bob.patch(f"/api/projects/{project.pk}/", {"config": config}, format="json")

        assert answer.status_code == 403
        assert next(iter(config)) in answer.json()["detail"]
        page = Client()
        page.force_login(bob)
        asked = {"document": config, "version": 1}
        refused = page.post(f"/projects/{project.pk}/save/", asked, content_type="application/json")
        assert (refused.status_code, list(refused.json())) == (403, ["detail"])
        project.refresh_from_db()
        assert project.config_version == 1
        assert set(actions()) == {"access.refused"}

    def test_lets_editors_change_every_other_setting(self, as_bob, bob_edits, project):
        config = {"vocabulary": ["Acme"]}
        answer = as_bob.patch(f"/api/projects/{project.pk}/", {"config": config}, format="json")

        assert answer.status_code == 200
        detail = AuditEvent.objects.get(action="project.configured").detail
        assert detail["changed"] == ["vocabulary"]
        assert (detail["former"], detail["version"]) == (1, 2)

    def test_holds_both_roles_of_a_changed_share(self, alice, bob, project):
        services.share_project(project, bob, "viewer", by=alice)
        services.share_project(project, bob, "editor", by=alice)

        details = AuditEvent.objects.filter(action="project.shared").order_by("number")
        assert [(d.detail["former"], d.detail["role"]) for d in details] == [
            (None, "viewer"),
            ("viewer", "editor"),
        ]


class TestReads:
    @pytest.fixture
    def file(self, as_alice, project):
        file = upload(as_alice, project).json()
        Transcript.objects.create(file_id=file["id"], project=project, segments=[], engine="x")
        UploadedFile.objects.update(status=UploadedFile.Status.TRANSCRIBED)
        return file

    def test_of_a_call_are_noted_on_the_page_and_in_the_api(self, signed_in, as_alice, alice, project, file):
        call = Call.objects.get()
        assert signed_in.get(f"/calls/{call.pk}/").status_code == 200
        assert as_alice.get(f"/calls/api/calls/{call.pk}/").status_code == 200
        assert as_alice.get(f"/api/transcripts/{file['id']}/").status_code == 200

        assert actions() == ["file.uploaded", "call.read", "call.read", "transcript.read"]
        read = AuditEvent.objects.filter(action="call.read")[0]
        assert (read.actor, read.subject) == (alice, f"call {call.pk}")
        assert read.detail == {"project": project.pk}

    def test_of_the_parts_of_a_recording_are_one_play(self, as_alice, file):
        for span in ("bytes=0-", "bytes=4-9", "bytes=10-19"):
            response = as_alice.get(f"/api/files/{file['id']}/content/", HTTP_RANGE=span)
            assert response.status_code == 206
            b"".join(response.streaming_content)

        assert actions() == ["file.uploaded", "file.read"]

    def test_of_what_is_not_there_are_no_reads(self, as_carol, as_alice, file):
        as_carol.get(f"/api/files/{file['id']}/content/")
        as_alice.get(f"/api/files/{file['id']}/content/", HTTP_RANGE="bytes=99999999-")

        assert actions() == ["file.uploaded", "access.refused"]


class TestRefusals:
    def test_of_things_that_exist_are_noted_for_those_who_manage_them(
        self, as_carol, as_alice, carol, project
    ):
        for _ in range(3):
            assert as_carol.get(f"/api/projects/{project.pk}/").status_code == 404
            assert as_carol.get(f"/calls/api/report/?project_id={project.pk}").status_code == 404

        assert set(actions()) == {"access.refused"}
        seen = as_alice.get("/api/audit/").json()["results"]
        assert {(e["actor"], e["subject"]) for e in seen} == {(carol.email, f"project {project.pk}")}
        assert sum(e["detail"]["times"] for e in seen) == 6

    def test_of_a_role_that_is_too_weak_are_noted(self, as_bob, bob_views, project):
        assert as_bob.patch(f"/api/projects/{project.pk}/", {"name": "x"}).status_code == 403

        assert actions() == ["access.refused"]
        assert AuditEvent.objects.get().detail["status"] == 403

    def test_of_a_call_name_its_project(self, as_alice, as_carol, project):
        upload(as_alice, project)
        call = Call.objects.get()
        assert as_carol.get(f"/calls/api/calls/{call.pk}/").status_code == 404

        assert actions() == ["file.uploaded", "access.refused"]
        refused = AuditEvent.objects.get(action="access.refused")
        assert (refused.subject, refused.detail["project"]) == (f"call {call.pk}", project.pk)

    def test_are_not_what_is_nowhere(self, as_carol, as_alice, project):
        assert as_carol.get("/api/projects/999999/").status_code == 404
        assert as_carol.get("/api/nowhere/").status_code == 404
        assert as_alice.get(f"/api/projects/{project.pk}/nowhere/").status_code == 404

        assert actions() == []

    def test_of_keys_that_nobody_has_count_together(self, db):
        for n in range(3):
            key = f"Api-Key abcdefg{n}." + "x" * 32
            assert Client().get("/api/projects/", HTTP_AUTHORIZATION=key).status_code == 403

        assert set(actions()) == {"key.refused"}

    def test_of_sign_ins_are_noted_until_they_are_locked(self, alice):
        for _ in range(12):
            Client().post("/login/", {"username": "Alice@example.com", "password": "wrong"})

        assert set(actions()) == {"sign_in.failed", "sign_in.locked"}
        assert {event.subject for event in AuditEvent.objects.all()} == {f"user {alice.pk}"}
        assert sum(event.detail["times"] for event in AuditEvent.objects.all()) == 12

    def test_of_an_old_password_are_noted(self, signed_in, alice):
        form = {"old_password": "wrong", "new_password1": "another-pass-9", "new_password2": "another-pass-9"}
        assert signed_in.post("/account/", form).status_code == 400

        assert actions() == ["password.refused"]


class TestEngines:
    def test_are_noted_with_their_host_before_they_are_called(self, settings, as_alice, project, monkeypatch):
        from callscope.analysis import analyze
        from callscope.environment import EngineAddress
        from callscope.pipeline.workers import stages

        def killed(*_args, **_named):
            raise SystemExit

        llm = EngineAddress(address="https://model.example.com/v1")
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, llm=llm)
        file = upload(as_alice, project).json()
        Transcript.objects.create(file_id=file["id"], project=project, segments=[], engine="x")
        job = Job(kind="analyze", project=project, subject_id=file["id"])
        monkeypatch.setattr(analyze, "analyze", killed)

        with pytest.raises(SystemExit):
            stages.analyze_call(job)

        assert actions() == ["file.uploaded", "engine.called"]
        detail = AuditEvent.objects.get(action="engine.called").detail
        assert (detail["hosts"], detail["work"]) == (["model.example.com"], "analysis")
        assert detail["project"] == project.pk


class TestTheApi:
    def test_shows_an_owner_what_was_done_newest_first(self, as_alice, alice, project):
        file = upload(as_alice, project).json()
        as_alice.delete(f"/api/files/{file['id']}/")

        body = as_alice.get("/api/audit/").json()

        assert [(e["action"], e["actor"]) for e in body["results"]] == [
            ("file.deleted", alice.email),
            ("file.uploaded", alice.email),
        ]
        assert body["results"][0]["detail"]["erased"]["files"] == 1

    def test_is_for_those_who_manage(self, as_bob, as_carol, as_alice, project, bob_edits):
        upload(as_alice, project)

        assert as_bob.get("/api/audit/").json()["results"] == []
        assert as_bob.get(f"/api/audit/?project_id={project.pk}").status_code == 403
        assert as_carol.get(f"/api/audit/?project_id={project.pk}").status_code == 404
        assert as_carol.get("/api/audit/").json()["count"] == 0

    def test_shows_an_owner_only_the_own_ones_of_several_projects(self, as_alice, carol, project):
        other = services.create_project(carol, "Own", by=carol)
        note(carol, "table.exported", "calls", projects=[project.pk, other.pk])
        chain_notes()

        (event,) = as_alice.get("/api/audit/").json()["results"]

        assert event["detail"]["projects"] == [project.pk]

    def test_shows_administrators_everything(self, as_carol, carol, alice, project):
        services.create_project(alice, "Hers", by=alice)
        carol.is_superuser = True
        carol.save()

        assert [e["action"] for e in as_carol.get("/api/audit/").json()["results"]] == ["project.created"]

    def test_shows_administrators_acts_and_opens_nothing(self, as_carol, as_alice, carol, project):
        file = upload(as_alice, project, name="zqjx 34919283746.srt").json()
        as_alice.patch(f"/api/files/{file['id']}/", {"caller_number": "+34919283746"}, format="json")
        as_alice.get(f"/api/transcripts/{file['id']}/")
        carol.is_superuser = True
        carol.save()
        chain_notes(now=timezone.now() + LATER)

        trail = as_carol.get("/api/audit/")

        assert {"file.uploaded", "call.metadata_changed"} <= {e["action"] for e in trail.json()["results"]}
        assert "zqjx" not in str(trail.json()) and "919283746" not in str(trail.json())
        for address in (
            f"/api/files/{file['id']}/",
            f"/api/files/{file['id']}/content/",
            f"/api/transcripts/{file['id']}/",
            f"/calls/api/calls/{file['call_id']}/",
            f"/api/projects/{project.pk}/",
            f"/calls/api/report/?project_id={project.pk}",
        ):
            assert as_carol.get(address).status_code == 404
        assert as_carol.get("/api/projects/").json()["count"] == 0

    def test_leaks_no_other_project(self, as_alice, as_carol, carol, project):
        upload(as_alice, project)
        own = services.create_project(carol, "Own", by=carol)

        results = as_carol.get("/api/audit/").json()["results"]

        assert [event["subject"] for event in results] == [f"project {own.pk}"]
