"""End a child process when its parent ends, in whatever way the parent ends."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent_pid: int, *, with_signal: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process a signal when the parent dies; exit if it is dead already.

    On Linux only; elsewhere a child notices the end of its parent when their pipe closes.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, with_signal, 0, 0, 0)
    # The parent may have died before the request was made.
    if os.getppid() != parent_pid:
        sys.exit(0)
