"""Where the bytes of uploaded files are: a folder, or an S3 bucket.

A file is written whole and synced before any row names it, so no row is without
its file. A crash between the two leaves bytes that no row names, never the reverse.
"""

import contextlib
import errno
import os
import posixpath
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from django.conf import DEFAULT_STORAGE_ALIAS, settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage, storages

from callscope.db.trouble import PassingTrouble
from callscope.engines.answers import note_answer
from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId, public_address
from callscope.processes import crash_points

STALE_S = 24 * 3600.0  # no upload takes a day
_COPY_BYTES = 1024 * 1024
_CHUNK_BYTES = 256 * 1024
# The read timeout of a bucket holds for each piece that arrives: a byte now and then would never end.
GRACE_S = 60.0
LEAST_BYTES_A_SECOND = 16_000
# The packages whose errors are those of a bucket: none is imported where recordings are in a folder.
_OF_BUCKETS = {"botocore", "boto3", "s3transfer", "urllib3"}
_GONE = {"404", "NoSuchKey"}


class StorageUnavailable(PassingTrouble):
    """The bucket does not answer, or refuses everything; says nothing of the file that was asked for."""


@contextmanager
def bucket_errors() -> Iterator[None]:
    """Turn the errors of a bucket into FileNotFoundError and StorageUnavailable."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in _OF_BUCKETS:
            raise
        code = str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))
        if code in _GONE:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
        raise StorageUnavailable(f"The bucket cannot be used: {code or type(error).__name__}.") from error


def storage_id() -> EngineId | None:
    """Return the bucket as something that can be in trouble; None for a folder."""
    address = settings.ENVIRONMENT.storage_url
    return EngineId("storage", public_address(address)) if address else None


def find_trouble(error: BaseException) -> Trouble | None:
    """Return what an error says of the bucket itself; None where it says nothing of it."""
    if isinstance(error, StorageUnavailable) and error.__cause__ is not None:
        return find_trouble(error.__cause__) or Trouble.UNREACHABLE
    if "botocore" not in sys.modules:
        return None
    from boto3.exceptions import Boto3Error
    from botocore import exceptions

    if isinstance(error, exceptions.ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        code = error.response.get("Error", {}).get("Code", "")
        if status in (401, 403) or code == "NoSuchBucket":
            return Trouble.KEY
        return Trouble.BUSY if status >= 500 or status == 429 else None
    if isinstance(error, exceptions.NoCredentialsError | exceptions.PartialCredentialsError):
        return Trouble.KEY
    passing = (
        exceptions.ConnectionError,
        exceptions.HTTPClientError,
        exceptions.ResponseStreamingError,
        Boto3Error,
    )
    return Trouble.UNREACHABLE if isinstance(error, passing) else None


def incoming_folder() -> Path:
    """Return the folder for uploads that are still arriving, on the same disk as the recordings."""
    folder = Path(settings.DATA_DIR) / "incoming"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def clear_stale_arrivals() -> None:
    """Delete what has been among the arriving files for a day: its process was killed before the end."""
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


def save(source: Path, key: str) -> None:
    """Move the file at `source` into storage under `key`; whole and synced when this returns."""
    folder = _folder()
    if folder is None:
        with source.open("rb") as file, bucket_errors():
            default_storage.save(key, File(file))
        source.unlink(missing_ok=True)
        return
    target = folder / key
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sync(source)
    crash_points.reach_point("fsync")
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
    crash_points.reach_point("rename")
    _sync(target.parent)


def remove(keys: list[str]) -> None:
    """Delete the bytes under these keys; skip "" and what is gone already."""
    for key in filter(None, keys):
        with bucket_errors():
            default_storage.delete(key)


@contextmanager
def local_copy(key: str) -> Iterator[Path]:
    """Give a path at which the bytes can be read: the file itself, or a copy that is deleted afterwards."""
    path = path_of(key)
    if path is not None:
        yield path
        return
    with tempfile.NamedTemporaryFile(dir=incoming_folder(), suffix=Path(key).suffix) as copy:
        with contextlib.closing(_open_object(key)) as stored:
            shutil.copyfileobj(stored, copy, _COPY_BYTES)
        copy.flush()
        if bucket := storage_id():
            note_answer(bucket)
        yield Path(copy.name)


def path_of(key: str) -> Path | None:
    """Return the path of the bytes; None where storage is not a folder."""
    folder = _folder()
    return None if folder is None else folder / key


def size_of(key: str) -> int:
    """Return the number of bytes under the key. Raises FileNotFoundError when they are gone."""
    path = path_of(key)
    with bucket_errors():
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
        file = _open_object(key, Range=f"bytes={first}-{last}")
    return Slice(file, last - first + 1)


def _open_object(key: str, **options: str) -> "PacedBody":
    storage: Any = storages[DEFAULT_STORAGE_ALIAS]
    with bucket_errors():
        answer = storage.bucket.Object(posixpath.join(storage.location, key)).get(**options)
    return PacedBody(answer["Body"], answer["ContentLength"])


class PacedBody:
    """What a bucket sends; raises StorageUnavailable where it stops early or is waited for too long."""

    def __init__(self, body: Any, size: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._body = body
        self._size = size
        self._clock = clock
        self._received = 0
        self._waited_s = 0.0  # for the bucket alone: who reads may take its time

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, or all that is left."""
        wanted = self._size - self._received
        wanted = wanted if size < 0 else min(size, wanted)
        pieces = []
        while wanted > 0:
            piece = self._read_piece(wanted)
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def _read_piece(self, size: int) -> bytes:
        started_s = self._clock()
        with bucket_errors():
            # botocore's read() comes back only with all that was asked for; this with what is there.
            piece: bytes = self._body._raw_stream.read1(size)
        self._waited_s += self._clock() - started_s
        self._received += len(piece)
        if not piece:
            raise StorageUnavailable("The bucket ended its answer early.") from ConnectionError()
        if self._waited_s > GRACE_S + self._received / LEAST_BYTES_A_SECOND:
            raise StorageUnavailable("The bucket answers too slowly.") from TimeoutError()
        return piece

    def close(self) -> None:
        self._body.close()


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
