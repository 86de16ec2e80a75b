"""The web process of `callscope serve`: granian around the WSGI application.

Run as `python -m callscope.interfaces.cli.web_process HOST PORT PARENT_PID`. Granian
serves from a process of its own, which imports this module for `application`.
"""

import gc
import multiprocessing
import os
import signal
import sys
from typing import Any

from callscope.pipeline import parental_bond

# Requests wait for database and disk more than they compute, and an upload holds a thread all the time.
BLOCKING_THREADS = 24


def main() -> None:
    host, port, parent_pid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    parental_bond.end_with_parent(parent_pid)
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    Granian(
        "callscope.interfaces.cli.web_process:application",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        blocking_threads=BLOCKING_THREADS,
        websockets=False,
        log_level=LogLevels.error,  # its warning about many threads is meant for work that computes
        workers_kill_timeout=5,
    ).serve()


def __getattr__(name: str) -> Any:
    """Make `application` when granian's own process asks for it, bound to the end of its parent."""
    if name != "application":
        raise AttributeError(name)
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid == os.getppid():
        parental_bond.end_with_parent(parent.pid, with_signal=signal.SIGKILL)
    from callscope.wsgi import application

    # What is loaded now stays: the collector need not look through it while requests wait.
    gc.collect()
    gc.freeze()
    return application


if __name__ == "__main__":
    main()
