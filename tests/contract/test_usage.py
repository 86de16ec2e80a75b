"""docs/api.md, "Usage": what is billed, what is not, and the trial quota."""

import pytest
from cast import with_key

from callscope.calls.models import UploadedFile
from callscope.pipeline.models import UsageEntry
from callscope.testing import run_due_jobs
from tests.api.samples import SRT, named, wav

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(alice):
    return with_key(alice)[1]


def upload(api, project, content, name):
    return api.post("/api/files/", {"project": project.pk, "file": named(content, name)}, format="multipart")


class TestARecordingUnderTenSeconds:
    def test_fails_with_its_reason_and_enters_nothing_in_the_ledger(self, api, alice, project):
        alice.trial_quota_us = 60_000_000
        alice.save()
        response = upload(api, project, wav(9.9), "beep.wav")

        run_due_jobs()

        assert response.status_code == 201
        file = api.get(f"/api/files/{response.json()['id']}/").json()
        assert (file["status"], file["error_reason"]) == ("failed", "audio_too_short")
        assert api.get("/api/usage/").json() == {"results": [], "count": 0}
        assert not UsageEntry.objects.exists()
        alice.refresh_from_db()
        assert alice.trial_used_us == 0


class TestATrialQuota:
    def test_that_is_passed_is_refused_with_its_reason_and_stores_nothing(
        self, api, alice, project, settings
    ):
        alice.trial_quota_us = 11_000_000  # the transcript lasts twelve seconds
        alice.save()

        response = upload(api, project, SRT, "a.srt")

        assert response.status_code == 403
        assert response.json()["reason"] == "free_trial_exceeded"
        assert set(response.json()) == {"detail", "reason"}
        assert not UploadedFile.objects.exists()
        assert api.get("/calls/api/analysis-status/").json()["duplicate_uploads"] == 0

    def test_is_none_by_default(self, alice):
        assert alice.trial_quota_us is None
