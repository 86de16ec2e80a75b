"""Commands between pipes, on closed streams and full disks, and under Ctrl-C."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import run_program

pytestmark = pytest.mark.one_database
PATIENCE_S = 120  # machines are shared; only a hang may fail a test


@pytest.fixture
def shell(program, initialised):
    """Run a line of bash in which $callscope is the command, with a data folder of its own."""

    def run(line, **settings):
        kept = {
            k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_", "PYTHONUNB"))
        }
        command = f"{shlex.quote(sys.executable)} -m callscope"
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            env={**kept, "CALLSCOPE_DATA_DIR": str(program.data_dir), "callscope": command, **settings},
            cwd=program.data_dir.parent,
            timeout=300,
        )

    return run


def _accept_ctrl_c():
    """Undo what a shell does to programs that it starts in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def _with_calls(_template, tmp_path_factory):
    folder = shutil.copytree(_template, tmp_path_factory.mktemp("used") / "data")
    file = folder.parent / "calls.jsonl"
    file.write_text('{"file_name": "a.wav"}\n{"file_name": "b.wav"}\n')
    run_program(folder, "user", "create", "ana@example.com")
    run_program(folder, "project", "create", "P", "--owner", "ana@example.com")
    assert run_program(folder, "calls", "import", "1", file).returncode == 0
    return folder


@pytest.fixture
def used_instance(program, initialised, _with_calls):
    """A project with two calls in it."""
    shutil.copytree(_with_calls, program.data_dir, dirs_exist_ok=True)
    return shutil.copy(_with_calls.parent / "calls.jsonl", program.data_dir.parent)


class TestPipes:
    @pytest.mark.parametrize("packed", ["cat", "gzip -c"])
    def test_lead_into_an_import(self, shell, used_instance, packed):
        result = shell(f"{packed} calls.jsonl | $callscope calls import 1 /dev/stdin --json")

        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout)["replaced"] == 2

    def test_lead_out_of_an_export_with_nothing_but_the_calls(self, shell, used_instance):
        result = shell("$callscope calls export 1 /dev/stdout --json | cat")

        assert [json.loads(line)["file_name"] for line in result.stdout.splitlines()] == ["a.wav", "b.wav"]
        assert json.loads(result.stderr) == {"calls": 2}

    def test_lead_out_of_a_backup(self, shell, used_instance, tmp_path):
        assert shell("$callscope backup /dev/stdout | cat > all.zip").returncode == 0

        with zipfile.ZipFile(tmp_path / "all.zip") as archive:
            assert archive.testzip() is None

    def test_that_nobody_reads_end_a_command_quietly(self, shell, used_instance):
        for command in ("project show 1", "key list --json", "--help", "calls export 1 /dev/stdout"):
            result = shell(f"$callscope {command} | true")

            assert (result.returncode, result.stderr) in [(1, ""), (0, "")], command


class TestStdoutAsAFile:
    def test_stays_what_it_is(self, shell, used_instance, tmp_path):
        result = shell("echo before > out.jsonl; $callscope calls export 1 /dev/stdout >> out.jsonl")

        assert result.stderr == "2 calls written to /dev/stdout.\n"
        assert (tmp_path / "out.jsonl").read_text().splitlines()[0] == "before"
        assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 3
        assert Path("/dev/stdout").is_symlink()

    def test_leaves_a_link_a_link(self, shell, used_instance, tmp_path):
        (tmp_path / "latest.jsonl").symlink_to(tmp_path / "real.jsonl")

        shell("$callscope calls export 1 latest.jsonl")

        assert (tmp_path / "latest.jsonl").is_symlink()
        assert len((tmp_path / "real.jsonl").read_text().splitlines()) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
