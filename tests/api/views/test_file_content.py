"""The bytes of a file, as players ask for them."""

import copy
import datetime as dt

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.signals import request_finished
from django.db import close_old_connections
from django.test import Client

from callscope.accounts.models import User
from callscope.calls import storage
from callscope.calls.models import UploadedFile
from callscope.projects.models import Project
from tests import bucket
from tests.api.conftest import client_of
from tests.api.samples import SRT, wav
from tests.api.views.test_files import upload
from tests.conftest import copy_recordings

pytestmark = pytest.mark.django_db

SOUND = wav(1)
SIZE = len(SOUND)


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A recording in a project of Alice's: to see whether it has sound, an upload starts a process."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        file_id = upload(client_of(alice), project, SOUND, "Año 1.wav").json()["id"]
        UploadedFile.objects.update(status=UploadedFile.Status.TRANSCRIBED)
        return project, file_id


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def path(made, project, recordings_of_module):
    copy_recordings(recordings_of_module)
    return f"/api/files/{made[1]}/content/"


@pytest.fixture(autouse=True)
def _close_answers(db, monkeypatch):
    """Close the files of answers of which a test looks at no more than the head."""
    answers = []
    request = Client.request

    def remember(client, **named):
        answers.append(request(client, **named))
        return answers[-1]

    monkeypatch.setattr(Client, "request", remember)
    yield
    # As the client does: the connection of a test is in a transaction, and would be closed.
    request_finished.disconnect(close_old_connections)
    for answer in answers:
        answer.close()
    request_finished.connect(close_old_connections)


@pytest.fixture(scope="module")
def bucket_variables():
    """The variables of one bucket for all tests, for each client of S3 takes a second to make."""
    with bucket.served() as address:
        yield bucket.environment(address)
    bucket.storage.cache_clear()


