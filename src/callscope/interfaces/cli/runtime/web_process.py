"""The web server of `callscope serve`: granian with CALLSCOPE_WEB_PROCESSES processes.

Run as `python -m callscope.interfaces.cli.runtime.web_process HOST PORT PARENT_PID`. This process
answers no requests: it loads the WSGI application, starts the processes that do, and
restarts those that end. They import this module for `application`.
"""

import gc
import multiprocessing
import signal
import sys
from typing import Any

from callscope.interfaces.gate.threads import threads_of_each
from callscope.processes import death_signal
from callscope.processes.loading import rest_collector


def main() -> None:
    """Serve until the parent ends."""
    host, port, parent_pid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    death_signal.die_with_parent(parent_pid)
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    from callscope.environment import Environment

    processes = Environment.read().web_processes
    if multiprocessing.get_start_method() == "fork":
        _load_application()  # into memory that the children share
    Granian(
        "callscope.interfaces.cli.runtime.web_process:application",
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


def _load_application() -> Any:
    """Return the WSGI application with its views, which Django would load at the first request."""
    # All of this stays, so the garbage collector touches none of its pages after a fork.
    with rest_collector():
        from django.urls import get_resolver

        from callscope.wsgi import application

        get_resolver().reverse_dict  # noqa: B018 - reads every path and its view
        gc.collect()
    return application


def __getattr__(name: str) -> Any:
    """Return `application` to a serving process, which then ends with its parent."""
    if name != "application":
        raise AttributeError(name)
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        death_signal.die_with_parent(parent.pid, with_signal=signal.SIGKILL)
    application = _load_application()
    from callscope.pipeline.models import SiteProcess
    from callscope.pipeline.operation import processes

    processes.start_beating(SiteProcess.Role.WEB)
    return application


if __name__ == "__main__":
    main()
