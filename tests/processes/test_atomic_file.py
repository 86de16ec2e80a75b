"""Files that appear whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from callscope.processes.atomic_file import SHARED, is_stdout, open_atomic, write_once


class TestOpenAtomic:
    def test_replaces_the_file_when_all_was_written(self, tmp_path):
        path = tmp_path / "export.jsonl"
        path.write_bytes(b"old")

        with open_atomic(path) as file:
            file.write(b"new")
            file.flush()
            assert path.read_bytes() == b"old"

        assert path.read_bytes() == b"new"
        assert list(tmp_path.iterdir()) == [path]

    def test_leaves_the_old_file_after_an_error(self, tmp_path):
        path = tmp_path / "export.jsonl"
        path.write_bytes(b"old")

        with pytest.raises(ZeroDivisionError), open_atomic(path) as file:
            file.write(b"half")
            _ = 1 / 0

        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]

    def test_writes_through_a_symbolic_link(self, tmp_path):
        target, link = tmp_path / "target", tmp_path / "link"
        target.write_bytes(b"old")
        link.symlink_to(target)

        with open_atomic(link) as file:
            file.write(b"new")

        assert link.is_symlink()
        assert target.read_bytes() == b"new"

    def test_is_private_unless_asked_otherwise(self, tmp_path):
        umask = os.umask(0o022)
        try:
            for name, mode in (("backup", None), ("report", SHARED)):
                with open_atomic(tmp_path / name, **({} if mode is None else {"mode": mode})):
                    pass
        finally:
            os.umask(umask)

        assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "report").stat().st_mode & 0o777 == 0o644

    def test_writes_into_a_device_and_counts_its_bytes(self):
        with open_atomic(Path(os.devnull)) as file:
            file.write(b"abc")

            assert file.tell() == 3

        assert Path(os.devnull).is_char_device()

    def test_writes_to_the_standard_output_that_dev_stdout_names(self):
        program = (
            "from pathlib import Path\n"
            "from callscope.processes.atomic_file import open_atomic\n"
            "with open_atomic(Path('/dev/stdout')) as file: file.write(b'data')"
        )

        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

        assert done.stdout == b"data"

    def test_accepts_a_name_of_the_greatest_length(self, tmp_path):
        path = tmp_path / ("ü" * 120)

        with open_atomic(path) as file:
            file.write(b"new")

        assert path.read_bytes() == b"new"


class TestWriteOnce:
    def test_keeps_the_first_content(self, tmp_path):
        path = tmp_path / "secret_key"

        write_once(path, b"first")
        write_once(path, b"second")

        assert path.read_bytes() == b"first"
        assert path.stat().st_mode & 0o777 == 0o600
        assert list(tmp_path.iterdir()) == [path]

    def test_keeps_what_another_process_wrote_at_the_same_time(self, tmp_path, monkeypatch):
        path = tmp_path / "secret_key"
        path.write_bytes(b"first")
        monkeypatch.setattr(Path, "exists", lambda _: False)

        write_once(path, b"second")

        assert path.read_bytes() == b"first"


class TestIsStdout:
    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("/dev/stdout", True),
            ("/dev/fd/1", True),
            ("/proc/self/fd/1", True),
            ("/dev/stderr", False),
            ("a", False),
        ],
    )
    def test_knows_the_names_of_standard_output(self, path, expected):
        assert is_stdout(Path(path)) is expected
