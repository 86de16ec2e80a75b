"""Bytes without a row: what a crash between the two leaves, and its end."""

import datetime as dt

import pytest
from django.core.files.storage import default_storage
from django.db import OperationalError, transaction
from django.utils import timezone

from callscope.calls import erasure, storage
from callscope.calls.models import BytesToErase, UploadedFile
from callscope.pipeline.erasure import removal
from callscope.pipeline.files import intake
from tests.api.samples import SRT
from tests.api.views.test_files import upload

pytestmark = pytest.mark.django_db(transaction=True)


class PulledPlug(BaseException):
    """Ends a request as `kill -9` does: nothing is tidied up."""


@pytest.fixture
def arriving(tmp_path):
    """A file that has arrived, and is about to be taken in."""
    path = tmp_path / "arrived.srt"
    path.write_bytes(SRT)
    return intake.copy_to_incoming(path)


def stored() -> list[str]:
    folder = storage.path_of("")
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def later(**span: float) -> dt.datetime:
    return timezone.now() + dt.timedelta(**span)


class TestAnUploadCutOff:
    @pytest.fixture
    def left(self, alice, project, arriving, monkeypatch):
        def pull(*_args):
            raise PulledPlug

        monkeypatch.setattr(intake, "run_in_transaction", pull)
        monkeypatch.setattr(erasure, "erase", lambda _keys: None)
        with pytest.raises(PulledPlug):
            intake.accept_upload(arriving, project=project, user=alice)
        monkeypatch.undo()
        return stored()

    def test_leaves_bytes_that_go_after_a_day(self, left):
        assert len(left) == 1
        assert erasure.erase_stale(now=later(hours=23)) == 0
        assert stored() == left

        assert erasure.erase_stale(now=later(hours=25)) == 1

        assert stored() == []
        assert not BytesToErase.objects.exists()


class TestAnUploadWhoseAnswerIsLost:
    def test_keeps_its_bytes_when_the_row_is_there_after_all(self, alice, project, arriving, monkeypatch):
        def commit_and_break(work):
            with transaction.atomic():
                work()
            raise OperationalError("The connection broke at the commit.")

        monkeypatch.setattr(intake, "run_in_transaction", commit_and_break)

        with pytest.raises(OperationalError):
            intake.accept_upload(arriving, project=project, user=alice)

        assert default_storage.exists(UploadedFile.objects.get().storage_key)


class TestAnUploadThatSucceeds:
    def test_is_never_erased(self, as_alice, project):
        upload(as_alice, project)

        assert not BytesToErase.objects.exists()
        assert erasure.erase_stale(now=later(days=2)) == 0
        assert len(stored()) == 1

    def test_is_kept_even_if_its_key_is_still_written_down(self, as_alice, project):
        upload(as_alice, project)
        erasure.mark_pending(UploadedFile.objects.get().storage_key, now=timezone.now())

        assert erasure.erase_stale(now=later(days=2)) == 0

        assert default_storage.exists(UploadedFile.objects.get().storage_key)
        assert not BytesToErase.objects.exists()


class TestARefusedUpload:
    def test_leaves_nothing(self, as_alice, alice, project):
        alice.trial_quota_us = 1
        alice.save()

        assert upload(as_alice, project).status_code == 403

        assert stored() == []
        assert not BytesToErase.objects.exists()


class TestADeletionCutOff:
    @pytest.mark.parametrize("what", ["file", "project"])
    def test_is_ended_later(self, as_alice, project, monkeypatch, what):
        upload(as_alice, project)
        file = UploadedFile.objects.get()
        monkeypatch.setattr(erasure, "erase", lambda _keys: None)
        removal.delete_file(file) if what == "file" else removal.delete_project(project)
        monkeypatch.undo()
        assert len(stored()) == 1

        assert erasure.erase_stale(now=later(days=2)) == 1

        assert stored() == []

    def test_that_is_rolled_back_erases_nothing(self, as_alice, project):
        upload(as_alice, project)

        with pytest.raises(RuntimeError), transaction.atomic():
            removal.delete_file(UploadedFile.objects.get())
            raise RuntimeError

        assert not BytesToErase.objects.exists()
        assert len(stored()) == 1
