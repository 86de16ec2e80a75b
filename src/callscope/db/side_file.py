"""A small SQLite file next to the database, for notes that must not wait for the database's one writer.

Each thread of each process keeps its own connection. What was written survives the end of the
process; a power cut may lose the last moments, because nothing waits for the disk.
"""

import os
import sqlite3
import threading
from pathlib import Path

from django.conf import settings

from callscope.processes.file_lock import FileLock

BUSY_S = 2.0  # how long one writer may wait for another

# SQLite refuses a connection in another thread than the one that opened it.
_of_thread = threading.local()


class SideFile:
    """The file `name` in the data folder, created with the statements in `script` when it is first used.

    `synchronous` is SQLite's: OFF may damage the file in a power cut, NORMAL loses its end at most.
    """

    def __init__(self, name: str, script: str, *, synchronous: str) -> None:
        self.name = name
        self._script = script
        self._synchronous = synchronous

    def connect(self) -> sqlite3.Connection:
        """Return this thread's connection, which commits each statement by itself."""
        path = os.path.join(settings.DATA_DIR, self.name)  # noqa: PTH118 - at every request
        key = (os.getpid(), path)  # a connection must not be used on the other side of a fork
        opened: dict[str, tuple[tuple[int, str], sqlite3.Connection]] = _of_thread.__dict__
        known = opened.get(self.name)
        if known and known[0] == key and os.path.exists(path):  # noqa: PTH110
            return known[1]
        file = self._open(Path(path))
        opened[self.name] = (key, file)
        return file

    def _open(self, path: Path) -> sqlite3.Connection:
        """Open the file, created if it is new, while no other process or thread does the same.

        SQLite waits for nobody where a file is turned to its write-ahead log: requests went uncounted.
        """
        with FileLock(path.parent / "locks" / path.stem, is_required=False):
            file = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
            file.execute("PRAGMA journal_mode=WAL")
            file.execute(f"PRAGMA synchronous={self._synchronous}")
            file.executescript(self._script)
        return file
