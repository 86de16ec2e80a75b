"""`callscope init` as a process: a first start from nothing, repeated, and several at once."""

import json
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import prepared

pytestmark = pytest.mark.one_database


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class TestInit:
    def test_makes_one_closed_data_folder_when_started_twice_at_once_and_can_be_repeated(self, program):
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda _: program("init", "--json"), range(2)))
        key = (program.data_dir / "secret_key").read_text()
        results.append(program("init", "--json"))

        assert [r.returncode for r in results] == [0, 0, 0], [r.stderr for r in results]
        assert len({r.stdout for r in results}) == 1
        assert json.loads(results[0].stdout)["data_dir"] == str(program.data_dir)
        assert mode(program.data_dir) == 0o700
        assert mode(program.data_dir / "secret_key") == 0o600
        assert [p.name for p in program.data_dir.glob("secret_key*")] == ["secret_key"]
        assert (program.data_dir / "secret_key").read_text() == key
        assert (program.data_dir / "incoming").is_dir()
        assert (program.data_dir / "recordings").is_dir()
        assert program("user", "create", "ana@example.com").returncode == 0

    def test_closes_its_database_files_to_others_also_those_of_earlier_versions(self, program, initialised):
        database = program.data_dir / "callscope.sqlite3"
        assert mode(database) == 0o600

        database.chmod(0o644)
        program("init")

        assert mode(database) == 0o600

    def test_leaves_a_folder_of_others_open(self, program, tmp_path):
        program.data_dir.mkdir()
        program.data_dir.chmod(0o755)
        (program.data_dir / "theirs.txt").touch()
        elsewhere = shutil.copy(prepared.sqlite_database(), tmp_path)

        done = program("init", CALLSCOPE_DATABASE_URL=f"sqlite:///{elsewhere}")

        assert done.returncode == 0, done.stderr
        assert mode(program.data_dir) == 0o755

    def test_keeps_no_key_when_one_is_set(self, program):
        program.data_dir.mkdir()
        shutil.copy(prepared.sqlite_database(), program.data_dir)

        done = program("init", CALLSCOPE_SECRET_KEY="x" * 50)

        assert done.returncode == 0, done.stderr
        assert not (program.data_dir / "secret_key").exists()

    def test_says_why_there_can_be_no_folder(self, program, tmp_path):
        (tmp_path / "data").write_text("a file")

        result = program("init")

        assert result.returncode == 1
        assert result.stderr == f"The data folder {program.data_dir} cannot be created: File exists.\n"
