"""POST /api/projects/{id}/retry-failed/."""

import pytest

from callscope.calls.models import UploadedFile
from callscope.pipeline.models import Job
from tests.api.samples import SRT, named

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(project):
    return f"/api/projects/{project.pk}/retry-failed/"


@pytest.fixture
def failed(as_alice, project):
    """Two files whose transcription failed, one of them for good."""
    for name in ("a.srt", "b.srt"):
        as_alice.post("/api/files/", {"project": project.pk, "file": named(SRT, name)}, format="multipart")
    Job.objects.update(state="failed")
    UploadedFile.objects.update(status="failed", error_detail="The key is wrong.")
    UploadedFile.objects.filter(original_filename="b.srt").update(
        error_reason="audio_too_short", error_detail=""
    )
    return UploadedFile.objects.get(original_filename="a.srt")


class TestRetryFailed:
    def test_queues_all_again_and_says_how_many(self, as_alice, address, failed):
        first, second = as_alice.post(address), as_alice.post(address)

        assert (first.status_code, second.status_code) == (202, 202)
        assert first.json() == {"retried": 1, "transcriptions": 1, "analyses": 0, "left": 1}
        assert second.json() == {"retried": 0, "transcriptions": 0, "analyses": 0, "left": 1}
        assert as_alice.get(f"/api/files/{failed.pk}/").json()["status"] == "uploaded"

    def test_takes_a_reason(self, as_alice, address, failed):
        answer = as_alice.post(address, {"reason": "audio_too_short"}, format="json").json()

        assert (answer["retried"], answer["left"]) == (1, 1)
        assert as_alice.get(f"/api/files/{failed.pk}/").json()["status"] == "failed"

    @pytest.mark.parametrize("reason", [["x"], None, "x" * 201, "a\x00b"])
    def test_refuses_a_reason_that_is_no_text(self, as_alice, address, failed, reason):
        answer = as_alice.post(address, {"reason": reason}, format="json")

        assert (answer.status_code, list(answer.json())) == (400, ["reason"])

    def test_is_for_writers_alone(self, as_bob, as_carol, bob_views, address, failed):
        assert as_bob.post(address).status_code == 403
        assert as_carol.post(address).status_code == 404
        assert not Job.objects.filter(state="queued").exists()
