"""Files that were ticked in the list of a project are retried or deleted together."""

import pytest
from django.contrib.messages import get_messages

from callscope.accounts.models import AuditEvent
from callscope.pipeline.models import Job
from callscope.projects.services import create_project, share_project
from tests.web.conftest import page, visitor_of
from tests.web.views.test_upload import upload

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def files(as_alice, project):
    """Four files: two that failed, one that would fail again, one that has not failed."""
    ids = [upload(as_alice, project, f"{name}.srt")["id"] for name in "abcd"]
    Job.objects.filter(subject_id__in=ids[:3]).update(state="failed")
    project.files.filter(pk__in=ids[:2]).update(status="failed", error_detail="The key is wrong.")
    project.files.filter(pk=ids[2]).update(status="failed", error_detail="The recording cannot be decoded.")
    return ids


@pytest.fixture
def here(project):
    return f"/projects/{project.pk}/files/"


def said(answer):
    return [str(message) for message in get_messages(answer.wsgi_request)]


def choose(client, here, do, ids, **fields):
    return client.post(f"{here}chosen/", {"do": do, "file": ids, **fields})


class TestChosenFiles:
    def test_have_a_box_each_and_one_for_all(self, as_alice, here, files):
        found = page(as_alice.get(here))

        boxes = found.all("input", type="checkbox", name="file", form="chosen")
        assert [int(box["value"]) for box in boxes] == files[::-1]
        assert found.all("form", id="chosen", action=f"{here}chosen/")
        assert "Select a.srt" in found.text
        assert "Select all files on this page" in found.text

    def test_are_retried_where_that_can_succeed(self, as_alice, project, here, files):
        answer = choose(as_alice, here, "retry", [files[0], *files[2:]], state="failed", page="2", evil="x")

        assert said(answer) == [
            "Retrying 1 file.",
            "1 file stays failed: another attempt would fail in the same way.",
        ]
        assert answer["Location"] == f"{here}?state=failed&page=2"
        states = dict(project.files.values_list("pk", "status"))
        assert [states[pk] for pk in files] == ["uploaded", "failed", "failed", "uploaded"]

    def test_of_which_none_failed_are_left(self, as_alice, project, here, files):
        answer = choose(as_alice, here, "retry", files[3:])

        assert said(answer) == ["There is nothing to retry: none of the selected files has failed."]
        assert Job.objects.get(subject_id=files[3]).state == "queued"

    def test_that_a_later_upload_replaced_are_named_as_such(self, as_alice, project, here, files):
        former = project.files.get(pk=files[0])
        newer = project.files.get(pk=upload(as_alice, project, "a.srt")["id"])
        assert newer.call_id == former.call_id

        answer = choose(as_alice, here, "retry", [former.pk, newer.pk])

        assert said(answer) == ["1 file is not retried: a later upload replaced it."]
        assert project.files.get(pk=former.pk).status == "failed"
        assert not Job.objects.filter(subject_id=former.pk, state="queued").exists()

    def test_are_deleted_once_that_is_confirmed(self, as_alice, project, here, files):
        asked = page(choose(as_alice, here, "delete", files[:2]))
        assert "Delete 2 files?" in asked.text
        assert "b.srt" in asked.text
        assert project.files.count() == 4

        answer = choose(as_alice, here, "delete", files[:2], confirmed="yes")

        assert said(answer) == ["2 files were deleted."]
        assert set(project.files.values_list("pk", flat=True)) == set(files[2:])
        assert AuditEvent.objects.filter(action="file.deleted").count() == 2

    def test_are_at_least_one(self, as_alice, here, files):
        assert said(choose(as_alice, here, "retry", [])) == ["Select at least one file."]

    @pytest.mark.parametrize("do", ["retry", "delete"])
    def test_are_not_touched_where_one_is_of_another_project(
        self, as_alice, as_carol, carol, project, here, files, do
    ):
        foreign = create_project(carol, "Own")
        other = upload(as_carol, foreign, "z.srt")["id"]

        for ids in ([files[0], other], [files[0], "x"], [files[0], 9**19]):
            assert choose(as_alice, here, do, ids, confirmed="yes").status_code == 404
        assert choose(as_carol, here, do, files[:1], confirmed="yes").status_code == 404
        assert project.files.filter(status="failed").count() == 3
        assert foreign.files.exists()

    def test_have_no_other_actions(self, as_alice, here, files):
        assert choose(as_alice, here, "publish", files).status_code == 404

    @pytest.mark.parametrize("do", ["retry", "delete"])
    def test_are_not_for_viewers(self, bob, project, here, files, do):
        share_project(project, bob, "viewer")
        as_bob = visitor_of(bob)

        assert choose(as_bob, here, do, files, confirmed="yes").status_code == 403
        assert not page(as_bob.get(here)).all("input", type="checkbox")
        assert project.files.filter(status="failed").count() == 3
