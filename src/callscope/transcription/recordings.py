"""Get at the bytes of an uploaded file as a path, wherever the storage keeps them."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files import File
from django.core.files.storage import default_storage

from callscope.calls.models import UploadedFile


@contextmanager
def local_path(file: UploadedFile) -> Iterator[Path]:
    """Give the file's path; a copy in a temporary folder where the storage is elsewhere.

    Raises FileNotFoundError when the storage does not have it.
    """
    try:
        path = Path(default_storage.path(file.storage_key))
    except NotImplementedError:
        with tempfile.TemporaryDirectory(prefix="callscope-recording-") as folder:
            copy = Path(folder) / "recording"
            with default_storage.open(file.storage_key, "rb") as stored, copy.open("wb") as target:
                shutil.copyfileobj(stored, target, 1 << 20)
            yield copy
        return
    if not path.is_file():
        raise FileNotFoundError(path)
    yield path


def keep_playback(file: UploadedFile, copy: Path) -> str:
    """Put the silenced copy into the storage and return its key.

    The key follows from the file, so a second try replaces what a first one left.
    """
    key = f"{file.storage_key}.playback{copy.suffix}"
    default_storage.delete(key)
    with copy.open("rb") as stream:
        return default_storage.save(key, File(stream))
