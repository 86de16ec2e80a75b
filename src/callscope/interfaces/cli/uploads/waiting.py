"""Wait until the server is done with the files of this upload, and with no others."""

import sys
import time
from typing import TYPE_CHECKING

from callscope.interfaces.cli.runtime import progress
from callscope.interfaces.cli.uploads.known_files import NAMES_AT_ONCE, KnownFile, load_files

if TYPE_CHECKING:
    from callscope.interfaces.cli.runtime.client import Server

POLL_S = 2.0
QUIET_S = 60.0
HINT = (
    "No file was finished in the last minute. `callscope doctor` on the server says whether a worker runs "
    "and an engine is away; work continues once they are back."
)


def wait_for_files(server: "Server", file_ids: list[int]) -> list[KnownFile]:
    """Return the files once each is done or has failed; those deleted meanwhile are left out.

    Files are done in about the order of upload, so the oldest open ones are asked about: one request
    at a time, however many files there are.
    """
    waiting, done = sorted(set(file_ids)), list[KnownFile]()
    total = len(waiting)
    moved_at: float | None = time.monotonic()  # None once the hint was shown
    while waiting:
        asked = waiting[:NAMES_AT_ONCE]
        found = list(load_files(server, asked))
        done += [file for file in found if file.is_final]
        is_open = {file.id for file in found if not file.is_final}
        left = [number for number in waiting if number in is_open or number not in asked]
        if len(left) < len(waiting):
            moved_at = time.monotonic()
        elif moved_at is not None and time.monotonic() - moved_at >= QUIET_S:
            progress.clear_status()
            print(HINT, file=sys.stderr, flush=True)
            moved_at = None
        waiting = left
        progress.show_status(f"{total - len(waiting)} of {total} files are done")
        if is_open:
            time.sleep(POLL_S)
    progress.clear_status()
    return done
