"""Take away from a process what decoding needs no more, before it reads the first hostile byte.

decode_child.py loads this file by its path, isolated; nothing of Callscope is imported. Each layer
stands for itself, and one that the kernel or a container refuses is left out: `callscope doctor`
names those that are active. Own code, because the bindings on PyPI are unmaintained or need a
library of the system. Numbers: the kernel's uapi headers (seccomp.h, landlock.h, unistd.h).
"""

import ctypes
import errno
import os
import resource
import struct
import sys
from collections.abc import Sequence

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446  # the same on every architecture
LANDLOCK_CREATE_RULESET_VERSION = 1
# What each version of Landlock can forbid: bits of access to files, to TCP, scopes of signals and sockets.
LANDLOCK_RIGHTS = {
    1: ((1 << 13) - 1, 0, 0),
    2: ((1 << 14) - 1, 0, 0),
    3: ((1 << 15) - 1, 0, 0),
    4: ((1 << 15) - 1, 3, 0),
    5: ((1 << 16) - 1, 3, 0),
    6: ((1 << 16) - 1, 3, 3),
}

# Architecture of seccomp's filters and the numbers of the calls that computing, reading and writing open
# files, and ending need; all others fail with EPERM.
ALLOWED_CALLS = {
    "x86_64": (
        0xC000003E,
        {
            "read": 0, "write": 1, "close": 3, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
            "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "writev": 20,
            "sched_yield": 24, "mremap": 25, "madvise": 28, "getpid": 39, "exit": 60, "getrusage": 98,
            "sigaltstack": 131, "gettid": 186, "futex": 202, "sched_getaffinity": 204, "clock_gettime": 228,
            "exit_group": 231, "getrandom": 318,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "read": 63, "write": 64, "close": 57, "lseek": 62, "mmap": 222, "mprotect": 226, "munmap": 215,
            "brk": 214, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "pread64": 67,
            "writev": 66, "sched_yield": 124, "mremap": 216, "madvise": 233, "getpid": 172, "exit": 93,
            "getrusage": 165, "sigaltstack": 132, "gettid": 178, "futex": 98, "sched_getaffinity": 123,
            "clock_gettime": 113, "exit_group": 94, "getrandom": 278,
        },
    ),
}  # fmt: skip
BPF_LOAD, BPF_JUMP_EQUAL, BPF_JUMP_NOT_LESS, BPF_RETURN = 0x20, 0x15, 0x35, 0x06
OFFSET_NUMBER, OFFSET_ARCHITECTURE = 0, 4  # in struct seccomp_data
X32_CALLS = 0x40000000  # the same calls under further numbers
RETURN_ALLOW, RETURN_ERRNO = 0x7FFF0000, 0x00050000


def close_sandbox() -> list[str]:
    """Apply every layer that this system has, for good, and return their names.

    Call it with one thread, when all files are open and all modules are loaded.
    """
    layers = []
    if sys.platform == "linux":
        layers += ["network namespace"] if enter_empty_network() else []
        gain_no_privileges()
        layers += ["Landlock"] if restrict_by_landlock() else []
    forbid_opening_files()
    layers += ["seccomp"] if restrict_by_seccomp() else []
    return layers


def gain_no_privileges() -> None:
    """Let no program that this process starts have more rights than it; Landlock and seccomp ask for it."""
    _libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def forbid_opening_files() -> None:
    """Give this process no further descriptor; those that are open stay so."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def enter_empty_network() -> bool:
    """Move into a network of its own that has no way out; return whether that is allowed here."""
    # With a user namespace anybody may, and root leaves its rights over the machine behind.
    return any(_libc().unshare(flags) == 0 for flags in (CLONE_NEWUSER | CLONE_NEWNET, CLONE_NEWNET))


def restrict_by_landlock() -> bool:
    """Forbid every access to files by name, TCP, and signals to others; return whether the kernel can."""
    libc = _libc()
    version = libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_CREATE_RULESET_VERSION)
    if version < 1:
        return False
    rights = struct.pack("=QQQ", *LANDLOCK_RIGHTS[min(version, max(LANDLOCK_RIGHTS))])
    ruleset = libc.syscall(LANDLOCK_CREATE_RULESET, rights, len(rights), 0)
    if ruleset < 0:
        return False
    is_restricted = libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return bool(is_restricted)


def restrict_by_seccomp() -> bool:
    """Let every system call fail that decoding does not need; return whether the kernel can."""
    known = ALLOWED_CALLS.get(os.uname().machine) if sys.platform == "linux" else None
    if known is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    architecture, calls = known
    code = _write_filter(architecture, list(calls.values()))
    program = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: a short, then the address at the next multiple of eight.
    header = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(program))
    return bool(_libc().prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0) == 0)


def _write_filter(architecture: int, allowed: Sequence[int]) -> bytes:
    """Return a BPF program that allows these calls of this architecture; others get EPERM."""
    count = len(allowed)
    instructions = [
        (BPF_LOAD, 0, 0, OFFSET_ARCHITECTURE),
        (BPF_JUMP_EQUAL, 0, count + 2, architecture),
        (BPF_LOAD, 0, 0, OFFSET_NUMBER),
        (BPF_JUMP_NOT_LESS, count, 0, X32_CALLS),
        *((BPF_JUMP_EQUAL, count - place, 0, number) for place, number in enumerate(allowed)),
        (BPF_RETURN, 0, 0, RETURN_ERRNO | errno.EPERM),
        (BPF_RETURN, 0, 0, RETURN_ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
