"""Uploads and manifests that arrive at the same moment."""

import threading

import pytest
from django.db import connection

from callscope.calls import manifest
from callscope.calls.models import Call, ManifestRow, UploadedFile
from callscope.pipeline.files import intake
from tests.api.conftest import client_of
from tests.api.views.test_files import upload
from tests.api.views.test_manifests import send

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_S = 1.5  # how long one side waits for the other, which a lock may hold back


@pytest.fixture
def meet(monkeypatch):
    """Let other requests start in the middle of the first, and finish there if nothing holds them back."""

    def run(module, name, first, *rivals):
        reached, finished = threading.Event(), threading.Semaphore(0)
        original = getattr(module, name)
        answers = []

        def pausing(*args, **named):
            if not reached.is_set():
                reached.set()
                for _ in rivals:
                    finished.acquire(timeout=PATIENCE_S)
            return original(*args, **named)

        def race(rival):
            reached.wait(20)
            answers.append(rival())
            finished.release()
            connection.close()

        monkeypatch.setattr(module, name, pausing)
        threads = [threading.Thread(target=race, args=(rival,)) for rival in rivals]
        for thread in threads:
            thread.start()
        answers.insert(0, first())
        for thread in threads:
            thread.join(30)
        return answers

    return run


class TestRacing:
    def test_an_upload_during_a_manifest_ends_with_the_metadata_in_place(self, alice, project, meet):
        one, two = client_of(alice), client_of(alice)
        rows = "filename,call_datetime,campaign\na.srt,2026-01-05 10:00,Spring\n"

        answers = meet(
            manifest,
            "_store_waiting",
            lambda: send(one, project, rows),
            lambda: upload(two, project, name="a.srt"),
        )

        assert {a.status_code for a in answers} == {200, 201}
        assert Call.objects.get().campaign == "Spring"
        assert not ManifestRow.objects.exists()

    def test_a_manifest_during_an_upload_ends_with_the_metadata_in_place(self, alice, project, meet):
        one, two = client_of(alice), client_of(alice)
        rows = "filename,call_datetime,campaign\na.srt,2026-01-05 10:00,Spring\n"

        answers = meet(
            intake, "_fill_call", lambda: upload(one, project, name="a.srt"), lambda: send(two, project, rows)
        )

        assert {a.status_code for a in answers} == {200, 201}
        assert Call.objects.get().campaign == "Spring"
        assert not ManifestRow.objects.exists()

    @pytest.mark.parametrize(
        "paused", [(manifest, "_store_waiting"), (intake, "_fill_call")], ids=["manifest", "upload"]
    )
    def test_two_uploads_and_a_manifest_end_with_the_metadata_in_place(self, alice, project, meet, paused):
        one, two, three = client_of(alice), client_of(alice), client_of(alice)
        rows = (
            "filename,call_datetime,agent_name,campaign\n"
            "a.srt,2026-01-05 10:00,Ana Ruiz,Spring\n"
            "b.mp3,2026-01-06 10:00,Ben Hale,Summer\n"
        )
        requests = [
            lambda: send(one, project, rows),
            lambda: upload(two, project, name="a.srt"),
            lambda: upload(three, project, name="b.srt"),
        ]
        if paused[0] is intake:
            requests = [requests[1], requests[0], requests[2]]

        answers = meet(*paused, *requests)

        assert sorted(a.status_code for a in answers) == [200, 201, 201]
        described = Call.objects.order_by("file_name").values_list("file_name", "campaign", "agent__name")
        assert list(described) == [("a.srt", "Spring", "Ana Ruiz"), ("b.srt", "Summer", "Ben Hale")]
        assert not ManifestRow.objects.exists()

    def test_two_uploads_of_one_name_are_two_files_of_one_call(self, alice, project, meet):
        one, two = client_of(alice), client_of(alice)

        answers = meet(
            intake,
            "_fill_call",
            lambda: upload(one, project, name="a.srt", campaign="Spring"),
            lambda: upload(two, project, name="a.srt", direction="inbound"),
        )

        assert [a.status_code for a in answers] == [201, 201]
        call = Call.objects.get()
        assert (call.campaign, call.direction) == ("Spring", "inbound")
        assert call.newest_file_id == max(UploadedFile.objects.values_list("pk", flat=True))

    def test_two_uploads_never_pass_the_quota_together(self, alice, project, meet):
        alice.trial_quota_us = 20_000_000
        alice.save()
        one, two = client_of(alice), client_of(alice)

        answers = meet(
            intake,
            "_get_or_create_call",
            lambda: upload(one, project, name="a.srt"),
            lambda: upload(two, project, name="b.srt"),
        )

        assert sorted(a.status_code for a in answers) == [201, 403]
        assert UploadedFile.objects.count() == 1
