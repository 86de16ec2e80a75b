"""`callscope retry`."""

import pytest

from callscope.calls.models import UploadedFile
from callscope.pipeline.models import Job
from tests.pipeline.conftest import accept


@pytest.fixture
def failed(callscope, project):
    """Three failed files, one of them for good."""
    files = [accept(project) for _ in range(3)]
    Job.objects.update(state="failed")
    UploadedFile.objects.update(status="failed", error_detail="The key is wrong.")
    UploadedFile.objects.filter(pk=files[0].pk).update(error_reason="audio_too_short", error_detail="")
    return files


class TestRetry:
    def test_queues_what_failed_and_says_how_many(self, callscope, project, failed):
        document = callscope.json("retry", "--failed")

        assert document == {
            "retried": 2,
            "transcriptions": 2,
            "analyses": 0,
            "left": 1,
            "hopeless": [{"reason": "audio_too_short", "files": 1}],
        }
        assert callscope.json("retry", "--failed", "--project", project.pk)["retried"] == 0

    def test_takes_one_project_and_one_reason(self, callscope, project, failed, bob):
        from callscope.projects.models import Project

        other = Project.objects.create(name="Other line", owner=bob)

        assert callscope.json("retry", "--failed", "--project", other.pk)["retried"] == 0
        assert callscope.json("retry", "--failed", "--reason", "audio_too_short")["retried"] == 1

    def test_says_in_words_what_it_did(self, callscope, failed):
        result = callscope("retry", "--failed")

        assert result.stdout == (
            "2 files are retried: 2 transcriptions, 0 analyses. 1 file stays failed: it would fail again.\n"
            "Not worth another attempt:\n  1  audio_too_short\n"
        )
        again = callscope("retry", "--failed")
        assert again.stdout.startswith("Nothing is retried. 1 file stays failed: it would fail again.\n")

    def test_leaves_and_lists_what_cannot_be_decoded(self, callscope, failed):
        Job.objects.update(state="failed")
        UploadedFile.objects.filter(pk=failed[1].pk).update(error_detail="The recording cannot be decoded.")

        result = callscope("retry", "--failed")

        assert result.stdout == (
            "1 file is retried: 1 transcription, 0 analyses. 2 files stay failed: they would fail again.\n"
            "Not worth another attempt:\n  1  The recording cannot be decoded.\n  1  audio_too_short\n"
        )
        forced = callscope.json("retry", "--failed", "--reason", "cannot be decoded")
        assert forced["retried"] == 1

    def test_says_that_nothing_has_failed(self, callscope, project):
        result = callscope("retry", "--failed")

        assert (result.exit_code, result.stdout) == (0, "There is nothing to retry: no file has failed.\n")

    def test_says_that_no_file_has_a_reason(self, callscope, failed):
        result = callscope("retry", "--failed", "--reason", "no such reason")

        assert (result.exit_code, result.stdout) == (
            0,
            "No failed file has that reason. 3 files stay failed: they failed for another reason or would "
            "fail again.\n",
        )

    def test_asks_what_to_retry(self, callscope):
        assert "--failed" in callscope.wrong_usage("retry")
        assert "--reason takes" in callscope.wrong_usage("retry", "--failed", "--reason", " ")

    def test_names_a_project_that_does_not_exist(self, callscope):
        assert callscope.failure("retry", "--failed", "--project", 99999999) == [
            "No project has the id 99999999."
        ]
