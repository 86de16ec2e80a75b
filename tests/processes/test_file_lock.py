"""Locks between threads and processes of one machine."""

import fcntl
import os
import subprocess
import sys

import pytest

from callscope.processes import file_lock
from callscope.processes.file_lock import FileLock


@pytest.fixture
def path(tmp_path):
    return tmp_path / "locks" / "write"


class TestFileLock:
    def test_excludes_a_second_lock_until_it_is_released(self, path):
        first, second = FileLock(path), FileLock(path)

        assert first.acquire()
        assert not second.acquire(timeout_s=0)
        first.release()
        assert second.acquire(timeout_s=0)

    def test_is_released_by_the_end_of_its_block(self, path):
        with FileLock(path):
            assert not FileLock(path).acquire(timeout_s=0)

        assert FileLock(path).acquire(timeout_s=0)

    def test_can_be_acquired_again_after_it_was_closed(self, path):
        lock = FileLock(path)
        lock.acquire()
        lock.close()

        assert lock.acquire(timeout_s=0)

    def test_is_released_when_its_process_ends(self, path):
        program = (
            "from pathlib import Path\n"
            "from callscope.processes.file_lock import FileLock\n"
            f"FileLock(Path({str(path)!r})).acquire()"
        )

        subprocess.run([sys.executable, "-c", program], check=True)

        assert path.exists()
        assert FileLock(path).acquire(timeout_s=0)

    def test_is_not_shared_with_a_child_of_a_fork(self, path, monkeypatch):
        lock = FileLock(path)
        lock.acquire()
        parent = os.getpid()
        held = os.dup(lock._descriptor)
        monkeypatch.setattr(file_lock.os, "getpid", lambda: parent + 1)

        assert not lock.acquire(timeout_s=0)
        os.close(held)

    def test_may_be_missing_where_it_is_not_required(self, path, monkeypatch):
        def refuse(*_):
            raise OSError("no locks here")

        monkeypatch.setattr(fcntl, "flock", refuse)

        assert FileLock(path, is_required=False).acquire()
        with pytest.raises(OSError, match="no locks here"):
            FileLock(path).acquire()

    def test_keeps_its_file_private(self, path):
        FileLock(path).acquire()

        assert path.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0
