"""The upload page, and what its module asks: which names are there and how far their files are."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.web.conftest import bring, line, page, visitor_of

SUBTITLES = b"1\n00:00:00,000 --> 00:00:12,000\nAgent: Good morning, how can I help you today?\n"


def upload(client, project, name="a.srt", content=SUBTITLES):
    answer = client.post("/api/files/", {"project": project.pk, "file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 201, answer.content
    return answer.json()


def ask(client, project, *names):
    body = json.dumps({"project": project.pk, "names": names})
    return client.post("/upload/states/", body, content_type="application/json")


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def as_bob(bob, project):
    from callscope.projects.services import share_project

    share_project(project, bob)
    return visitor_of(bob)


@pytest.mark.django_db
def test_says_which_rows_of_a_manifest_still_wait_for_their_files(as_alice, project):
    def ask_kept(*names):
        body = json.dumps({"project": project.pk, "names": [], "kept": names})
        return as_alice.post("/upload/states/", body, content_type="application/json")

    rows = b"filename,call_datetime\na.srt,2026-03-01T10:00:00Z\nb.srt,2026-03-01T10:00:00Z\n"
    address = f"/api/projects/{project.pk}/call-manifest/"
    assert as_alice.post(address, {"file": SimpleUploadedFile("m.csv", rows)}).json()["unmatched"]
    before = ask_kept("a.srt", "b.srt", "never.srt").json()["kept"]
    upload(as_alice, project)

    assert before == ["a.srt", "b.srt"]
    assert ask_kept("a.srt", "b.srt").json() == {"files": {}, "kept": ["b.srt"]}
    assert "kept" not in ask(as_alice, project, "a.srt").json()
    assert ask_kept(*map(str, range(501))).status_code == 400
    assert ask_kept(1).status_code == 400


@pytest.mark.django_db
class TestUploadPage:
    def test_offers_both_doors_to_who_may_write(self, as_alice, project):
        found = page(as_alice.get("/upload/"))

        assert found.all("input", type="file", id="u-files")
        assert found.all("input", type="file", id="u-manifest")
        [area] = found.all("div", id="upload")
        assert area["data-project"] == str(project.pk)
        assert area["data-files"] == "/api/files/"

    def test_is_of_the_project_used_last_and_guesses_none_of_several(self, as_alice, alice, project):
        from callscope.projects.services import create_project

        newest = create_project(alice, "Newest")
        asks = page(as_alice.get("/upload/"))
        as_alice.get(f"/report/?project_id={project.pk}")  # keeps the project in a cookie
        used = page(as_alice.get("/upload/"))
        as_alice.cookies["callscope_project"] = "x"
        odd = page(as_alice.get("/upload/"))

        for found in (asks, odd):
            assert not found.all("input", type="file")
            assert "Select it first." in found.text
            offered = [each["value"] for each in found.all("option") if each["value"].isdigit()]
            assert {str(project.pk), str(newest.pk)} <= set(offered)
        assert used.all("div", id="upload")[0]["data-project"] == str(project.pk)

    def test_tells_a_viewer_whom_to_ask(self, as_bob, project):
        found = page(as_bob.get(f"/upload/?project_id={project.pk}"))

        assert not found.all("input", type="file")
        assert "Ask alice@example.com for the role of editor" in found.text

    def test_says_how_times_of_a_manifest_are_written(self, as_alice, project, settings):
        settings.TIME_ZONE = "America/Lima"
        found = page(as_alice.get(f"/upload/?project_id={project.pk}"))

        assert "in the time zone America/Lima unless an offset follows" in found.text
        assert "its day is first" in found.text

    def test_has_no_manifest_for_a_project_without_calls(self, as_alice, alice):
        from callscope.projects.services import create_project

        general = create_project(alice, "Notes", type="general")

        assert not page(as_alice.get(f"/upload/?project_id={general.pk}")).all("input", id="u-manifest")

    def test_leads_to_the_first_steps_without_a_project(self, as_carol):
        assert page(as_carol.get("/upload/")).all("a", href="/start/")

    @pytest.mark.parametrize("asked", ["0", "x", "-1", "99999999999999999999", "７"])
    def test_knows_only_visible_projects(self, as_alice, project, asked):
        assert as_alice.get("/upload/", {"project_id": asked}).status_code == 404

    def test_does_not_tell_an_absent_project_from_somebody_elses(self, as_carol, project):
        assert as_carol.get(f"/upload/?project_id={project.pk}").status_code == 404


@pytest.mark.django_db
class TestStates:
    def test_tell_the_names_that_are_there(self, as_alice, project):
        made = upload(as_alice, project)

        files = ask(as_alice, project, "a.srt", "b.srt").json()["files"]

        assert list(files) == ["a.srt"]
        assert files["a.srt"]["id"] == made["id"]
        assert files["a.srt"]["state"] == "waiting"
        assert not files["a.srt"]["final"]

    def test_know_a_name_in_the_form_in_which_it_is_kept(self, as_alice, project):
        upload(as_alice, project, "a.srt")

        assert "folder/a.srt" in ask(as_alice, project, "folder/a.srt").json()["files"]

    def test_are_those_of_the_newest_file(self, as_alice, project):
        upload(as_alice, project)
        newest = upload(as_alice, project)

        assert ask(as_alice, project, "a.srt").json()["files"]["a.srt"]["id"] == newest["id"]

    @pytest.mark.parametrize(
        ("reason", "sentence", "may_retry"),
        [
            ("audio_too_short", "", False),
            ("hallucinated_transcript", "", False),
            ("private_transcription_unavailable", "", True),
            ("", "", True),
            ("", "The recording cannot be decoded (no such codec).", False),
            ("", "The language model at llm.example refused to answer.", False),
            ("", "The language model at llm.example did not answer in time.", True),
        ],
    )
    def test_offer_another_try_where_it_can_help(self, as_alice, project, reason, sentence, may_retry):
        from callscope.calls.models import UploadedFile

        made = upload(as_alice, project)
        UploadedFile.objects.filter(pk=made["id"]).update(
            status="failed", error_reason=reason, error_detail=sentence
        )

        state = ask(as_alice, project, "a.srt").json()["files"]["a.srt"]

        assert state["state"] == "failed"
        assert state["reason"]
        assert bool(state["task"]) == may_retry

    def test_speak_the_language_of_the_page(self, as_alice, project):
        upload(as_alice, project)
        body = json.dumps({"project": project.pk, "names": ["a.srt"]})

        answer = as_alice.post(
            "/upload/states/", body, content_type="application/json", headers={"accept-language": "es"}
        )

        assert answer.json()["files"]["a.srt"]["label"] == "En espera"

    def test_are_open_to_viewers_and_to_nobody_else(self, as_alice, as_bob, as_carol, project):
        upload(as_alice, project)

        assert ask(as_bob, project, "a.srt").json()["files"]
        assert ask(as_carol, project, "a.srt").status_code == 404

    @pytest.mark.parametrize(
        "body",
        [
            "", "{", "[]", "null", '{"project": 1}', '{"project": "1", "names": []}',
            '{"project": 1, "names": [1]}', '{"project": 1, "names": "a"}', "[" * 100_000,
            json.dumps({"project": 1, "names": ["a"] * 501}),
        ],
    )  # fmt: skip
    def test_refuse_what_is_no_question(self, as_alice, project, body):
        answer = as_alice.post("/upload/states/", body, content_type="application/json")

        assert answer.status_code == 400

    def test_survive_odd_names(self, as_alice, project):
        names = ["\x00", "", "..", "x" * 5000, "\ud800", "a/../..", "'; drop table", "%s"]

        assert ask(as_alice, project, *names).json() == {"files": {}}


@pytest.mark.django_db
@pytest.mark.one_database
class TestManifestTemplate:
    def test_has_a_row_for_each_call_without_a_time(self, as_alice, project):
        bring(project, line(1), line(2, call_datetime=None, file_name="=1+1.wav"))

        answer = as_alice.get(f"/projects/{project.pk}/manifest.csv")

        rows = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
        assert rows == [
            "filename,call_datetime,agent_id,agent_name,direction,caller_number,campaign",
            "'=1+1.wav,,,,,,",
        ]
        assert f"/projects/{project.pk}/manifest.csv" in as_alice.get("/upload/").content.decode()

    def test_is_for_who_sees_a_project_of_calls(self, as_alice, as_carol, alice, project):
        from callscope.projects.models import Project

        general = Project.objects.create(name="General", owner=alice, type="general")
        assert as_carol.get(f"/projects/{project.pk}/manifest.csv").status_code == 404
        assert as_alice.get(f"/projects/{general.pk}/manifest.csv").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "words"), [("audio", "Being transcribed"), ("srt", "Being read")])
def test_a_transcript_is_read_and_a_recording_transcribed(as_alice, project, kind, words):
    from callscope.calls.models import UploadedFile

    upload(as_alice, project)
    UploadedFile.objects.update(status=UploadedFile.Status.TRANSCRIBING, file_type=kind)

    [state] = json.loads(ask(as_alice, project, "a.srt").content)["files"].values()
    assert state["label"] == words
    assert "Files" in page(as_alice.get(f"/projects/{project.pk}/files/")).texts
