"""Tell whether the worker that claimed a job can still be alive.

An expired lease is the general answer. On the same machine there is a faster
one: the process is gone, so its jobs need not wait for their lease to run out.
"""

import os
from functools import cache
from pathlib import Path


@cache
def _machine() -> str:
    """Return one text per running kernel and process namespace, "" where neither can be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """Return when the process started, in the kernel's ticks; None when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else fields[18]


def own() -> str:
    """Return the identity of this process; equal for no other process, ever."""
    return f"{_machine()}/{os.getpid()}/{_started(os.getpid())}"


def is_gone(identity: str) -> bool:
    """Return True if the process certainly ended; False when in doubt or on another machine."""
    machine, _, process = identity.rpartition("/")[0].rpartition("/")
    if not _machine() or machine != _machine() or not process.isdigit():
        return False
    return _started(int(process)) != identity.rpartition("/")[2]
