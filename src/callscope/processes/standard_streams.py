"""Standard input and output where a command takes a file: `-`, or what /dev calls them."""

import os
import shutil
from pathlib import Path
from typing import BinaryIO

DASH = "-"
STDIN = 0
STDIN_NAMES = frozenset({DASH, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
STDOUT_PATH = Path("/dev/stdout")


def is_stdin(argument: str | Path) -> bool:
    """Return True if the argument names standard input."""
    return str(argument) in STDIN_NAMES


def open_input(path: Path) -> BinaryIO:
    """Open a file to read, or standard input. Raise OSError."""
    if is_stdin(path):
        return os.fdopen(os.dup(STDIN), "rb")
    return path.open("rb")


def output_path(path: Path) -> Path:
    """Return the path to write to: `-` stands for standard output."""
    return STDOUT_PATH if str(path) == DASH else path


def copy_stdin(target: BinaryIO) -> None:
    """Copy standard input to its end."""
    with open_input(Path(DASH)) as source:
        shutil.copyfileobj(source, target)
