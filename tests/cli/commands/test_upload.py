"""`callscope upload` against a live server."""

import datetime as dt
import json
import os
import subprocess
import sys

import httpx2
import pytest
from django.utils import timezone

from callscope.pipeline.models import Job
from callscope.testing import run_due_jobs
from tests.cli.conftest import Answers

SRT = b"1\n00:00:00,000 --> 00:00:04,000\nAgent: Good morning, this is Ana.\n"


@pytest.fixture
def recordings(tmp_path):
    folder = tmp_path / "to send"
    folder.mkdir()
    for name in ("one.srt", "two.srt"):
        (folder / name).write_bytes(SRT)
    (folder / "notes.txt").write_text("Not sent.")
    return folder


@pytest.fixture
def at_home_process(at_home, tmp_path):
    """Run a command as a program with these bytes on its standard input."""

    def run(*arguments, stdin):
        command = [sys.executable, "-m", "callscope", *map(str, arguments)]
        return subprocess.run(command, input=stdin, capture_output=True, cwd=tmp_path, timeout=300)

    return run


class TestUpload:
    def test_sends_a_folder_and_goes_on_where_it_was_cut_off(self, at_home, project, recordings):
        first = at_home.json("upload", recordings, "--project", project.pk)
        (recordings / "three.srt").write_bytes(SRT)
        second = at_home.json("upload", recordings, "--project", project.pk)

        assert (first["uploaded"], first["skipped"], first["failed"]) == (2, 0, [])
        assert (second["uploaded"], second["skipped"]) == (1, 2)
        assert sorted(project.files.values_list("original_filename", flat=True)) == [
            "one.srt",
            "three.srt",
            "two.srt",
        ]

    def test_takes_a_name_for_standard_input_alone(self, at_home, project, recordings):
        result = at_home("upload", recordings / "one.srt", "--name", "call-7.srt", "--project", project.pk)

        assert (result.exit_code, project.files.count()) == (2, 0)
        assert "--name is the name of standard input" in result.stderr

    def test_names_twenty_problems_at_most(self, at_home, project, recordings):
        result = at_home("upload", *(f"gone-{n}.srt" for n in range(25)), "--project", project.pk)

        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1] == "And 5 more."

    def test_sends_known_names_again_when_asked(self, at_home, project, recordings):
        at_home.json("upload", recordings / "one.srt", "--project", project.pk)
        at_home.json("upload", recordings / "one.srt", "--project", project.pk, "--again")

        assert project.files.count() == 2

    def test_sends_the_manifest_first(self, at_home, project, recordings, tmp_path):
        manifest = tmp_path / "manifest.csv"
        manifest.write_text("filename,call_datetime,campaign\none.srt,2026-01-05T10:00:00Z,spring\n")

        document = at_home.json("upload", recordings, "--project", project.pk, "--manifest", manifest)

        # Sent before the files, and counted after them.
        assert document["manifest"] == {"matched": 1, "unmatched": [], "errors": []}
        assert project.calls.get(file_name="one.srt").campaign == "spring"

    def test_lists_what_was_refused_before_it_ended_early(self, at_home, project, recordings, monkeypatch):
        from callscope.interfaces.cli.commands import upload
        from callscope.interfaces.cli.runtime.errors import Failure

        def end_early(server, project_id, files, outcome, **_):
            outcome.refused.append(("bad.wav", "No sound."))
            outcome.manifest_errors.append("manifest.csv: row 2")
            raise Failure("The server is gone.")

        monkeypatch.setattr(upload, "_send_all", end_early)

        result = at_home("upload", recordings, "--project", project.pk)

        assert result.exit_code == 1
        assert "bad.wav  No sound." in result.stderr
        assert "manifest.csv: row 2" in result.stderr
        assert "The server is gone." in result.stderr

    def test_lists_what_the_server_refuses_and_sends_the_rest(self, at_home, project, recordings):
        (recordings / "bad.wav").write_bytes(b"not a sound")

        result = at_home("upload", recordings, "--project", project.pk, "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["uploaded"] == 2
        assert f"{recordings}/bad.wav  file: " in result.stderr
        assert json.loads(result.stdout)["refused"] == 1

    def test_refuses_paths_that_are_not_there_before_it_sends_anything(self, at_home, project, recordings):
        (line,) = at_home.failure("upload", recordings, recordings / "none.wav", "--project", project.pk)

        assert line == f"{recordings}/none.wav: no such file or folder."
        assert not project.files.exists()

    def test_refuses_a_pipe_which_it_would_wait_for(self, at_home, project, recordings):
        os.mkfifo(recordings / "pipe.wav")

        (line,) = at_home.failure("upload", recordings / "pipe.wav", "--project", project.pk)

        assert line == f"{recordings}/pipe.wav: neither a file nor a folder."

    def test_leaves_out_a_name_that_is_no_text_and_sends_the_rest(self, at_home, project, recordings):
        (recordings / "thr\udcffe.srt").write_bytes(SRT)

        result = at_home("upload", recordings, "--project", project.pk, "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["uploaded"] == 2
        assert result.stderr.endswith("The name is not UTF-8 text. Rename the file.\n")

    def test_sends_a_manifest_whose_name_is_no_text(self, at_home, project, tmp_path):
        manifest = tmp_path / "m\udcff.csv"
        manifest.write_text("filename,call_datetime\none.srt,2026-01-05T10:00:00Z\n")

        assert at_home.json("upload", "--project", project.pk, "--manifest", manifest)["failed"] == []

    def test_refuses_two_files_of_one_name(self, at_home, project, recordings):
        other = recordings / "more"
        other.mkdir()
        (other / "one.srt").write_bytes(SRT)

        (line,) = at_home.failure("upload", recordings, "--project", project.pk)

        assert "have the same name" in line

    def test_names_a_project_that_the_key_cannot_see(self, at_home, project, bob, recordings):
        project.owner = bob
        project.save()

        (line,) = at_home.failure("upload", recordings, "--project", project.pk)

        assert line == f"Project {project.pk} does not exist, or this key cannot see it."

    def test_waits_until_everything_is_analysed(self, at_home, project, recordings, monkeypatch):
        run_jobs_while_waiting(monkeypatch)

        document = at_home.json("upload", recordings, "--project", project.pk, "--wait")

        assert document["failed"] == []
        assert set(project.files.values_list("status", flat=True)) == {"transcribed"}

    def test_waits_for_its_own_files_alone(self, at_home, project, recordings, monkeypatch):
        at_home.json("upload", recordings / "one.srt", "--project", project.pk)
        Job.objects.update(run_after=timezone.now() + dt.timedelta(days=1))
        run_jobs_while_waiting(monkeypatch)

        at_home.json("upload", recordings / "two.srt", "--project", project.pk, "--wait")

        assert project.files.get(original_filename="one.srt").status == "uploaded"

    def test_ends_with_status_1_and_a_table_when_analyses_fail(
        self, at_home, project, recordings, monkeypatch
    ):
        from callscope.analysis import analyze
        from callscope.engines.errors import EngineRejected

        def fail(*_, **__):
            raise EngineRejected("The quota is used up.")

        run_jobs_while_waiting(monkeypatch)
        with monkeypatch.context() as broken:
            broken.setattr(analyze, "analyze", fail)
            result = at_home("upload", recordings, "--project", project.pk, "--wait")

        assert result.exit_code == 1
        assert "one.srt  The quota is used up." in result.stderr
        assert result.stdout == "2 files: 2 failed on the server.\n"

    def test_tries_again_what_failed_on_the_server(self, at_home, project, recordings, monkeypatch):
        from callscope.analysis import analyze
        from callscope.engines.errors import EngineRejected
        from callscope.transcription import transcribe

        def fail(*_, **__):
            raise EngineRejected("The key is wrong.")

        with monkeypatch.context() as broken:
            broken.setattr(transcribe, "transcribe", fail)
            at_home.json("upload", recordings / "one.srt", "--project", project.pk)
            run_due_jobs()
        with monkeypatch.context() as broken:
            broken.setattr(analyze, "analyze", fail)
            at_home.json("upload", recordings / "two.srt", "--project", project.pk)
            run_due_jobs()
        run_jobs_while_waiting(monkeypatch)

        document = at_home.json("upload", recordings, "--project", project.pk, "--wait")

        assert (document["uploaded"], document["resent"], document["retried"]) == (1, 1, 1)
        assert document["failed"] == []
        assert project.files.filter(original_filename="two.srt").count() == 1
        again = at_home.json("upload", recordings, "--project", project.pk)
        assert (again["uploaded"], again["skipped"]) == (0, 2)

    def test_names_the_files_of_a_folder_that_it_leaves(self, at_home, project, recordings):
        result = at_home("upload", recordings, "--project", project.pk, "--json")

        assert "recordings or transcripts: notes.txt." in result.stderr
        assert json.loads(result.stdout)["ignored"] == [f"{recordings}/notes.txt"]

    def test_takes_a_pattern_in_quotes(self, at_home, project, recordings):
        assert at_home.json("upload", f"{recordings}/t*.srt", "--project", project.pk)["uploaded"] == 1
        (line,) = at_home.failure("upload", f"{recordings}/x*.srt", "--project", project.pk)
        assert line.endswith("x*.srt: no file matches.")

    def test_says_what_a_used_up_trial_says(self, at_home, project, recordings, alice):
        alice.trial_quota_us = 0
        alice.save()

        lines = at_home.failure("upload", recordings, "--project", project.pk)

        assert "CALLSCOPE_API_KEY" not in "".join(lines)
        assert "0 of 2 files were sent." in lines[-1]


class TestStandardInput:
    def test_is_sent_under_a_name(self, at_home_process, project):
        result = at_home_process("upload", "-", "--name", "call-7.srt", "--project", project.pk, stdin=SRT)

        assert result.returncode == 0, result.stderr
        assert project.files.get().original_filename == "call-7.srt"
        assert project.files.get().size == len(SRT)

    def test_has_to_have_a_name(self, at_home, project):
        (line,) = at_home.failure("upload", "/dev/stdin", "--project", project.pk)

        assert line == "Standard input has no name. Name the file: --name call-7.wav."

    def test_may_be_the_manifest(self, at_home_process, project):
        rows = b"filename,call_datetime\none.srt,2026-01-05T10:00:00Z\n"

        result = at_home_process("upload", "--manifest", "-", "--project", project.pk, "--json", stdin=rows)

        assert json.loads(result.stdout)["manifest"]["unmatched"] == ["one.srt"]

    def test_is_read_once(self, at_home, project):
        assert "read once" in at_home.wrong_usage(
            "upload", "-", "--manifest", "-", "--name", "a.srt", "--project", project.pk
        )


class TestInterruptedUpload:
    """What a client does about an answer that does not come; the server here is scripted."""

    @pytest.fixture
    def one(self, tmp_path):
        path = tmp_path / "one.srt"
        path.write_bytes(SRT)
        return path

    def send(self, answers, path, former=0):
        from callscope.interfaces.cli.uploads.display import Display
        from callscope.interfaces.cli.uploads.known_files import KnownFile
        from callscope.interfaces.cli.uploads.sender import Sender

        known = {path.name: KnownFile.of(resource(former))} if former else {}
        sender = Sender(answers.server(), 1, known=known, display=Display({path: path.stat().st_size}))
        return sender.send(path.name, path)

    def test_is_not_repeated_when_the_file_arrived_all_the_same(self, one):
        answers = Answers(
            httpx2.ReadError("cut off"), (200, {}), (200, {"results": [resource(5)], "next": None})
        )

        assert self.send(answers, one, former=4) == 5
        assert [request.method for request in answers.requests] == ["POST", "GET", "GET"]

    def test_is_repeated_when_only_the_former_file_is_there(self, one):
        answers = Answers(
            (503, {}), (200, {}), (200, {"results": [resource(4)], "next": None}), (201, {"id": 6})
        )

        assert self.send(answers, one, former=4) == 6

    def test_waits_for_a_server_that_says_when_to_come_back(self, one, capsys):
        """Its disk is full, or its database or bucket is away: for longer than three attempts take."""
        away = [(503, {}, {"Retry-After": "30"}), (200, {"results": [], "next": None})]
        answers = Answers(*away * 5, (201, {"id": 6}))

        assert self.send(answers, one) == 6
        assert answers.pauses == [30.0] * 5
        assert capsys.readouterr().err.count("Trying again") == 1

    def test_looks_for_a_file_that_arrived_although_the_server_had_a_problem(self, one):
        answers = Answers((503, {}, {"Retry-After": "2"}), (200, {"results": [resource(5)], "next": None}))

        assert self.send(answers, one, former=4) == 5

    def test_gives_a_file_up_that_the_server_cannot_take_for_a_quarter_of_an_hour(self, one, monkeypatch):
        from callscope.interfaces.cli.runtime.client import NoAnswer
        from callscope.interfaces.cli.uploads import sender

        monkeypatch.setattr(sender, "MOST_WAIT_S", 60.0)
        away = [(503, {}, {"Retry-After": "60"}), (200, {"results": [], "next": None})]
        trouble = [(503, {}, {"Retry-After": "60"}), (200, {}), (200, {"results": [], "next": None})]
        answers = Answers(*away, *trouble * sender.ATTEMPTS)

        with pytest.raises(NoAnswer, match="it answered 503"):
            self.send(answers, one)

    def test_ends_soon_when_the_server_is_gone(self, one, capsys):
        from callscope.interfaces.cli.uploads.sender import PROBE_PAUSES_S, ServerGone

        gone = httpx2.ConnectError("[Errno 111] Connection refused")
        answers = Answers(*[gone] * (len(PROBE_PAUSES_S) + 2))

        with pytest.raises(ServerGone, match="cannot be reached: Connection refused"):
            self.send(answers, one)

        assert answers.pauses == list(PROBE_PAUSES_S)
        assert capsys.readouterr().err.count("Trying again") == 1


def resource(file_id):
    return {"id": file_id, "original_filename": "one.srt", "status": "transcribed"}


def run_jobs_while_waiting(monkeypatch):
    from callscope.interfaces.cli.uploads import waiting

    monkeypatch.setattr(waiting.time, "sleep", lambda _: run_due_jobs())
