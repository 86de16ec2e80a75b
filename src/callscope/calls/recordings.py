"""Where the bytes of uploaded files lie: a folder, or an S3 bucket.

A file is written whole and synced before any row names it, so no row is without
its file. A crash between the two leaves bytes that no row names, never the reverse.
"""

import contextlib
import errno
import os
import posixpath
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from django.conf import DEFAULT_STORAGE_ALIAS, settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage, storages

STALE_S = 24 * 3600.0  # no upload takes a day
_COPY_BYTES = 1024 * 1024
_CHUNK_BYTES = 256 * 1024


def incoming_folder() -> Path:
    """Return the folder for uploads that are still arriving, on the same disk as the recordings."""
    folder = Path(settings.DATA_DIR) / "incoming"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def clear_stale_arrivals() -> None:
    """Delete what has lain among the arriving files for a day: its process was killed in the middle."""
    oldest = time.time() - STALE_S
    for path in incoming_folder().iterdir():
        with contextlib.suppress(OSError):  # another process clears too
            if path.stat().st_mtime < oldest:
                path.unlink()


def new_key(project_id: int, file_name: str) -> str:
    """Return a storage key that no other file has; the name gives no more than its extension."""
    extension = Path(file_name).suffix.lower()
    safe = extension if extension[1:].isascii() and extension[1:].isalnum() and len(extension) <= 9 else ""
    return f"{project_id}/{uuid.uuid4().hex}{safe}"


def keep(source: Path, key: str) -> None:
    """Move the file at `source` into storage under `key`; whole and synced when this returns."""
    folder = _folder()
    if folder is None:
        with source.open("rb") as file:
            default_storage.save(key, File(file))
        source.unlink(missing_ok=True)
        return
    target = folder / key
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sync(source)
    source.chmod(0o600)
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        part = target.with_name(f".{target.name}.part")
        shutil.copyfile(source, part)
        part.chmod(0o600)
        _sync(part)
        part.replace(target)
        source.unlink(missing_ok=True)
    _sync(target.parent)


def remove(keys: list[str]) -> None:
    """Delete the bytes under these keys; "" and what is gone already are passed over."""
    for key in filter(None, keys):
        default_storage.delete(key)


@contextmanager
def local_copy(key: str) -> Iterator[Path]:
    """Give a path at which the bytes can be read: the file itself, or a copy that goes afterwards."""
    path = path_of(key)
    if path is not None:
        yield path
        return
    with tempfile.NamedTemporaryFile(dir=incoming_folder(), suffix=Path(key).suffix) as copy:
        with default_storage.open(key) as stored:
            shutil.copyfileobj(stored, copy, _COPY_BYTES)
        copy.flush()
        yield Path(copy.name)


def path_of(key: str) -> Path | None:
    """Return the path of the bytes; None where storage is not a folder."""
    folder = _folder()
    return None if folder is None else folder / key


def size_of(key: str) -> int:
    """Return the number of bytes under the key. Raises FileNotFoundError when they are gone."""
    path = path_of(key)
    return path.stat().st_size if path is not None else default_storage.size(key)


def open_slice(key: str, first: int, last: int) -> "Slice":
    """Open the bytes from `first` to `last`, both included; only these are read from storage."""
    path = path_of(key)
    if path is not None:
        file: Any = path.open("rb")
        file.seek(first)
    elif last < first:
        file = BytesIO()
    else:
        storage: Any = storages[DEFAULT_STORAGE_ALIAS]
        stored = storage.bucket.Object(posixpath.join(storage.location, key))
        file = stored.get(Range=f"bytes={first}-{last}")["Body"]
    return Slice(file, last - first + 1)


class Slice:
    """A stretch of stored bytes that reads like a file."""

    def __init__(self, file: Any, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

    def __iter__(self) -> Iterator[bytes]:
        while data := self.read(_CHUNK_BYTES):
            yield data

    def close(self) -> None:
        self._file.close()


def _folder() -> Path | None:
    storage = storages[DEFAULT_STORAGE_ALIAS]
    return Path(storage.location) if isinstance(storage, FileSystemStorage) else None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
