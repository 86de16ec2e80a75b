"""Recordings in an S3 bucket, from upload to erasure, through a real server and its workers."""

import contextlib

import httpx2
import pytest
from journeys_server import Installation, create_project, wait_until_analysed

from tests import bucket
from tests.api.samples import SRT, wav

# The small version is api/test_content.py, TestContentOfABucket.
pytestmark = [pytest.mark.journey, pytest.mark.one_database, pytest.mark.slow]


@pytest.fixture(scope="module")
def s3():
    with bucket.served() as address:
        yield address


@pytest.fixture
def own_bucket(s3, monkeypatch):
    """The variables of an empty bucket; this process, and what it starts, reaches S3 with them."""
    variables = bucket.environment(s3)
    for name, value in variables.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    return variables["CALLSCOPE_STORAGE_URL"]


def upload(client: httpx2.Client, project: int, name: str, content: bytes) -> int:
    answer = client.post("/api/files/", data={"project": project}, files={"file": (name, content)})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


class TestBucket:
    def test_keeps_recordings_from_upload_over_backup_to_erasure(self, s3, own_bucket, tmp_path):
        installation = Installation(
            tmp_path / "data", CALLSCOPE_STORAGE_URL=own_bucket, CALLSCOPE_TRANSCRIBER="demo"
        )
        key = installation.owner_with_key()
        sound = wav(12)

        with installation.served() as server, server.client(key) as client:
            project = create_project(client, "Line")
            assert client.get("/readyz").json()["checks"]["storage"] == "ok"
            talk = upload(client, project, "talk.srt", SRT)
            tone = upload(client, project, "tone.wav", sound)
            wait_until_analysed(client, project)
            part = client.get(f"/api/files/{tone}/content/", headers={"Range": "bytes=4-11"})
            files = client.get("/api/files/", params={"project": project}).json()["results"]

        assert (part.status_code, part.content) == (206, sound[4:12])
        assert {file["id"]: file["duration_seconds"] for file in files}[tone] == pytest.approx(12, abs=0.1)
        keys = bucket.objects(s3, own_bucket)
        assert len(keys) >= 2
        assert all(key.startswith(f"{bucket.PREFIX}/{project}/") for key in keys)
        assert not list((tmp_path / "data").glob("recordings/**/*.wav"))

        archive = tmp_path / "all.tar"
        installation.json("backup", str(archive))
        with contextlib.ExitStack() as stack:
            other = bucket.environment(s3)["CALLSCOPE_STORAGE_URL"]
            again = Installation(tmp_path / "again", CALLSCOPE_STORAGE_URL=other)
            again.json("init")
            again.json("restore", str(archive))
            server = stack.enter_context(again.served(workers=0))
            client = stack.enter_context(server.client(key))
            assert client.get(f"/api/files/{tone}/content/").content == sound
            for file in (talk, tone):
                assert client.delete(f"/api/files/{file}/").status_code == 204

        assert bucket.objects(s3, other) == []
        assert sorted(bucket.objects(s3, own_bucket)) == sorted(keys)
