"""Commands as processes: a first start from nothing, wrong settings, two starts at once."""

import json
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.one_database


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class TestInit:
    def test_makes_a_closed_data_folder_and_can_be_repeated(self, program):
        first = program("init", "--json")
        key = (program.data_dir / "secret_key").read_text()
        again = program("init", "--json")

        assert json.loads(first.stdout) == json.loads(again.stdout)
        assert json.loads(first.stdout)["data_dir"] == str(program.data_dir)
        assert mode(program.data_dir) == 0o700
        assert mode(program.data_dir / "secret_key") == 0o600
        assert (program.data_dir / "secret_key").read_text() == key
        assert (program.data_dir / "incoming").is_dir()
        assert (program.data_dir / "recordings").is_dir()

    def test_makes_one_key_when_started_several_times_at_once(self, program):
        with ThreadPoolExecutor(3) as pool:
            results = list(pool.map(lambda _: program("init"), range(3)))

        assert [r.returncode for r in results] == [0, 0, 0], [r.stderr for r in results]
        assert [p.name for p in program.data_dir.glob("secret_key*")] == ["secret_key"]
        assert program("user", "create", "ana@example.com").returncode == 0

    def test_leaves_a_folder_of_others_open(self, program):
        program.data_dir.mkdir(mode=0o755)
        (program.data_dir / "theirs.txt").touch()

        program("init")

        assert mode(program.data_dir) == 0o755

    def test_keeps_no_key_when_one_is_set(self, program):
        program("init", CALLSCOPE_SECRET_KEY="x" * 50)

        assert not (program.data_dir / "secret_key").exists()

    def test_says_why_there_can_be_no_folder(self, program, tmp_path):
        (tmp_path / "data").write_text("a file")

        result = program("init")

        assert result.returncode == 1
        assert result.stderr == f"The data folder {program.data_dir} cannot be made: File exists.\n"


class TestAnotherCommand:
    def test_asks_for_init_first(self, program):
        result = program("key", "list")

        assert result.returncode == 1
        assert result.stderr.endswith("Run `callscope init` first.\n")
        assert len(result.stderr.splitlines()) == 1
        assert not program.data_dir.exists()

    def test_works_after_it(self, program, initialised):
        result = program(
            "user", "create", "ana@example.com", "--password-stdin", "--json", stdin="some words\n"
        )

        assert json.loads(result.stdout) == {"id": 1, "email": "ana@example.com"}
        assert program("user", "create", "ana@example.com").returncode == 1

    def test_ends_with_one_line_for_a_setting_that_is_not_allowed(self, program):
        result = program("key", "list", "--json", CALLSCOPE_TIME_ZONE="Mars/Base")

        assert result.returncode == 1
        assert result.stderr.startswith('CALLSCOPE_TIME_ZONE is "Mars/Base". Allowed:')
        assert len(result.stderr.splitlines()) == 1
        assert "CALLSCOPE_TIME_ZONE" in json.loads(result.stdout)["detail"]

    def test_warns_of_settings_that_do_not_exist(self, program, initialised):
        result = program("key", "list", "--json", CALLSCOPE_DATABSE_URL="x")

        assert result.returncode == 0
        assert result.stderr == "Warning: CALLSCOPE_DATABSE_URL is set, but Callscope has no such setting.\n"
        assert json.loads(result.stdout) == {"keys": []}

    def test_ends_with_one_line_when_the_database_does_not_answer(self, program):
        url = "postgres://u:secret-word@127.0.0.1:1/nowhere"

        result = program("key", "list", CALLSCOPE_DATABASE_URL=url)

        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1
        assert "postgres://127.0.0.1:1/nowhere cannot be used" in result.stderr
        assert "secret-word" not in result.stderr


class TestRestore:
    @pytest.fixture
    def archive(self, program, initialised, tmp_path):
        program("user", "create", "ana@example.com")
        assert program("backup", tmp_path / "all.zip").returncode == 0
        return tmp_path / "all.zip"

    def test_alone_brings_an_instance_back_on_a_new_machine(self, program, archive, tmp_path):
        new = {"CALLSCOPE_DATA_DIR": str(tmp_path / "new" / "data")}

        restored = program("restore", archive, **new)

        assert restored.returncode == 0, restored.stderr
        assert mode(tmp_path / "new" / "data") == 0o700
        assert mode(tmp_path / "new" / "data" / "secret_key") == 0o600
        assert "exists already" in program("user", "create", "ana@example.com", **new).stderr

    def test_takes_an_instance_that_init_made(self, program, archive, tmp_path):
        new = {"CALLSCOPE_DATA_DIR": str(tmp_path / "new")}
        program("init", **new)

        assert program("restore", archive, **new).returncode == 0

    def test_is_refused_where_somebody_is(self, program, archive):
        result = program("restore", archive)

        assert result.returncode == 1
        assert result.stderr.startswith("This instance has 1 user. A backup is restored into an empty one: ")

    def test_is_refused_where_only_the_key_was_lost(self, program, archive):
        (program.data_dir / "secret_key").unlink()

        result = program("restore", archive)

        assert (result.returncode, result.stderr[:24]) == (1, "This instance has 1 user")

    @pytest.mark.parametrize("content", [b"no archive", b""])
    def test_makes_nothing_for_a_file_that_is_no_backup(self, program, tmp_path, content):
        wrong = tmp_path / "wrong.zip"
        wrong.write_bytes(content)

        result = program("restore", wrong)

        assert (result.returncode, result.stderr) == (1, f"{wrong} is no backup, or it is damaged.\n")
        assert not program.data_dir.exists()


class TestHelp:
    def test_needs_neither_django_nor_a_data_folder(self, program):
        check = "import sys, callscope.interfaces.cli.app; print({'django', 'rich'} & sys.modules.keys())"

        told = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)

        assert told.stdout == "set()\n"
        assert program("--help").returncode == 0
        assert not program.data_dir.exists()


class TestDemo:
    def test_leaves_a_folder_alone_that_it_did_not_make(self, program):
        program.data_dir.mkdir()
        (program.data_dir / "secret_key").write_text("precious")

        result = program("demo", "--no-serve")

        assert result.returncode == 1
        assert "so it stays as it is" in result.stderr
        assert (program.data_dir / "secret_key").read_text() == "precious"