def body(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


class TestContent:
    def test_that_the_retention_removed_is_gone_for_good(self, as_alice, path):
        at = dt.datetime(2026, 3, 1, 9, tzinfo=dt.UTC)
        UploadedFile.objects.update(storage_key="", content_removed_at=at, transcript_removed_at=at)

        response = as_alice.get(path)

        assert response.status_code == 410
        assert response.json() == {"detail": "The retention of the project removed it on 2026-03-01 (UTC)."}
        file = as_alice.get(path.removesuffix("content/")).json()
        assert file["content_removed_at"] == file["transcript_removed_at"] == "2026-03-01T09:00:00Z"
        transcript = as_alice.get(f"/api/transcripts/{file['id']}/").json()
        assert (transcript["removed_at"], transcript["segments"]) == ("2026-03-01T09:00:00Z", [])

    def test_is_the_whole_file_in_its_own_type(self, as_alice, path):
        response = as_alice.get(path, headers={"Accept": "audio/*"})

        assert (response.status_code, body(response)) == (200, SOUND)
        assert response.headers["Content-Type"] == "audio/wav"
        assert response.headers["Content-Length"] == str(SIZE)
        assert response.headers["Accept-Ranges"] == "bytes"
        assert "A%C3%B1o%201.wav" in response.headers["Content-Disposition"]

    @pytest.mark.parametrize(
        ("asked", "first", "last"),
        [
            ("bytes=0-0", 0, 0),
            ("bytes=0-", 0, SIZE - 1),
            ("bytes=10-19", 10, 19),
            ("bytes=-5", SIZE - 5, SIZE - 1),
            (f"bytes=-{SIZE * 9}", 0, SIZE - 1),
            (f"bytes=100-{SIZE * 9}", 100, SIZE - 1),
            (f"bytes={SIZE - 1}-", SIZE - 1, SIZE - 1),
        ],
    )
    def test_can_be_asked_for_in_ranges(self, as_alice, path, asked, first, last):
        response = as_alice.get(path, headers={"Range": asked})

        assert (response.status_code, body(response)) == (206, SOUND[first : last + 1])
        assert response.headers["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
        assert response.headers["Content-Length"] == str(last - first + 1)

    @pytest.mark.parametrize("asked", [f"bytes={SIZE}-", f"bytes={SIZE * 2}-{SIZE * 3}", "bytes=-0"])
    def test_answers_416_where_no_byte_is(self, as_alice, path, asked):
        response = as_alice.get(path, headers={"Range": asked})

        assert response.status_code == 416
        assert response.headers["Content-Range"] == f"bytes */{SIZE}"
        assert response.json() == {"detail": "The range starts after the end of the file."}

    @pytest.mark.parametrize(
        "asked", ["bytes=5-2", "bytes=-", "bytes=a-b", "items=0-1", "bytes=0-1,5-6", "bytes=" + "9" * 5000]
    )
    def test_is_whole_for_a_range_that_is_none(self, as_alice, path, asked):
        assert as_alice.get(path, headers={"Range": asked}).status_code == 200

    def test_is_whole_when_if_range_names_other_bytes(self, as_alice, path):
        etag = as_alice.get(path).headers["ETag"]

        assert as_alice.get(path, headers={"Range": "bytes=0-1", "If-Range": etag}).status_code == 206
        assert as_alice.get(path, headers={"Range": "bytes=0-1", "If-Range": '"other"'}).status_code == 200

    def test_takes_a_date_as_if_range(self, as_alice, path):
        modified = as_alice.get(path).headers["Last-Modified"]
        other = "Mon, 05 Jan 2026 10:00:00 GMT"

        assert as_alice.get(path, headers={"Range": "bytes=0-1", "If-Range": modified}).status_code == 206
        assert as_alice.get(path, headers={"Range": "bytes=0-1", "If-Range": other}).status_code == 200

    def test_is_not_sent_again_to_whom_has_it(self, as_alice, path):
        etag = as_alice.get(path).headers["ETag"]

        assert as_alice.get(path, headers={"If-None-Match": etag}).status_code == 304

    def test_has_only_headers_for_head(self, as_alice, path):
        response = as_alice.head(path, headers={"Range": "bytes=0-9"})

        assert (response.status_code, response.content) == (206, b"")
        assert response.headers["Content-Length"] == "10"

    def test_prefers_the_copy_in_which_redacted_spans_are_silent(self, as_alice, path, tmp_path):
        file = UploadedFile.objects.get()
        file.playback_key = storage.new_key(file.project_id, "a.mp3")
        copy = tmp_path / "copy"
        copy.write_bytes(b"silence")
        storage.save(copy, file.playback_key)
        file.save()

        response = as_alice.get(path)

        assert (body(response), response.headers["Content-Type"]) == (b"silence", "audio/mpeg")

    def test_of_an_imported_call_is_404(self, as_alice, path):
        UploadedFile.objects.update(storage_key="")

        assert as_alice.get(path).status_code == 404

    def test_whose_bytes_are_gone_is_404(self, as_alice, path):
        storage.remove([UploadedFile.objects.get().storage_key])

        assert as_alice.get(path).status_code == 404

    def test_is_for_viewers_and_not_for_strangers(self, as_bob, as_carol, anonymous, bob_views, path):
        assert as_bob.get(path).status_code == 200
        assert as_carol.get(path).status_code == 404
        assert anonymous.get(path).status_code == 401

    @pytest.mark.parametrize("status", [UploadedFile.Status.UPLOADED, UploadedFile.Status.TRANSCRIBING])
    def test_is_closed_until_it_is_redacted(self, as_alice, as_bob, bob_views, path, status):
        UploadedFile.objects.update(status=status)

        for client in (as_alice, as_bob):
            response = client.get(path)
            assert response.status_code == 409
            assert "Try again later" in response.json()["detail"]

    def test_of_a_failed_file_is_for_editors(self, as_alice, as_bob, bob_views, path):
        UploadedFile.objects.update(status=UploadedFile.Status.FAILED)

        assert body(as_alice.get(path)) == SOUND
        assert as_bob.get(path).status_code == 403

    def test_is_open_at_once_where_nothing_is_redacted(self, as_bob, bob_views, project, path):
        UploadedFile.objects.update(status=UploadedFile.Status.UPLOADED)
        project.config = {**project.config, "redact": []}
        project.save()

        assert body(as_bob.get(path)) == SOUND

    def test_of_a_page_in_disguise_is_never_html(self, as_alice, project):
        file_id = upload(as_alice, project, SRT + b"\n<script>alert(1)</script>\n", "a.html").json()["id"]
        UploadedFile.objects.update(status=UploadedFile.Status.TRANSCRIBED)

        response = as_alice.get(f"/api/files/{file_id}/content/")

        assert response.headers["Content-Type"] == "application/octet-stream"
        assert response.headers["Content-Disposition"] == 'attachment; filename="a.html"'
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")

    @pytest.mark.parametrize(
        ("name", "disposition"),
        [("a.wav", "inline"), ("a.MP3", "inline"), ("a.svg", "attachment"), ("a.wav.html", "attachment"),
         ("a.xhtml", "attachment"), ("a.pdf", "attachment")],
    )  # fmt: skip
    def test_is_shown_in_place_as_sound_only(self, as_alice, project, name, disposition):
        file_id = upload(as_alice, project, SOUND, name).json()["id"]
        UploadedFile.objects.update(status=UploadedFile.Status.TRANSCRIBED)

        for headers in ({}, {"Range": "bytes=0-3"}):
            response = as_alice.get(f"/api/files/{file_id}/content/", headers=headers)

            assert response.headers["Content-Disposition"].startswith(disposition)
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Content-Security-Policy"].startswith("sandbox;")

    def test_of_a_transcript_is_a_download(self, as_alice, project):
        file_id = upload(as_alice, project, SRT, "a.srt").json()["id"]
        UploadedFile.objects.update(status=UploadedFile.Status.TRANSCRIBED)

        response = as_alice.get(f"/api/files/{file_id}/content/")

        assert response.headers["Content-Disposition"] == 'attachment; filename="a.srt"'


@pytest.mark.one_database
class TestContentOfABucket(TestContent):
    """The same, where recordings lie in a bucket: it passes through, so that pages ask no other host."""

    @pytest.fixture(autouse=True)
    def _in_a_bucket(self, bucket_variables, settings, monkeypatch):
        for name, value in bucket_variables.items():
            monkeypatch.setenv(name, value)
        name, _, prefix = bucket_variables["CALLSCOPE_STORAGE_URL"].removeprefix("s3://").partition("/")
        settings.STORAGES = {
            **settings.STORAGES,
            "default": {
                "BACKEND": "tests.bucket.storage",
                "OPTIONS": {"bucket_name": name, "location": prefix},
            },
        }

    @pytest.fixture
    def path(self, made, project):
        key = UploadedFile.objects.get(pk=made[1]).storage_key
        key = default_storage.save(key, ContentFile(SOUND))
        UploadedFile.objects.update(storage_key=key)
        return f"/api/files/{made[1]}/content/"
