"""Uploads and jobs stop before the disk is full; what people read and remove goes on."""

import errno
from collections import namedtuple

import pytest
from django.test import Client

from callscope.accounts.models import AuditEvent
from callscope.accounts.services import create_key
from callscope.calls import room
from callscope.calls.models import UploadedFile
from callscope.calls.room import MEGABYTE, require_room
from callscope.pipeline.models import Job
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from tests.api.samples import SRT, named
from tests.pipeline.conftest import RUBRIC, accept, configure

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def disk(monkeypatch):
    """Set how large the disk of the data folder is, and how much of it is free."""

    def set_disk(*, total_mb, free_mb):
        usage = Usage(total_mb * MEGABYTE, (total_mb - free_mb) * MEGABYTE, free_mb * MEGABYTE)
        monkeypatch.setattr(room.shutil, "disk_usage", lambda _folder: usage)

    return set_disk


class TestRoom:
    @pytest.mark.parametrize(
        ("total_mb", "free_mb", "size_mb", "share", "is_enough"),
        [
            (100_000, 65, 0, 1.0, True),
            (100_000, 63, 0, 1.0, False),
            (100_000, 165, 100, 1.0, True),
            (100_000, 165, 102, 1.0, False),
            (100_000, 33, 0, 0.5, True),
            (100_000, 31, 0, 0.5, False),
            (16, 5, 0, 1.0, True),
            (16, 3, 0, 1.0, False),
        ],
    )
    def test_is_what_is_free_beyond_the_kept_part(self, disk, total_mb, free_mb, size_mb, share, is_enough):
        disk(total_mb=total_mb, free_mb=free_mb)

        if is_enough:
            require_room(size_mb * MEGABYTE, share=share)
            return
        with pytest.raises(OSError, match="kept for everything but uploads") as caught:
            require_room(size_mb * MEGABYTE, share=share)
        assert caught.value.errno == errno.ENOSPC


@pytest.mark.django_db
class TestAnAlmostFullDisk:
    def test_takes_no_upload_and_shows_and_removes_what_is_there(self, alice, project, disk):
        client = Client(headers={"Authorization": f"Api-Key {create_key(alice)[1]}"})
        configure(project, RUBRIC)
        file = accept(project)
        disk(total_mb=100_000, free_mb=40)

        form = {"project": project.pk, "file": named(SRT, "next.srt")}
        refused = client.post("/api/files/", form)

        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert UploadedFile.objects.count() == 1
        assert client.get(f"/calls/api/report/?project_id={project.pk}").status_code == 200
        assert client.delete(f"/api/files/{file.pk}/").status_code == 204
        assert AuditEvent.objects.filter(action="file.deleted").exists()

    def test_lets_jobs_go_on_for_a_while(self, project, disk):
        accept(configure(project, RUBRIC))

        disk(total_mb=100_000, free_mb=20)
        job = claim_and_start()
        run_stage(job)
        job.refresh_from_db()
        assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
        assert "disk is full" in job.error

        disk(total_mb=100_000, free_mb=40)
        Job.objects.update(run_after=job.created_at)
        job = claim_and_start()
        run_stage(job)
        job.refresh_from_db()
        assert job.state == Job.State.DONE
