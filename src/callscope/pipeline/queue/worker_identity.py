"""Find out whether the worker that claimed a job can still be alive.

An expired lease is the general answer. On the same machine there is a quicker
one: the process is gone, so its jobs need not wait for their lease to run out.
"""

import os
from functools import cache
from pathlib import Path


@cache
def _machine_id() -> str:
    """Return the id of the running kernel and process namespace; "" where they are unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _start_ticks(pid: int) -> str | None:
    """Return when the process started, in kernel ticks; None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold spaces, so fields are counted from its end.
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else fields[18]


def current_identity() -> str:
    """Return the identity of this process, which no other process ever has, even with the same id."""
    return f"{_machine_id()}/{os.getpid()}/{_start_ticks(os.getpid())}"


def has_exited(identity: str) -> bool:
    """Return True if the process has certainly exited; False if in doubt or on another machine."""
    machine, _, process = identity.rpartition("/")[0].rpartition("/")
    if not _machine_id() or machine != _machine_id() or not process.isdigit():
        return False
    return _start_ticks(int(process)) != identity.rpartition("/")[2]
