"""Write files that appear whole or not at all, also when the machine loses power."""

import contextlib
import io
import os
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

PRIVATE, SHARED = 0o600, 0o666  # modes of a new file, before the umask
STDOUT, STDERR = 1, 2
OPEN_DESCRIPTOR = re.compile(
    r"/dev/(?P<name>stdout|stderr)|/(dev|proc/self)/fd/(?P<number>[0-9]{1,6})", re.ASCII
)


@contextlib.contextmanager
def open_atomic(path: Path, *, mode: int = PRIVATE) -> Iterator[BinaryIO]:
    """Open a draft next to `path` that is synced and takes its name if the block ends well.

    A symbolic link stays a link. What is not a regular file, such as a pipe, is
    written directly. Raise OSError with `path` as its file name.
    """
    try:
        if (descriptor := _open_descriptor(path)) is not None:
            with os.fdopen(os.dup(descriptor), "wb") as device:
                yield _Stream(device)  # type: ignore[misc]
        elif path.exists() and not path.is_file():
            with path.open("wb") as device:
                yield _Stream(device)  # type: ignore[misc]
        else:
            target = path.resolve()
            with _draft(target, mode, lambda draft: draft.replace(target)) as file:
                yield file
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_once(path: Path, content: bytes, *, mode: int = PRIVATE) -> None:
    """Write the file unless there is one; if several processes do so at once, the first one wins."""
    if path.exists():
        return
    # A link, unlike a rename, fails if another process was faster.
    with contextlib.suppress(FileExistsError), _draft(path, mode, path.hardlink_to) as file:
        file.write(content)


@contextlib.contextmanager
def _draft(target: Path, mode: int, publish: Callable[[Path], object]) -> Iterator[BinaryIO]:
    draft = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            # Without the sync, a power cut could leave the new name with an empty file.
            os.fsync(file.fileno())
        publish(draft)
    finally:
        draft.unlink(missing_ok=True)


def is_stdout(path: Path) -> bool:
    """Return True if writing to the path writes to this program's standard output."""
    return _open_descriptor(path) == STDOUT


def _open_descriptor(path: Path) -> int | None:
    """Return the number of the open file that a path in /dev names; a rename would replace the device."""
    match = OPEN_DESCRIPTOR.fullmatch(str(path))
    if not match:
        return None
    return int(match["number"]) if match["number"] else {"stdout": STDOUT, "stderr": STDERR}[match["name"]]


class _Stream(io.RawIOBase):
    """A device that writes and reports its position, but cannot be read or rewound: enough for a ZIP."""

    def __init__(self, device: BinaryIO) -> None:
        self._device = device
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = self._device.write(data)
        self._written += size
        return size

    def flush(self) -> None:
        if not self._device.closed:
            self._device.flush()

    def tell(self) -> int:
        return self._written
