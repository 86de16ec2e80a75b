"""Python loads this at its start where PYTHONPATH names this folder: the data folder then has a limit.

For machines on which no small disk can be mounted. Writing a file's bytes for good (fsync) fails with
ENOSPC as soon as the folder of recordings is larger than LOAD_DISK_BYTES, until LOAD_DISK_ROOM holds "1".
"""

import errno
import os
from pathlib import Path

MOST_BYTES = int(os.environ.get("LOAD_DISK_BYTES", "0"))
ROOM = Path(os.environ.get("LOAD_DISK_ROOM", "/nonexistent"))
FOLDER = Path(os.environ.get("CALLSCOPE_DATA_DIR", "/nonexistent")) / "recordings"
_fsync = os.fsync


def fsync(descriptor: int) -> None:
    if MOST_BYTES and ROOM.exists() and ROOM.read_text() != "1":
        used = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())
        if used > MOST_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    _fsync(descriptor)


os.fsync = fsync