class TestFullDisk:
    @pytest.mark.parametrize("command", ["key list", "key list --json", "project show 1"])
    def test_under_stdout_is_reported_in_one_line(self, shell, used_instance, command):
        result = shell(f"$callscope {command} > /dev/full")

        assert (result.returncode, result.stderr) == (1, "stdout: No space left on device.\n")

    @pytest.mark.parametrize("command", ["calls export 1", "backup"])
    def test_under_a_file_names_the_file(self, shell, used_instance, command):
        result = shell(f"$callscope {command} /dev/full")

        assert (result.returncode, result.stderr) == (1, "/dev/full: No space left on device.\n")


class TestClosedStreams:
    def test_are_no_reason_to_fail(self, shell, used_instance):
        assert shell("$callscope key list >&-").returncode == 0
        assert shell("$callscope key list --json 2>&- <&-").stdout == '{"keys": []}\n'
        assert shell("$callscope key revoke x --json 2>&-").returncode == 1
        made = shell("$callscope user create eve@example.com <&-")
        assert (made.returncode, made.stderr) == (0, "")


class TestNamesThatAreNotUnicode:
    def test_are_shown_with_escapes(self, shell, used_instance):
        result = shell(r"$callscope project configure 1 $'none\xff.yaml' --json")

        assert result.stderr == "none\\udcff.yaml: No such file or directory.\n"
        assert json.loads(result.stdout)["detail"] == "none\udcff.yaml: No such file or directory."


class TestReadOnlyDatabase:
    def test_is_reported_with_its_folder(self, callscope, monkeypatch):
        from django.db import OperationalError, connection

        from callscope.accounts import services

        def full(_):
            raise OperationalError("database or disk is full")

        monkeypatch.setattr(services, "list_keys", full)
        folder = Path(connection.settings_dict["NAME"]).parent

        (line,) = callscope.failure("key", "list")

        assert line.endswith(f"database or disk is full. Check free space and permissions of {folder}.")


class TestCtrlC:
    def test_while_the_program_is_loaded_leaves_no_traceback(self, monkeypatch, capsys):
        from callscope import __main__ as program
        from callscope.interfaces.cli import app

        def interrupted(**_):
            raise KeyboardInterrupt

        monkeypatch.setattr(app, "app", interrupted)

        with pytest.raises(SystemExit) as end:
            program.main()

        assert (end.value.code, capsys.readouterr().err) == (130, "Stopped.\n")

    def interrupted(self, program, pipe, *, lines_before):
        """Import from a pipe, send SIGINT to all processes as a terminal does; return the end."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_"))}
        process = subprocess.Popen(
            [sys.executable, "-m", "callscope", "calls", "import", "1", str(pipe), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**kept, "CALLSCOPE_DATA_DIR": str(program.data_dir)},
            start_new_session=True,
            preexec_fn=_accept_ctrl_c,
        )
        is_read, is_over = threading.Event(), threading.Event()
        feeding = threading.Thread(target=_feed, args=(pipe, lines_before, is_read, is_over))
        feeding.start()
        try:
            assert is_read.wait(PATIENCE_S)
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            is_over.set()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))  # frees a feeder that nobody has read
            feeding.join()
        return process.returncode, out, err

    @pytest.mark.parametrize("lines_before", [0, 3000])
    def test_ends_an_import_with_130_and_one_line(self, program, used_instance, tmp_path, lines_before):
        os.mkfifo(tmp_path / "many.jsonl")

        status, out, err = self.interrupted(program, tmp_path / "many.jsonl", lines_before=lines_before)

        assert (status, err) == (130, "Stopped.\n")
        assert json.loads(out)["detail"] == "Stopped."


def _feed(pipe, lines_before, is_read, is_over):
    """Write lines into the pipe until its reader ends; say when so many have left for it."""
    scores = [{"criterion_id": "g", "name": "G", "score": 1, "max_points": 2, "applicability": "evaluated"}]
    line = {"topic": "x", "sentiment": "neutral", "copc": {"criterion_scores": scores}}
    number = 0
    with contextlib.suppress(BrokenPipeError), pipe.open("w") as file:
        while not is_over.is_set():
            if number == lines_before:
                is_read.set()
            file.write(json.dumps({"file_name": f"{number}.wav", **line}) + "\n")
            number += 1
