"""`callscope restore` as a process, on a new machine and on a used one."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from tests.cli.conftest import run_program

pytestmark = pytest.mark.one_database


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def restore_from_input(content, **variables):
    """Run `restore -` with these bytes on standard input."""
    command = [sys.executable, "-m", "callscope", "restore", "-"]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_"))}
    environment = {**kept, **variables}
    return subprocess.run(command, input=content, env=environment, capture_output=True, timeout=300)


@pytest.fixture(scope="module")
def _used(_template, tmp_path_factory):
    """The data folder of an instance with a user, and its backup next to it."""
    folder = shutil.copytree(_template, tmp_path_factory.mktemp("used") / "data")
    assert run_program(folder, "user", "create", "ana@example.com").returncode == 0
    assert run_program(folder, "backup", folder.parent / "all.zip").returncode == 0
    return folder


class TestRestore:
    @pytest.fixture
    def archive(self, program, _used):
        shutil.copytree(_used, program.data_dir)
        return _used.parent / "all.zip"

    def test_alone_brings_an_instance_back_on_a_new_machine(self, program, archive, tmp_path):
        new = {"CALLSCOPE_DATA_DIR": str(tmp_path / "new" / "data")}

        restored = program("restore", archive, **new)

        assert restored.returncode == 0, restored.stderr
        assert mode(tmp_path / "new" / "data") == 0o700
        assert mode(tmp_path / "new" / "data" / "secret_key") == 0o600
        assert "already exists" in program("user", "create", "ana@example.com", **new).stderr

    def test_names_standard_input_and_no_copy_of_it(self, archive, _template, tmp_path):
        new = {"CALLSCOPE_DATA_DIR": str(shutil.copytree(_template, tmp_path / "new"))}

        wrong = restore_from_input(b"no archive", CALLSCOPE_DATA_DIR=str(tmp_path / "none"))
        restored = restore_from_input(archive.read_bytes(), **new)

        assert wrong.stderr == b"standard input is not a backup, or it is damaged.\n"
        assert restored.stdout.endswith(b"recordings restored from standard input.\n"), restored.stderr

    def test_takes_an_instance_that_init_made(self, program, archive, _template, tmp_path):
        new = {"CALLSCOPE_DATA_DIR": str(shutil.copytree(_template, tmp_path / "new"))}

        assert program("restore", archive, **new).returncode == 0

    def test_is_refused_where_somebody_is(self, program, archive):
        result = program("restore", archive)

        assert result.returncode == 1
        assert result.stderr.startswith(
            "This instance has 1 user. A backup is restored into an empty instance: "
        )

    def test_is_refused_where_only_the_key_was_lost(self, program, archive):
        (program.data_dir / "secret_key").unlink()

        result = program("restore", archive)

        assert (result.returncode, result.stderr[:24]) == (1, "This instance has 1 user")

    @pytest.mark.parametrize("content", [b"no archive", b""])
    def test_makes_nothing_for_a_file_that_is_no_backup(self, program, tmp_path, content):
        wrong = tmp_path / "wrong.zip"
        wrong.write_bytes(content)

        result = program("restore", wrong)

        assert (result.returncode, result.stderr) == (1, f"{wrong} is not a backup, or it is damaged.\n")
        assert not program.data_dir.exists()
