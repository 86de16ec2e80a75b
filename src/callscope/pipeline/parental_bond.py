"""Let a child process end with its parent, however the parent ends."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def end_with_parent(parent_pid: int, *, with_signal: int = signal.SIGTERM) -> None:
    """Ask the kernel for a signal when the parent dies; end now if it is dead already.

    Linux only; elsewhere a child sees its parent's end when their pipe closes.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, with_signal, 0, 0, 0)
    if os.getppid() != parent_pid:
        sys.exit(0)
