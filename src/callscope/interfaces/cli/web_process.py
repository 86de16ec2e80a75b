"""The web of `callscope serve`: granian around the WSGI application, in CALLSCOPE_WEB_PROCESSES processes.

Run as `python -m callscope.interfaces.cli.web_process HOST PORT PARENT_PID`. This process
answers no request: it loads the application, starts those that serve it, and starts one
again that ended. They import this module for `application`.
"""

import gc
import multiprocessing
import signal
import sys
from typing import Any

from callscope.environment import Environment
from callscope.pipeline import parental_bond

# Requests wait for database and disk more than they compute, and an upload holds a thread all the time.
THREADS_OF_EACH = 8
THREADS_TO_SHARE = 16


def main() -> None:
    host, port, parent_pid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    parental_bond.end_with_parent(parent_pid)
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    processes = Environment.read().web_processes
    if multiprocessing.get_start_method() == "fork":
        _load()  # once for all, into memory that they share
    Granian(
        "callscope.interfaces.cli.web_process:application",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=processes,
        respawn_failed_workers=True,
        blocking_threads=threads_of_each(processes),
        websockets=False,
        log_level=LogLevels.error,  # its warning about many threads is meant for work that computes
        workers_kill_timeout=5,
    ).serve()


def threads_of_each(processes: int) -> int:
    """Return how many requests a process works on at once.

    Each thread keeps a connection to the database: four processes have half of the hundred
    that PostgreSQL allows unless it is told otherwise.
    """
    return THREADS_OF_EACH + THREADS_TO_SHARE // processes


def _load() -> Any:
    """Return the WSGI application with its views, which Django leaves to the first request.

    What is loaded now stays: the collector need not look through it.
    """
    from django.urls import get_resolver

    from callscope.wsgi import application

    get_resolver().reverse_dict  # noqa: B018 - reads every path and its view
    gc.collect()
    gc.freeze()
    return application


def __getattr__(name: str) -> Any:
    """Make `application` when a serving process asks for it, bound to the end of its parent."""
    if name != "application":
        raise AttributeError(name)
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        parental_bond.end_with_parent(parent.pid, with_signal=signal.SIGKILL)
    return _load()


if __name__ == "__main__":
    main()
